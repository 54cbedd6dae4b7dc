"""How often the intervals hold the truth: 240 simulated worlds, for both questions that a run can answer.

Worlds: 10, 20, 50, 114 tasks; 1, 2, 4, 8 trials; mean rates of 50, 70, 80, 90 and 95 %; ICC 0.1, 1/3 and 1/2. "Tasks
like these" is measured against the mean of the distribution that tasks are drawn from, "these tasks" against the mean
of their own rates, differences (at 90 %) against a true drop of 5 points.

    python -m benchmarks.intervals [RUNS]
"""

from __future__ import annotations

import itertools
import random
import sys
from statistics import fmean, median

from pytest_tau.metrics.compare import unit_of
from pytest_tau.metrics.intervals import Interval, paired_interval, pass_k_interval, these_tasks_interval, wilson

TASKS, TRIALS, RATES, ICCS = (10, 20, 50, 114), (1, 2, 4, 8), (0.5, 0.7, 0.8, 0.9, 0.95), (0.1, 1 / 3, 0.5)
DROP = 0.05
NAMES = ("tasks like these", "these tasks", "Wilson over tasks", "difference")


def world(tasks: int, trials: int, rate: float, icc: float, runs: int) -> dict[str, tuple[float, float]]:
    """How often each interval holds the truth in one world, and its mean width; those that exist there."""
    rng, size = random.Random(f"{tasks} {trials} {rate} {icc}"), 1 / icc - 1
    held: dict[str, list[tuple[bool, float]]] = {}

    def note(name: str, interval: Interval | None, truth: float) -> None:
        if interval is not None:
            inside = interval.low <= truth <= interval.high
            held.setdefault(name, []).append((inside, interval.high - interval.low))

    for _ in range(runs):
        rates = [rng.betavariate(rate * size, (1 - rate) * size) for _ in range(tasks)]
        run, later = (
            [sum(rng.random() < kept * each for _ in range(trials)) for each in rates] for kept in (1, 1 - DROP / rate)
        )
        pairs = [(passed, trials) for passed in run]
        note("tasks like these", pass_k_interval(pairs, 1), rate)
        note("these tasks", these_tasks_interval(pairs), fmean(rates))
        note("Wilson over tasks", Interval(*wilson(sum(run) / tasks / trials, tasks)), rate)
        differences = [(new - old) / trials for old, new in zip(run, later, strict=True)]
        note("difference", Interval(*paired_interval(differences, unit_of(1, trials)).bounds(0.9)), -DROP)
    return {
        name: (fmean(inside for inside, _ in all_), fmean(width for _, width in all_)) for name, all_ in held.items()
    }


def main(runs: int) -> None:
    """Print a line for each interval and number of tasks."""
    found = {key: world(*key, runs) for key in itertools.product(TASKS, TRIALS, RATES, ICCS)}
    for name in NAMES:
        for tasks in (None, *TASKS):
            rows = [each[name] for key, each in found.items() if tasks in (None, key[0]) and name in each]
            covered = [100 * share for share, _ in rows]
            where = "all worlds" if tasks is None else f"{tasks} tasks"
            print(
                f"{name}, {where}: covers {min(covered):.1f} to {max(covered):.1f} %, median {median(covered):.1f}, "
                f"mean {fmean(covered):.1f}; mean width {100 * fmean(width for _, width in rows):.1f} points"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
