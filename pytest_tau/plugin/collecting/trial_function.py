"""The one test function that every collected task runs.

Fixtures do not live here: pytest would look for them in this module for every task file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..playing.handle import TrialHandle

__test__ = True


def test_task(tau_trial: TrialHandle) -> None:
    """Play one trial of a task and grade it."""
    tau_trial.verify()
