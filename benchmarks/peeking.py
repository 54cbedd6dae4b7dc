"""What looking more often than once costs, where nothing has changed: simulated runs of 50 tasks x 4, 80 %, ICC 1/3.

python -m benchmarks.peeking [PAIRS]
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence

from pytest_tau.metrics.compare import Comparison, Verdict, compare

TASKS, TRIALS, RATE, SIZE = 50, 4, 0.80, 2.0
Run = dict[str, tuple[int, int]]


def played(rates: Sequence[float], rng: random.Random, trials: int = TRIALS) -> Run:
    """A run of these tasks."""
    return {str(task): (sum(rng.random() < rate for _ in range(trials)), trials) for task, rate in enumerate(rates)}


def share(run: Run) -> float:
    """pass^1 of a run."""
    return sum(passed / trials for passed, trials in run.values()) / len(run)


def compared(before: Run, after: Run) -> Comparison:
    """The comparison of two runs."""
    found = compare(before, after)
    assert found is not None
    return found


def main(pairs: int) -> None:
    """Print a line for each habit."""
    rng = random.Random(1)
    once = thrice = looks = best = green = green_of_three = 0
    for _ in range(pairs):
        rates = [rng.betavariate(RATE * SIZE, (1 - RATE) * SIZE) for _ in range(TASKS)]
        before, runs = played(rates, rng), [played(rates, rng) for _ in range(3)]
        alarms = [compared(before, run).verdict is Verdict.WORSE for run in runs]
        once += alarms[0]
        thrice += any(alarms)
        growing = [[rng.random() < rate for _ in range(TRIALS)] for rate in rates]
        looks += any(
            compared(before, {str(n): (sum(each[:k]), k) for n, each in enumerate(growing)}).verdict is Verdict.WORSE
            for k in range(1, TRIALS + 1)
        )
        blessed = max((played(rates, rng) for _ in range(5)), key=share)
        best += compared(blessed, runs[0]).verdict is Verdict.WORSE
        later = [rate * (1 - 0.10 / RATE) for rate in rates]
        kept = [compared(before, played(later, rng)).no_regression is True for _ in range(3)]
        green += kept[0]
        green_of_three += any(kept)
    for what, count in (
        ("no change, one run: called a regression", once),
        ("no change, three fresh runs: any called a regression", thrice),
        ("no change, one run looked at after each of four rounds at 5 %: called a regression", looks),
        ("no change, the best of five runs blessed: called a regression", best),
        ("10 points worse, one run: held", green),
        ("10 points worse, run again up to three times until held", green_of_three),
    ):
        print(f"{what} {100 * count / pairs:.1f} %")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
