"""What ``--tau-stop`` saves, and how often it decides otherwise than the whole run: simulated runs of 50 tasks × 4.

Comparisons: task rates from a Beta distribution with mean 80 % and ICC 1/3, a baseline of four trials a task; how often
a regression is called, stopped and played to the end. Rates: gates from far below to far above the true rate.

    python -m benchmarks.stopping [RUNS]
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping, Sequence

from pytest_tau.metrics.compare import compare
from pytest_tau.metrics.gate import parse_gate
from pytest_tau.metrics.gate_verdict import evaluate_all
from pytest_tau.metrics.stopping import Stopper
from pytest_tau.metrics.task_results import GateState, TaskResult

TASKS, TRIALS, RATE, SIZE = 50, 4, 0.80, 2.0
DROPS = (-0.10, 0.0, 0.05, 0.10, 0.15, 0.20)
Trials = Mapping[str, Sequence[bool]]


def draw(rates: Sequence[float], rng: random.Random) -> Trials:
    """A run: the trials of each task."""
    return {f"t{task}": [rng.random() < rate for _ in range(TRIALS)] for task, rate in enumerate(rates)}


def counts(run: Trials, row: str = "d") -> dict[str, tuple[int, int]]:
    """(passed, trials) of each task."""
    return {f"{row}/{task}": (sum(trials), len(trials)) for task, trials in run.items()}


def stopped(gate: str, run: Trials, baseline: Mapping[str, tuple[int, int]] | None = None) -> tuple[GateState, int]:
    """The verdict on a run that is played in rounds until it is decided, and the trials that took."""
    parsed = parse_gate(gate)
    stopper = Stopper([parsed], {task: ("d", task, TRIALS) for task in run}, baseline=baseline)
    played = 0
    for trial in range(TRIALS):
        for task, trials in run.items():
            played += 1
            worth = stopper.add(task, trial + 1, "passed" if trials[trial] else "missed")
            if worth and (found := stopper.look()) is not None:
                return found[0].state, played
    for decision in stopper.decisions:
        return decision.state, played
    results = [TaskResult("d", task, sum(trials), TRIALS, TRIALS) for task, trials in run.items()]
    return evaluate_all([parsed], results, baseline=baseline, alpha=stopper.final_alpha(parsed))[0].state, played


def comparisons(runs: int) -> None:
    """A line for each drop."""
    for gate in ("no regression", "no drop over 0.10"):
        for drop in DROPS:
            rng, fixed, early, trials = random.Random(1), [0, 0], [0, 0], 0
            for _ in range(runs):
                rates = [rng.betavariate(RATE * SIZE, (1 - RATE) * SIZE) for _ in range(TASKS)]
                later = [min(1.0, rate * (1 - drop / RATE)) for rate in rates]
                before, after = counts(draw(rates, rng)), draw(later, rng)
                whole = compare(before, counts(after))
                assert whole is not None
                answer = whole.no_regression if gate == "no regression" else whole.no_drop_over
                state, played = stopped(gate, after, before)
                fixed[0] += answer is False
                fixed[1] += answer is True
                early[0] += state is GateState.FAILED
                early[1] += state is GateState.HELD
                trials += played
            said = [f"{100 * number / runs:5.1f} %" for number in (fixed[0], early[0], fixed[1], early[1])]
            print(
                f"{gate}, true drop {100 * drop:+3.0f} points: failed {said[0]} whole {said[1]} stopped, "
                f"held {said[2]} whole {said[3]} stopped, {trials / runs:5.1f} of {TASKS * TRIALS} trials"
            )


def rates(runs: int) -> None:
    """A line for each gate."""
    for gate in ("pass^1 >= {}", "pass^4 >= {}", "lower(pass^1) >= {}"):
        for asked in (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95):
            text, rng, other, trials = gate.format(asked), random.Random(2), 0, 0
            for _ in range(runs):
                run = draw([rng.betavariate(RATE * SIZE, (1 - RATE) * SIZE) for _ in range(TASKS)], rng)
                results = [TaskResult("d", task, sum(each), TRIALS, TRIALS) for task, each in run.items()]
                state, played = stopped(text, run)
                other += state is not evaluate_all([parse_gate(text)], results)[0].state
                trials += played
            print(
                f"{text}: {100 * other / runs:4.1f} % other verdicts, "
                f"{100 - 100 * trials / runs / (TASKS * TRIALS):4.1f} % of trials saved"
            )


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    comparisons(number)
    rates(max(1, number // 4))
