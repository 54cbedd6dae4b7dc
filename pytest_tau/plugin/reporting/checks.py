"""What is refused before any trial is played: what cannot be, and what nothing would follow."""

from __future__ import annotations

from ..playing.players import check_players
from ..recording.resuming import check_resume
from ..run import Run
from ..workers.hosts import check_hosts
from .gates import check_gates


def check(run: Run) -> None:
    """Raise UsageError with one sentence for what cannot be done as it is asked for."""
    check_hosts(run)
    check_players(run)
    check_gates(run)
    check_resume(run)
