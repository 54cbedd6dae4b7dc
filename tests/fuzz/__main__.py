"""``python -m tests.fuzz [--seconds 3600] [--seed N] [--reader NAME]``: prints each input that is not refused well."""

import argparse
import itertools
import resource
import sys
import tempfile
from pathlib import Path

from pytest_tau.clock import monotonic

from .readers import READERS
from .trying import problem_with

MOST_SECONDS, MOST_MEMORY = 1.0, 100_000_000


def main() -> int:
    """Go on until the time is over; returns 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reader", choices=[read.__name__ for read in READERS])
    chosen = parser.parse_args()
    readers = [read for read in READERS if chosen.reader in (None, read.__name__)]
    end, tried, found = monotonic() + chosen.seconds, 0, set()
    with tempfile.TemporaryDirectory() as folder:
        for number in itertools.count():
            for read in readers:
                seed, most = f"{read.__name__} {chosen.seed} {number}", _most_memory()
                problem, seconds = problem_with(read, seed, Path(folder, "input"))
                more = _most_memory() - most
                tried += 1
                if problem is None and number and seconds > MOST_SECONDS:  # the first one imports
                    problem = f"took {seconds:.1f} s"
                if problem is None and number and more > MOST_MEMORY:
                    problem = f"took {more / 1e6:.0f} MB"
                if problem is not None and (read, problem) not in found:
                    found.add((read, problem))
                    sys.stdout.write(f"{seed}: {problem}\n")
            if monotonic() > end:
                break
    sys.stdout.write(f"{tried} inputs, {len(found)} different problems\n")
    return 1 if found else 0


def _most_memory() -> int:
    """The bytes that this process has held at most; counting those of each input takes longer than all else."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    sys.exit(main())
