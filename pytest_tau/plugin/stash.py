"""Keys under which the plugin keeps things on pytest's objects, and the name of what travels on reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .controller import Controller
    from .models import Models
    from .running import TrialHandle, TrialRunner
    from .spool import TrialSpool

ATTRIBUTE = "tau"
CONTROLLER: pytest.StashKey[Controller] = pytest.StashKey()
MODELS: pytest.StashKey[Models] = pytest.StashKey()
HANDLE: pytest.StashKey[TrialHandle] = pytest.StashKey()
LIMITS_FOLDER: pytest.StashKey[Path] = pytest.StashKey()
RUNNER: pytest.StashKey[TrialRunner] = pytest.StashKey()
RUN: pytest.StashKey[Path] = pytest.StashKey()
SPOOL: pytest.StashKey[TrialSpool] = pytest.StashKey()
DONE: pytest.StashKey[set[str]] = pytest.StashKey()
