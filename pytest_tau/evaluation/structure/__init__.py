"""What structure shows of a conversation without a model and with hardly any language: terms, claims, figures, loops.

    from pytest_tau.evaluation.structure import findings

``consent``, ``terms`` and ``claims`` are breaches, and stand among the violations of a grade as well. ``figures`` that
are told are unclear there. ``stalled`` is reported and spoils nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...environment.domain import Domain
from ...environment.environment import Environment
from ...schema.calls import render_call
from ...schema.messages import AnyMessage
from ...schema.task import Task
from ...schema.transcript import Transcript, calls_made
from ..language.consent import agreement
from ..language.told import untrue_sentences
from ..language.told.deeds import first_false
from ..language.told.figures import called_from_nowhere, from_nowhere
from .stalled import stalls

KINDS = ("consent", "terms", "claims", "figures", "stalled")


class StructureFinding(NamedTuple):
    """What was found: its kind, the message that shows it (from 0), what was said or called there, and why."""

    kind: str
    turn: int
    text: str
    why: str


def findings(task: Task, messages: Sequence[AnyMessage], domain: Domain) -> list[StructureFinding]:
    """What structure shows of the agent in a conversation, in the order of its turns.

    Args:
        task: the task that was played.
        messages: the conversation.
        domain: its domain; it tells which tools change something.
    """
    told, env = Transcript(messages), domain.environment()
    found = [
        *_consent(told, env),
        *_claims(told, env),
        *(
            StructureFinding("figures", one.turn, one.sentence, f"nothing before shows {one.figure}")
            for look in (from_nowhere, called_from_nowhere)
            for one in look(told, domain.policy_for(solo=False, task=task))
        ),
        *(
            StructureFinding("stalled", one.turn, one.text, f"{one.times} times, with the same result")
            for one in stalls(told)
        ),
    ]
    return sorted(dict.fromkeys(found), key=lambda one: one.turn)


def _consent(messages: Transcript, env: Environment) -> Iterator[StructureFinding]:
    for turn, call, _ in calls_made(messages):
        if call.requestor == "assistant" and env.writes(call.name, call.requestor):
            given = agreement(messages, turn, call, env=env)
            if given == "no":
                kind = "terms" if given.other_terms else "consent"
                yield StructureFinding(kind, turn, render_call(call.name, call.arguments), given.why)


def _claims(messages: Transcript, env: Environment) -> Iterator[StructureFinding]:
    _, claim = first_false(messages, env)
    if claim is not None:
        yield StructureFinding("claims", claim.turn, claim.sentence, "no call has done it")
    for one in untrue_sentences(messages, env):
        yield StructureFinding("claims", one.turn, one.sentence, one.why)
