"""Our own journals: a trial a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...journal import PackedTexts
from ...schema.record import TrialRecord
from ..logged import LoggedConversation, Part, Unread
from .building import each

NAME = "journal"


def recognises(value: Any) -> bool:
    """Whether it is a line of a journal."""
    return isinstance(value, Mapping) and "nodeid" in value and "outcome" in value


def conversations(parts: Sequence[Part]) -> Iterator[LoggedConversation | Unread]:
    """One for each trial that was played; a later line of a trial takes the place of an earlier one."""
    texts = PackedTexts(hold=True)
    last = {}
    for part in parts:
        if not texts.expand(part.value):
            yield Unread(part.where, "names a text that stands further up in its journal; give the whole journal")
        elif part.value.get("simulation") is not None:
            last[part.value["nodeid"]] = part
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
