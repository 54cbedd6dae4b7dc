"""Keys under which the plugin keeps things on pytest's objects, and the names that several of its modules know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from ...journal import JournalWriter
    from ...schema.simulation import Simulation
    from ...schema.task import Task
    from ..playing.models import Models
    from ..playing.running import TrialHandle, TrialRunner
    from ..reporting.controller import Controller
    from ..workers.spool import TrialSpool

ATTRIBUTE = "tau"  # of a report, for the trial that travels on it
NOT_RUN = "tau_not_run"  # of a report, for the reason why a trial was not begun
SNAPSHOT = "tau_snapshot"  # of a report, for the comparison that does
BUILTIN, PUBLIC = "tau", "tau2"  # how the node IDs of suites begin that are not the project's
CONTROLLER: pytest.StashKey[Controller] = pytest.StashKey()
MODELS: pytest.StashKey[Models] = pytest.StashKey()
# Of an item: its conversation, from its end until the trial is finished.
PLAYED: pytest.StashKey[Simulation | None] = pytest.StashKey()
HANDLE: pytest.StashKey[TrialHandle] = pytest.StashKey()
RUNNER: pytest.StashKey[TrialRunner] = pytest.StashKey()
RUN: pytest.StashKey[Path] = pytest.StashKey()
SPOOL: pytest.StashKey[TrialSpool] = pytest.StashKey()
JOURNAL: pytest.StashKey[JournalWriter] = pytest.StashKey()
DONE: pytest.StashKey[set[str]] = pytest.StashKey()
RESCORED: pytest.StashKey[Path] = pytest.StashKey()
RESCORED_TASKS: pytest.StashKey[dict[tuple[str, str], Task]] = pytest.StashKey()
