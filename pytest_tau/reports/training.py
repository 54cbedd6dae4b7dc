"""Writes a run as training data, JSON lines in the chat-completions shape, by the code that makes data sets."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..files import replacing
from ..schema.record import Outcome, TrialRecord
from .chat_rows import chat_row, pair_row
from .telling import Teller

if TYPE_CHECKING:
    from ..environment.domain import Domain
    from ..schema.simulation import Simulation
    from ..schema.task import Task


def write_sft(
    records: Iterable[TrialRecord],
    path: str | Path,
    *,
    domains: Mapping[str, Domain],
    tasks: Mapping[tuple[str, str], Task] | None = None,
) -> int:
    """Write each trial that passed as one line, ``{"messages": […], "tools": […]}``; returns how many.

    Args:
        records: the trials, read once and not kept.
        path: the file to write.
        domains: the domains they ran in, by name, for policy and tools.
        tasks: the tasks by domain and id, for the tickets of solo runs.
    """
    passed = (record.simulation for record in records if record.outcome is Outcome.PASSED)
    teller = Teller(domains, tasks or {})
    return _write(path, (chat_row(teller.tell(played)) for played in passed if played))


def write_preferences(
    records: Iterable[TrialRecord],
    path: str | Path,
    *,
    domains: Mapping[str, Domain],
    tasks: Mapping[tuple[str, str], Task] | None = None,
) -> int:
    """Write pairs of a passed and a missed trial of the same task; returns how many.

    A line is ``{"prompt": […], "chosen": […], "rejected": […], "tools": […]}``; the prompt is what both conversations
    have in common from the start. Each conversation stands in one pair at most.

    Args:
        records: the trials, read once; those that wait for a counterpart are kept.
        path: the file to write.
        domains: the domains they ran in, by name, for policy and tools.
        tasks: the tasks by domain and id, for the tickets of solo runs.
    """
    teller = Teller(domains, tasks or {})
    pairs = (pair_row(teller.tell(passed), teller.tell(missed)) for passed, missed in _match_pairs(records))
    return _write(path, (pair for pair in pairs if pair is not None))


def _write(path: str | Path, lines: Iterable[dict[str, Any]]) -> int:
    written = 0
    with replacing(path) as file:
        for line in lines:
            file.write(json.dumps(line) + "\n")
            written += 1
    return written


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
