"""Our own journals: a trial a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...journal import PackedTexts, is_graded, simulation_id, version_problem
from ...schema.record import TrialRecord
from ..logged import LoggedConversation, Part, Unread
from .building import each

NAME = "journal"


def recognises(value: Any) -> bool:
    """Whether it is a line of a journal."""
    return isinstance(value, Mapping) and "nodeid" in value and "outcome" in value


def conversations(parts: Sequence[Part]) -> Iterator[LoggedConversation | Unread]:
    """One for each trial that was played; a later line of a trial takes the place of an earlier one.

    Not so that of a conversation whose grade is known already: spools, which stand behind the journal, have it as well.
    """
    texts = PackedTexts(hold=True)
    last, graded = {}, set()
    for part in parts:
        trial = part.value
        if (problem := version_problem(trial)) is not None:
            yield Unread(part.where, problem)
        elif not texts.expand(trial):
            yield Unread(part.where, "names a text that stands further up in its journal; give the whole journal")
        elif trial.get("simulation") is not None and (is_graded(trial) or simulation_id(trial) not in graded):
            last[trial["nodeid"]] = part
            graded |= {simulation_id(trial)} if is_graded(trial) else set()
    yield from each(last.values(), _read)


def _read(part: Part) -> LoggedConversation:
    record = TrialRecord.model_validate(part.value)
    played = record.simulation
    messages = [] if played is None else played.messages
    meta = {
        "format": NAME,
        "where": part.where,
        "domain": record.domain,
        "task_id": record.task_id,
        "trial": record.trial,
        "reward": record.reward.value if record.reward else None,
        "ended": played.termination_reason.value if played else None,
        "nodeid": record.nodeid,
    }
    known = {key: value for key, value in meta.items() if value is not None}
    return LoggedConversation(f"{record.task_id}-{record.trial}", messages, known)
