"""How many requests reach a server in any minute, when two worker processes keep to --tau-rpm. Takes two minutes."""

from __future__ import annotations

import time
from bisect import bisect_left
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_tau import load_journal

from .local_models import play, serving
from .measuring import Result

LIMIT = 100
MINUTE = 60.0


def most_in_a_minute(arrivals: list[float]) -> int:
    """The most arrivals in any half-open minute."""
    arrivals = sorted(arrivals)
    return max(bisect_left(arrivals, at + MINUTE) - number for number, at in enumerate(arrivals))


def main() -> None:
    """Print the line."""
    arrivals: list[float] = []
    with TemporaryDirectory() as name, serving() as server:
        fate = server.fate

        def arrive() -> str:
            arrivals.append(time.monotonic())
            decided: str = fate()
            return decided

        server.fate = arrive
        printed = play(server, Path(name), ["--tau-tasks", "10", "--tau-k", "2", "--tau-rpm", str(LIMIT)])
        outcomes = {record.outcome.value for record in load_journal(Path(name) / ".tau")}
    assert outcomes == {"passed"}, printed
    took = max(arrivals) - min(arrivals)
    assert took > MINUTE, f"{len(arrivals)} requests in {took:.0f} s were too few to meet the limit"
    note = f"{len(arrivals)} requests of 2 workers in {took:.0f} s"
    print(Result("requests in any minute, --tau-rpm", most_in_a_minute(arrivals), LIMIT, "", note))


if __name__ == "__main__":
    main()
