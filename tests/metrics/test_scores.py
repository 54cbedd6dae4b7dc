"""Scores: read off trials, over rows of the table, and what gates on them say."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_tau.metrics.consistency import Course
from pytest_tau.metrics.gate import parse_gate
from pytest_tau.metrics.likeness import FEATURES
from pytest_tau.metrics.policy import CleanPass
from pytest_tau.metrics.scores import SCORES, measure, read_scores, score_of
from pytest_tau.metrics.task_results import GateResult, GateState, results_of
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Measures, TrialFacts
from tests.metrics.held import evaluate

CUP = next(score for score in SCORES if score.name == "cup^")
BROKE = {"dimension": "consent", "severity": "high", "turn": 3, "text": "wrote before the yes"}


def trial(task: str, outcome: str, violated: list[Any] | None, domain: str = "retail") -> TrialFacts:
    content = {"domain": domain, "task_id": task, "outcome": outcome, "reward": {"violated": violated}}
    return TrialFacts.of(content)


def run(*trials: TrialFacts, planned: int = 0) -> Totals:
    totals = Totals()
    for each in trials:
        totals.add(each)
    for domain, task in {(each.domain, each.task_id) for each in trials}:
        totals.plan(domain, task, planned)
    return totals


def test_a_run_that_was_stopped_has_no_interval_in_any_row() -> None:
    totals = run(trial("a", "passed", []), trial("b", "missed", ["x"], domain="airline"), planned=2)
    for row in ("retail", "airline", None):
        assert (found := measure(totals, CUP, row)) is not None
        assert found.low is not None
    totals.tasks["retail", "a"].spared = 1
    for row in ("retail", "airline", None):
        assert (found := measure(totals, CUP, row)) is not None
        assert found.low is found.high is None
        assert all(point.low == point.value == point.high for point in totals.pass_hat(row))


def held(text: str, totals: Totals) -> GateResult:
    return evaluate(parse_gate(text), results_of(totals), min_coverage=0.0)


MIXED = run(
    trial("a", "passed", []),
    trial("a", "passed", [BROKE]),
    trial("b", "passed", []),
    trial("b", "passed", []),
    trial("c", "missed", [], "mock"),
    trial("c", "passed", [], "mock"),
)


def test_a_trial_is_under_policy_where_it_passed_and_broke_nothing() -> None:
    read = [CUP.read({"outcome": end, "reward": {"violated": broken}}) for end, broken in (
        ("passed", []), ("passed", [BROKE]), ("missed", []), ("infra_error", []), ("passed", None),
    )]  # fmt: skip
    assert [one and one.kept for one in read] == [True, False, False, None, None]


def test_public_trials_say_nothing_of_it() -> None:
    assert "cup^" not in read_scores({"outcome": "passed", "reward": None})
    assert measure(run(trial("a", "passed", None)), CUP) is None


@pytest.mark.parametrize(("row", "k", "value"), [(None, "1", 2 / 3), ("retail", "1", 0.75), ("retail", "2", 0.5)])
def test_over_a_row_and_k(row: str | None, k: str, value: float) -> None:
    found = measure(MIXED, CUP, row, k)
    assert found is not None
    assert found.value == pytest.approx(value)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= value <= found.high


def test_k_beyond_the_trials_is_not_defined() -> None:
    assert measure(MIXED, CUP, argument="3") is None


@pytest.mark.parametrize(
    ("text", "state", "said"),
    [
        ("cup^1 >= 0.6", GateState.HELD, "cup^1 is 66.7 % over 3 tasks"),
        ("retail: cup^2 >= 0.6", GateState.FAILED, "cup^2 is 50.0 % over 2 tasks"),
        ("every task: cup^1 >= 0.6", GateState.FAILED, "2 of 3 tasks break it: retail/a (50.0 %), mock/c (50.0 %)"),
        ("every task: cup^1 >= 0.5", GateState.HELD, "all 3 tasks hold it"),
        ("lower(cup^1) >= 0.66", GateState.FAILED, "required of its lower end"),
        ("cup^3 >= 0.1", GateState.FAILED, "cup^3 is not known: too few trials"),
    ],
)
def test_gates(text: str, state: GateState, said: str) -> None:
    result = held(text, MIXED)
    assert result.state is state
    assert said in result.explanation


def test_a_trial_without_a_verdict_counts_against_the_gate() -> None:
    one_missing = run(trial("a", "passed", []), planned=2)
    assert held("cup^1 >= 0.6", one_missing).explanation.startswith("cup^1 is 50.0 % over 1 task, 1 trial without")
    assert held("cup^1 <= 0.9", one_missing).state is GateState.FAILED


def test_a_gate_on_what_no_task_has_fails_and_says_so() -> None:
    result = held("cup^1 >= 0.1", run(trial("a", "passed", None)))
    assert result.state is GateState.FAILED
    assert result.explanation == "cup^1 is not known: no task of the run has checks of the policy"


def test_names_are_unique_and_found() -> None:
    names = [score.name for score in SCORES]
    assert len(set(names)) == len(names)
    assert [score_of(name) for name in names] == list(SCORES)
    assert score_of("pass^") is None


@pytest.mark.parametrize("name", ["cup^", "progress", "completion"])
def test_a_task_that_several_rows_are_about_counts_once(name: str) -> None:
    score = score_of(name)
    assert score is not None
    tests, one = Totals(), Totals()
    for number in range(6):
        done = number < 3
        values = {"cup^": CleanPass(done, done, done, False), "progress": number / 5, "completion": done}
        for parameter in "abcd":
            facts = TrialFacts(f"mock, test_it, {parameter}", f"t{number}", "missed", measures=Measures(values))
            tests.add(facts)
        one.add(TrialFacts("mock", f"t{number}", "missed", measures=Measures(values)))
    assert measure(tests, score) == measure(one, score)


@pytest.mark.parametrize("condition", ["customers <= 0.9", "risk(consent) <= 0.5", "consistency(outcome) >= 0.5"])
def test_a_trial_without_a_verdict_says_nothing_of_some_numbers(condition: str) -> None:
    values = {
        "customers": (0.0,) * len(FEATURES),
        "risk": {"consent": (0, 1)},
        "consistency": Course(True, (), (1.0,)),
    }
    made = [TrialFacts("mock", "a", "passed", measures=Measures(values)) for _ in range(2)]
    whole, gap = run(*made, planned=2), run(*made, TrialFacts("mock", "a", "infra_error"), planned=3)
    assert held(condition, gap).explanation == held(condition, whole).explanation
