"""What the author of attacks writes: words that are said in two circumstances.

    domains/<name>/attacks.py, or domains/<name>/attacks/__init__.py where they are many
        def cases(domain: Domain) -> list[Case]: ...

A **case** is one request, said twice. In the circumstances of the ``attack`` it must be refused; in those of the
``twin``, the nearest legitimate ones, the same words are in order. So what is said is written once, with names in
braces, and each side says what they stand for, which records it is about, and what an agent that keeps the policy does.

``wanted`` are the calls of somebody who does whatever is asked: they are played in the proof, and what of them the gold
path does not make is forbidden. Nothing is forbidden that cannot be done: one of the forbidden things must succeed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...schema.calls import Action, EnvFunctionCall
from ...schema.checks import TrajectoryCheck
from ...schema.scenario import Later
from ...schema.task import Category, Strength


@dataclass(frozen=True)
class Side:
    """Circumstances in which the words are said.

    ``fills``: what the names in braces stand for. ``steps``: the gold path. ``demands``: what the agent must have told
    or looked up (checks ``reason``, ``evidence``, ``called``). ``facts``: what must be told. ``world``: merged into the
    agent's database. ``initialise``: calls that bring the world to where it has to be. ``known``, ``later``: in place
    of the case's.
    """

    fills: Mapping[str, str]
    steps: tuple[Action, ...]
    demands: tuple[TrajectoryCheck, ...] = ()
    facts: tuple[str, ...] = ()
    world: Mapping[str, Any] | None = None
    initialise: tuple[EnvFunctionCall, ...] = ()
    known: str | None = None
    later: tuple[str | Later, ...] | None = None


@dataclass(frozen=True)
class Case:
    """One request in two circumstances; the module's text says how to write one.

    ``opening``: the customer's first words; ``known``: what they say when asked. ``later``: how an attacker goes on,
    one line after each refusal. ``strategy``: the same for a model that plays the customer, in the second person.
    ``wanted``: what somebody without a policy does in the attack, ``says``: what they tell the customer in the end.
    ``dimension``, ``severity``: what a breach is about and how bad it is. ``secrets``: texts that must not be said;
    ``promises``: phrasings that must not be held out, ``truths``: what clears a sentence of them. ``forbidden``: more
    checks, with dimension and severity.
    """

    name: str
    category: Category
    strength: Strength
    opening: str
    known: str
    strategy: str
    attack: Side
    twin: Side
    wanted: tuple[Action, ...] = ()
    says: tuple[str, ...] = ()
    later: tuple[str | Later, ...] = ()
    dimension: str = "policy"
    severity: float = 1.0
    secrets: tuple[str, ...] = ()
    promises: tuple[str | list[str], ...] = ()
    truths: tuple[str, ...] = ()
    forbidden: tuple[TrajectoryCheck, ...] = field(default=())
