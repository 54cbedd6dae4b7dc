"""The one test function that every recorded conversation runs; like ``trial_function``, it holds no fixtures."""

from __future__ import annotations

from ..playing.handle import TrialHandle

__test__ = True


def test_task(tau_recording: TrialHandle) -> None:
    """Grade a recorded conversation again."""
    tau_recording.verify()
