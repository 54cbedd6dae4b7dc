"""Totals of a run of several agents."""

from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Costs, TrialFacts


def totals(outcomes: dict[str, list[list[int]]], cost: float | None = 1.0) -> Totals:
    """Of agents by name: for each task whether each trial passed."""
    found = Totals()
    for label, tasks in outcomes.items():
        for number, trials in enumerate(tasks):
            found.plan(f"retail, {label}", f"t{number}", len(trials))
            for passed in trials:
                outcome = "passed" if passed else "missed"
                costs = Costs(cost, 0.0, 0.0)
                found.add(TrialFacts(f"retail, {label}", f"t{number}", outcome, costs=costs, label=label))
    return found
