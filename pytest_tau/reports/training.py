"""A run as training data, JSON lines in the chat-completions shape, by the code that makes data sets."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..files import replacing
from ..schema.record import Outcome, TrialRecord
from .chat_rows import Row, chat_row, pair_row
from .telling import Teller

if TYPE_CHECKING:
    from ..schema.simulation import Simulation


def sft_rows(records: Iterable[TrialRecord], teller: Teller) -> Iterator[Row]:
    """Each trial that passed as a row, ``{"messages": […], "tools": […]}``; records are not kept."""
    passed = (record.simulation for record in records if record.outcome is Outcome.PASSED)
    return (chat_row(teller.tell(played)) for played in passed if played)


def preference_rows(records: Iterable[TrialRecord], teller: Teller) -> Iterator[Row]:
    """Pairs of a passed and a missed trial of the same task as rows.

    A row is ``{"prompt": […], "chosen": […], "rejected": […], "tools": […]}``; the prompt is what both conversations
    have in common from the start. Each conversation stands in one pair at most. Records are kept that wait for a
    counterpart.
    """
    pairs = (pair_row(teller.tell(passed), teller.tell(missed)) for passed, missed in _match_pairs(records))
    return (pair for pair in pairs if pair is not None)


def write_rows(rows: Iterable[Row], path: str | Path) -> None:
    """Write rows as JSON lines."""
    with replacing(path) as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def _match_pairs(records: Iterable[TrialRecord]) -> Iterator[tuple[Simulation, Simulation]]:
    """Each passed trial with a missed one of its task, first come first served."""
    opposite = {Outcome.PASSED: Outcome.MISSED, Outcome.MISSED: Outcome.PASSED}
    waiting: dict[tuple[str, str, Outcome], deque[Simulation]] = defaultdict(deque)
    for record in records:
        if record.outcome not in opposite or record.simulation is None:
            continue
        others = waiting[record.domain, record.task_id, opposite[record.outcome]]
        if not others:
            waiting[record.domain, record.task_id, record.outcome].append(record.simulation)
            continue
        pair = {record.outcome: record.simulation, opposite[record.outcome]: others.popleft()}
        yield pair[Outcome.PASSED], pair[Outcome.MISSED]
