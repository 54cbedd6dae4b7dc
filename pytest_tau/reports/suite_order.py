"""What a run was to play, in its folder: how many trials of which tests. Trials are read in the order of these."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..files import write_whole
from ..metrics.tally import TRIAL

if TYPE_CHECKING:
    from ..schema.record import TrialRecord

_FILE = "order.json"


def keep_plan(run: Path, planned: Mapping[str, int]) -> None:
    """Write the tests of tasks, up to the trial's number, as they were collected, with their trials; raises OSError."""
    write_whole(run / _FILE, json.dumps(planned, ensure_ascii=False) + "\n")


def plan_of(run: Path) -> dict[str, int]:
    """The tests of a run in their order, with how many trials of each there were to be; none where it is not known."""
    with suppress(OSError, ValueError, RecursionError):
        found = json.loads((run / _FILE).read_text(encoding="utf-8"))
        if isinstance(found, list):  # as runs were kept that are to be gone on with: how many trials nobody knows
            return {str(one): 0 for one in found}
        if isinstance(found, dict) and all(type(trials) is int for trials in found.values()):
            return found
    return {}


def in_order(records: Iterable[TrialRecord], tests: Iterable[str]) -> list[TrialRecord]:
    """Trials in the order of their tests, whichever worker had them when; of tests that are not known, last."""
    place = {test: number for number, test in enumerate(tests)}

    def where(record: TrialRecord) -> tuple[int, int]:
        found = TRIAL.match(record.nodeid)
        return place.get(found["task"], len(place)) if found else len(place), record.trial

    return sorted(records, key=where)
