"""How often the gate "no regression" is wrong: simulated pairs of runs, and pairs of runs that were really played.

Simulated: 50 tasks, 4 trials each, mean success rate 80 %, task rates from a Beta distribution (ICC 1/3). Played: the
50 tasks of our suites retail, airline and mock with the faulty agent, whose rate of mistakes is set for these numbers.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

from benchmarks.measuring import Result
from pytest_tau import grade, load_domain, load_tasks, simulate
from pytest_tau.agents.names import named_agent
from pytest_tau.metrics.compare import compare

PAIRS, PLAYED, TASKS, TRIALS = 2000, 30, 50, 4
RATE, DROP, SIZE = 0.80, 0.15, 2.0
FALSE_ALARMS, OVERLOOKED = 6.0, 10.0
SUITES = ("retail", "airline", "mock")

Run = dict[str, tuple[int, int]]


def simulated(pairs: int, drop: float, seed: int) -> Iterable[tuple[Run, Run]]:
    """Pairs of runs of one agent, the later one worse by ``drop`` on average."""
    rng = random.Random(seed)
    for _ in range(pairs):
        rates = [rng.betavariate(RATE * SIZE, (1 - RATE) * SIZE) for _ in range(TASKS)]
        yield _drawn(rates, rng), _drawn([rate * (1 - drop / RATE) for rate in rates], rng)


def _drawn(rates: Iterable[float], rng: random.Random) -> Run:
    return {str(task): (sum(rng.random() < rate for _ in range(TRIALS)), TRIALS) for task, rate in enumerate(rates)}


def played(rate: float, seed: int) -> Run:
    """A run of the faulty agent, as ``--tau-agent faulty:rate=… --tau-seed …`` plays it."""
    run: Run = {}
    for name in SUITES:
        domain = load_domain(name)
        for task in load_tasks(name):
            agent = named_agent(f"faulty:rate={rate}", None)(task, domain)
            passed = sum(
                grade(task, simulate(task, domain, agent, trial=trial, seed=seed), domain).passed
                for trial in range(1, TRIALS + 1)
            )
            run[f"{name}/{task.id}"] = (passed, TRIALS)
    return run


def share(run: Run) -> float:
    """pass^1 of a run."""
    return sum(passed for passed, _ in run.values()) / sum(trials for _, trials in run.values())


def regressions(pairs: Iterable[tuple[Run, Run]]) -> float:
    """The percentage of pairs in which the gate calls a regression."""
    called = []
    for before, after in pairs:
        found = compare(before, after)
        assert found is not None
        called.append(found.no_regression is False)
    return 100 * sum(called) / len(called)


def main() -> None:
    """Print a line for each rate."""
    what = f"{PAIRS} simulated pairs"
    print(Result("no change, called a regression", regressions(simulated(PAIRS, 0, 1)), FALSE_ALARMS, "%", what))
    missed = 100 - regressions(simulated(PAIRS, DROP, 2))
    print(Result("15 points worse, not called one", missed, OVERLOOKED, "%", what))
    # What share of its mistakes costs the agent the trial decides how many it must make.
    costly = 1 - share(played(1.0, 0))
    before = [played((1 - RATE) / costly, 1 + seed) for seed in range(PLAYED)]
    again = [played((1 - RATE) / costly, 1001 + seed) for seed in range(PLAYED)]
    worse = [played((1 - RATE + DROP) / costly, 2001 + seed) for seed in range(PLAYED)]
    means = [100 * sum(map(share, runs)) / PLAYED for runs in (before, again, worse)]
    what = f"{PLAYED} played pairs, pass^1 {means[0]:.1f} % and "
    alarms = regressions(zip(before, again, strict=True))
    print(Result("no change, called a regression", alarms, FALSE_ALARMS, "%", f"{what}{means[1]:.1f} %"))
    missed = 100 - regressions(zip(before, worse, strict=True))
    print(Result("15 points worse, not called one", missed, OVERLOOKED, "%", f"{what}{means[2]:.1f} %"))


if __name__ == "__main__":
    main()
