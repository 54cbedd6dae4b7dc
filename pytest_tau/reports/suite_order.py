"""Trials in the order of their suite."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..metrics.tally import TRIAL

if TYPE_CHECKING:
    from ..schema.record import TrialRecord


def in_order(records: Iterable[TrialRecord], tests: Iterable[str]) -> list[TrialRecord]:
    """Trials in the order of their tests, whichever worker had them when; of tests that are not known, last."""
    place = {test: number for number, test in enumerate(tests)}

    def where(record: TrialRecord) -> tuple[int, int]:
        found = TRIAL.match(record.nodeid)
        return place.get(found["task"], len(place)) if found else len(place), record.trial

    return sorted(records, key=where)
