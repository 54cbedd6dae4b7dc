"""What is refused before any trial is played: what cannot be, and what nothing would follow."""

from __future__ import annotations

import pytest

from ..collecting.ways import check_ways
from ..playing.players import check_players, check_services
from ..recording.resuming import check_resume
from ..run import Run
from ..workers.hosts import check_hosts
from .early_stop import check_stop
from .gates import check_gates
from .written_files import check_exports


def check(run: Run) -> None:
    """Raise UsageError with one sentence for what cannot be done as it is asked for."""
    check_hosts(run)
    check_players(run)
    check_ways(run)
    check_gates(run)
    check_stop(run)
    _check_user_seeds(run)
    check_resume(run)
    check_exports(run)
    check_services(run)


def _check_user_seeds(run: Run) -> None:
    """Refuse numbers of trials that cannot be divided among the customers."""
    customers, k = run.settings.user_seeds, run.settings.k
    if customers is not None and (k % customers or k < 2 * customers):
        raise pytest.UsageError(
            f"--tau-user-seeds {customers}: each customer must meet two trials or more, and as many: "
            f"run with --tau-k {2 * customers} or {3 * customers}"
        )
