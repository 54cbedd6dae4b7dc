"""Refuses options of other plugins that play a trial more than once or lose what it has recorded."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

_RERUNS = "--reruns plays missed trials again until they pass, so no rate is right and no gate can hold: leave it out"
_FORKED = "--forked plays each trial in a process of its own and loses its record when that process ends: use -n N"
_REPEATED = "{}: pytest-repeat plays the same trial again with the same seed, which measures nothing new: use --tau-k"
_REPEAT = re.compile(r"trial[1-9]\d*-\d+-\d+\]$")


def refuse_repeats(config: pytest.Config, nodeids: Iterable[str] = ()) -> None:
    """Raise UsageError where trials would be repeated; ``nodeids``: of the tests that are about to run."""
    if repeated := next((nodeid for nodeid in nodeids if _REPEAT.search(nodeid)), None):
        raise pytest.UsageError(_REPEATED.format(repeated))
    if any(getattr(config.option, name, None) for name in ("reruns", "force_reruns")) or _by_ini(config):
        raise pytest.UsageError(_RERUNS)
    if getattr(config.option, "forked", False):
        raise pytest.UsageError(_FORKED)


def _by_ini(config: pytest.Config) -> bool:
    """Whether a project's ini file asks pytest-rerunfailures for reruns."""
    try:
        return int(config.getini("reruns") or 0) > 0
    except (ValueError, KeyError, TypeError):
        return False  # that plugin is not there
