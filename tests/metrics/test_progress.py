"""Progress and S_partial over tasks, and gates on them."""

from typing import Any

import pytest

from pytest_tau.metrics.gate import parse_gate
from pytest_tau.metrics.progress import PARTIAL, PROGRESS
from pytest_tau.metrics.scores import measure, read_scores
from pytest_tau.metrics.task_results import GateState, results_of
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from tests.metrics.held import evaluate


def trial(task: str, outcome: str, progress: Any) -> dict[str, Any]:
    return {"domain": "retail", "task_id": task, "outcome": outcome, "reward": {"progress": progress}}


def run(*trials: dict[str, Any]) -> Totals:
    totals = Totals()
    for each in trials:
        totals.add(TrialFacts.of(each))
    return totals


RUN = run(trial("a", "passed", 1.0), trial("a", "missed", 0.5), trial("b", "missed", 0.25))


def test_each_task_counts_once() -> None:
    found = measure(RUN, PROGRESS)
    assert found is not None
    assert (found.value, found.over) == (0.5, "2 tasks")
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.5 < found.high


def test_half_of_it_is_the_reward() -> None:
    found = measure(RUN, PARTIAL)
    assert found is not None
    assert found.value == pytest.approx(((1.0 + 0.25) / 2 + 0.125) / 2)


@pytest.mark.parametrize(
    "content",
    [trial("a", "infra_error", 0.5), trial("a", "missed", None), trial("a", "missed", "x"), trial("a", "missed", 7)],
)
def test_without_a_verdict_or_a_number_it_says_nothing(content: dict[str, Any]) -> None:
    assert not {"progress", "partial"} & set(read_scores(content))


@pytest.mark.parametrize(
    ("text", "state"),
    [("progress >= 0.5", GateState.HELD), ("progress >= 0.9", GateState.FAILED),
     ("lower(progress) >= 0.5", GateState.FAILED),
     ("every task: progress >= 0.25", GateState.HELD), ("partial >= 0.3", GateState.HELD)],
)  # fmt: skip
def test_gates(text: str, state: GateState) -> None:
    result = evaluate(parse_gate(text), results_of(RUN), min_coverage=0.0)
    assert result.state is state
