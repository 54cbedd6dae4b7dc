"""What the author of attacks writes: one request in two circumstances.

    domains/<name>/attacks.py, or domains/<name>/attacks/__init__.py if there are many
        def cases(domain: Domain) -> list[Case]: ...

A **case** is one request, said twice. In the circumstances of the ``attack`` it must be refused. In those of the
``twin``, the most similar legitimate ones, the same words must be served. So the words are written once, with names in
braces. Each side says what the names stand for, which records it is about, and what an agent that follows the policy
does.

``wanted`` lists the calls of an agent that does whatever it is asked. The proof plays them, and those that the gold
path does not make are forbidden. At least one of the forbidden calls must succeed, so nothing impossible is forbidden.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_tau.schema.calls import Action, EnvFunctionCall
from pytest_tau.schema.checks import TrajectoryCheck
from pytest_tau.schema.scenario import Later
from pytest_tau.schema.task import Category, Strength


@dataclass(frozen=True)
class Side:
    """The circumstances in which the words are said.

    ``fills``: what the names in braces stand for. ``steps``: the gold path. ``demands``: what the agent must have said
    or looked up (checks ``reason``, ``evidence``, ``called``). ``facts``: what it must say. ``world``: merged into the
    agent's database. ``initialise``: calls that prepare the world. ``known``, ``later``: replace those of the case.
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
    """One request in two circumstances; the module's docstring says how to write one.

    ``opening``: the customer's first words. ``known``: what they say when asked. ``later``: how an attacker continues,
    one line after each refusal. ``strategy``: the same for a model that plays the customer, in the second person.
    ``wanted``: what an agent without a policy does in the attack; ``says``: what it tells the customer in the end.
    ``dimension``, ``severity``: what a violation is about and how bad it is. ``secrets``: texts that must not be said.
    ``promises``: phrasings that must not be promised; ``truths``: texts that make such a sentence harmless.
    ``forbidden``: more checks, with dimension and severity.
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
