"""The order of a suite in a run's folder: trials arrive as they end, and are read in the order of their tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..files import write_whole
from ..metrics.tally import TRIAL

if TYPE_CHECKING:
    from ..schema.record import TrialRecord

_FILE = "order.json"


def keep_order(run: Path, tests: Sequence[str]) -> None:
    """Write the tests of tasks, up to the trial's number, as they were collected; raises OSError."""
    write_whole(run / _FILE, json.dumps(tests, ensure_ascii=False) + "\n")


def order_of(run: Path) -> list[str]:
    """The tests of a run in their order, none where it is not known."""
    with suppress(OSError, ValueError, RecursionError):
        found = json.loads((run / _FILE).read_text(encoding="utf-8"))
        if isinstance(found, list):
            return [str(one) for one in found]
    return []


def in_order(records: Iterable[TrialRecord], tests: Iterable[str]) -> list[TrialRecord]:
    """Trials in the order of their tests, whichever worker had them when; of tests that are not known, last."""
    place = {test: number for number, test in enumerate(tests)}

    def where(record: TrialRecord) -> tuple[int, int]:
        found = TRIAL.match(record.nodeid)
        return place.get(found["task"], len(place)) if found else len(place), record.trial

    return sorted(records, key=where)
