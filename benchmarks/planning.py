"""Whether ``pytest-tau plan`` is right: the power at its smallest drop, and how often an unchanged agent is held.

Simulated pairs of runs, compared as the gate "no regression" does. The power should be that of the plan, 80 %.

    python -m benchmarks.planning [PAIRS]
"""

from __future__ import annotations

import random
import sys

from pytest_tau.metrics.compare import compare
from pytest_tau.metrics.plan import Design, chance_of_holding, detectable

DESIGNS = (
    (50, 4, 0.8, 0.5),
    (50, 1, 0.8, 0.5),
    (24, 4, 0.8, 0.5),
    (24, 4, 0.7, 0.5),
    (12, 4, 0.7, 0.4),
    (12, 1, 0.7, 0.5),
)


def simulated(design: Design, drop: float, pairs: int) -> tuple[float, float]:
    """How often a regression is found by the test of the mean, and how often the gate is held."""
    rng, size, found, kept = random.Random(1), 1 / design.icc - 1, 0, 0
    for _ in range(pairs):
        before, after = {}, {}
        for task in map(str, range(design.tasks)):
            rate = rng.betavariate(design.rate * size, (1 - design.rate) * size)
            later = rate * (1 - drop / design.rate)
            before[task] = (sum(rng.random() < rate for _ in range(design.trials)), design.trials)
            after[task] = (sum(rng.random() < later for _ in range(design.trials)), design.trials)
        comparison = compare(before, after)
        assert comparison is not None
        found += comparison.p_worse <= design.alpha
        kept += comparison.no_regression is True
    return 100 * found / pairs, 100 * kept / pairs


def main(pairs: int) -> None:
    """Print a line for each design."""
    for tasks, trials, rate, icc in DESIGNS:
        design = Design(tasks, trials, rate=rate, icc=icc)
        drop = detectable(design)
        power = simulated(design, drop, pairs)[0] if drop else 0.0
        kept = simulated(design, 0.0, pairs)[1]
        points = "none" if drop is None else f"{100 * drop:.1f} points"
        print(
            f"{tasks} tasks x {trials}, {rate:.0%}, ICC {icc}: smallest drop {points}, found in {power:.1f} %; "
            f"held if unchanged {100 * chance_of_holding(design):.0f} % planned, {kept:.1f} % simulated"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
