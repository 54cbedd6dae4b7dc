"""How often the 95 % intervals of *under policy* hold the truth where a judge that errs has read the trials.

Each world has tasks of its own difficulty, a judge of known sensitivity (0.6 to 0.95) and specificity (0.8 to 0.99) and
50 to 400 labels. The share of intervals that hold the true rate is printed for the rate with the judge's errors taken
out, for the same rate as judged, and for prediction-powered estimation from a labelled sample of the run.

    python benchmarks/run.py judge_coverage
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_tau.metrics.intervals import pass_k_interval
from pytest_tau.metrics.judge_errors import JudgeErrors, Trial, corrected_rate
from pytest_tau.metrics.prediction_powered import Graded, prediction_powered


@dataclass(frozen=True)
class World:
    """What is true: tasks and trials each, how often trials pass, how many of those break a rule that only a judge can
    see and how many are unclear at all, and how good the judge is."""

    tasks: int
    trials: int
    passing: float
    breaking: float
    unclear: float
    spread: float
    sensitivity: float
    specificity: float
    labels: int

    @property
    def truth(self) -> float:
        """The rate that is to be estimated."""
        return self.passing * (1 - self.unclear * self.breaking)


@dataclass(frozen=True)
class Coverage:
    """Shares of worlds whose interval held the truth, and the mean widths of the first two."""

    corrected: float
    uncorrected: float
    prediction_powered: float
    width: float
    width_uncorrected: float


def world(rng: random.Random) -> World:
    """One at random."""
    return World(
        tasks=rng.choice((20, 30, 60, 114)),
        trials=rng.choice((1, 2, 4)),
        passing=rng.uniform(0.4, 1.0),
        breaking=rng.uniform(0.05, 0.5),
        unclear=rng.choice((0.3, 0.6, 1.0)),
        spread=rng.choice((2.0, 10.0, 1e6)),
        sensitivity=rng.uniform(0.6, 0.95),
        specificity=rng.uniform(0.8, 0.99),
        labels=rng.randint(50, 400),
    )


def played(one: World, rng: random.Random) -> list[list[tuple[Trial, bool]]]:
    """For each task its trials, as graded and whether they truly kept the rules."""
    tasks = []
    for _ in range(one.tasks):
        passing, breaking = (_around(rate, one.spread, rng) for rate in (one.passing, one.breaking))
        trials: list[tuple[Trial, bool]] = []
        for _ in range(one.trials):
            if rng.random() >= passing:
                trials.append((0.0, False))
            elif rng.random() >= one.unclear:
                trials.append((1.0, True))
            else:
                broke = rng.random() < breaking
                called = rng.random() < (one.sensitivity if broke else 1 - one.specificity)
                trials.append((called, not broke))
        tasks.append(trials)
    return tasks


def _around(rate: float, spread: float, rng: random.Random) -> float:
    return rate if spread > 1e5 or rate >= 1.0 else rng.betavariate(rate * spread, (1 - rate) * spread)


def passport(one: World, rng: random.Random) -> JudgeErrors:
    """What labels say of the judge, half of them breaches."""
    breaches = one.labels // 2
    fines = one.labels - breaches
    found = sum(rng.random() < one.sensitivity for _ in range(breaches))
    return JudgeErrors(found, breaches, sum(rng.random() < one.specificity for _ in range(fines)), fines)


def coverage(worlds: int = 300, seed: int = 1, each: int = 1) -> Coverage:
    """How often the intervals hold the truth over so many worlds, each played so many times."""
    rng = random.Random(seed)
    held, wide, number = [0, 0, 0], [0.0, 0.0], 0
    for one in (world(rng) for _ in range(worlds)):
        for _ in range(each):
            tasks = played(one, rng)
            with_it = corrected_rate([[graded for graded, _ in task] for task in tasks], passport(one, rng))
            without = pass_k_interval([(sum(map(_kept, task)), len(task)) for task in tasks], 1)
            powered = _powered(tasks, min(one.labels, 100), rng)
            if with_it is None or without is None or powered is None:
                continue
            number += 1
            ends = ((with_it.low, with_it.high), (without.low, without.high), powered)
            for place, (low, high) in enumerate(ends):
                held[place] += low - 1e-12 <= one.truth <= high + 1e-12
            wide = [wide[0] + with_it.high - with_it.low, wide[1] + without.high - without.low]
    shares = [share / number for share in held]
    return Coverage(shares[0], shares[1], shares[2], wide[0] / number, wide[1] / number)


def _kept(trial: tuple[Trial, bool]) -> bool:
    graded = trial[0]
    return not graded if isinstance(graded, bool) else graded == 1.0


def _powered(
    tasks: Sequence[Sequence[tuple[Trial, bool]]], labels: int, rng: random.Random
) -> tuple[float, float] | None:
    """The interval from a labelled sample of what the judge has read: what it calls a breach, and the rest."""
    where = [(place, number) for place, task in enumerate(tasks) for number in range(len(task))]
    chosen: set[tuple[int, int]] = set()
    for called in (True, False):
        group = [at for at in where if tasks[at[0]][at[1]][0] is called]
        chosen |= set(rng.sample(group, min(len(group), labels // 2)))

    def graded(at: tuple[int, int]) -> Graded:
        trial = tasks[at[0]][at[1]]
        if not isinstance(trial[0], bool):
            return Graded(trial[0])
        return Graded(float(not trial[0]), f"called {trial[0]}", float(trial[1]) if at in chosen else None)

    found = prediction_powered(
        [[graded((place, number)) for number in range(len(task))] for place, task in enumerate(tasks)]
    )
    return None if found is None else (found.low, found.high)


def main() -> None:
    """Print the table."""
    worlds = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    found = coverage(worlds, each=20)
    print(f"{worlds} worlds, each 20 times; 95 % intervals that hold the truth:")
    print(f"  judge's errors taken out  {100 * found.corrected:.1f} %, mean width {100 * found.width:.1f} points")
    print(f"  as judged                 {100 * found.uncorrected:.1f} %, {100 * found.width_uncorrected:.1f} points")
    print(f"  prediction-powered        {100 * found.prediction_powered:.1f} %")


if __name__ == "__main__":
    main()
