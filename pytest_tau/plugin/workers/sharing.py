"""Lets reports share what is the same in them: pytest's terminal keeps all reports to the end of a run.

A report that comes from a worker has a copy of its own of every text in it, and a test has three reports.
"""

from __future__ import annotations

from sys import intern
from typing import Any

import pytest

_LONGEST = 500


class SharedParts:
    """What the reports so far have in common."""

    def __init__(self) -> None:
        self._before: dict[str, dict[str, Any]] = {}
        self._pairs: dict[Any, Any] = {}

    def share(self, report: pytest.TestReport) -> None:
        """Let a report have what an earlier one has, where it is equal."""
        held, before = vars(report), self._before.get(report.nodeid, {})
        for name, value in held.items():  # in place: so the reports share the table of their attributes' names, too
            held[name] = self._part(value, before.get(name))
        if report.when == "teardown":
            self._before.pop(report.nodeid, None)
        elif not before:
            self._before[report.nodeid] = held

    def _part(self, value: Any, before: Any) -> Any:
        if type(value) is str:
            return intern(value) if len(value) <= _LONGEST else value
        if type(value) is list:  # of pairs, as user properties are; a list may be added to, so each keeps its own
            return [self._pairs.setdefault(one, one) if _is_pair(one) else one for one in value]
        if type(value) is dict and all(type(name) is str for name in value):
            return before if value == before else {intern(name): one for name, one in value.items()}
        return before if before is not None and type(value) is type(before) and value == before else value


def _is_pair(value: Any) -> bool:
    return type(value) is tuple and len(value) == 2 and all(type(one) in (str, int) for one in value)
