"""*Under policy* as a range: what nobody has decided is a breach at one end, and none at the other."""

from typing import Any

import pytest

from pytest_tau.metrics.gate import parse_gate
from pytest_tau.metrics.gate_verdict import evaluate_all
from pytest_tau.metrics.judge_errors import JudgeErrors
from pytest_tau.metrics.policy import UNDER_POLICY, CleanPass, for_correction, kept_counts, kept_rate, read_kept
from pytest_tau.metrics.safety import COMPLETION
from pytest_tau.metrics.score import Score, TaskValues
from pytest_tau.metrics.task_results import GateState, TaskResult

CLEAN = CleanPass(True, True, True, False)
UNCLEAR = CleanPass(True, False, True, False)
MISSED = CleanPass(False, False, False, False)
FINE = CleanPass(True, True, True, True)
BREACH = CleanPass(False, False, True, True)
OPEN = CleanPass(True, False, True, True)
UNKNOWN = {"kind": "consent", "verdict": "cannot tell"}
ASKED = {"clean_before": True, "answers": [{"kind": "claims", "verdict": "cannot tell"}]}
BROKEN = {"kind": "claims", "verdict": "breach"}


def record(outcome: str = "passed", unclear: int = 0, **reward: Any) -> dict[str, Any]:
    return {"outcome": outcome, "reward": {"violated": [], "conduct": {"unclear": unclear}, **reward}}


def over(*tasks: list[CleanPass]) -> list[TaskValues]:
    return [TaskValues("retail", str(number), tuple(task)) for number, task in enumerate(tasks)]


def gated(text: str, *tasks: list[CleanPass], judge: JudgeErrors | None = None) -> tuple[GateState, str]:
    results = [
        TaskResult("retail", str(number), 1, len(task), len(task), measured={"cup^": tuple(task)})
        for number, task in enumerate(tasks)
    ]
    [found] = evaluate_all([parse_gate(text)], results, judge=judge)
    return found.state, found.explanation


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        (record(), CLEAN),
        (record(unclear=2), UNCLEAR),
        (record("missed"), MISSED),
        (record(review={"clean_before": True}), FINE),
        (record("missed", review={"clean_before": True}), BREACH),
        (record(unclear=1, review={"clean_before": True}), OPEN),
        (record("missed", review={"clean_before": None}), MISSED),
        (record(review={"clean_before": True, "answers": [{"kind": "reason", "verdict": "cannot tell"}]}), CLEAN),
        (record(review=ASKED), FINE),
        (record(unclear=1, review={"clean_before": True, "answers": [UNKNOWN]}), UNCLEAR),
        (record("missed", review={"clean_before": True, "answers": [UNKNOWN, BROKEN]}), BREACH),
        (record(review={**ASKED, "judgement": {"votes": 0}}), CLEAN),  # whose provider failed
        (record(review={**ASKED, "judgement": {"votes": 1}}), FINE),
        (record(unclear=1, review={**ASKED, "judgement": {"votes": 0}}), UNCLEAR),
        (record("ungraded"), None),
        (record(violated=None), None),
    ],
)
def test_what_is_read_off_a_record(content: dict[str, Any], kept: CleanPass | None) -> None:
    assert read_kept(content) == kept


def test_the_ends_are_equal_where_nothing_is_unclear() -> None:
    found = kept_rate(over([CLEAN, CLEAN], [MISSED, CLEAN]), "1")
    assert found is not None
    assert (found.value, found.least, len(found.ends)) == (0.75, None, 1)


def test_the_ends_are_two_numbers_with_an_interval_each() -> None:
    found = kept_rate(over([CLEAN, UNCLEAR], [UNCLEAR, UNCLEAR], [MISSED, CLEAN]), "1")
    assert found is not None
    assert found.least is not None
    assert (found.least.value, found.value) == pytest.approx((1 / 3, 5 / 6))
    assert found.least.low is not None
    assert found.low is not None
    assert found.least.low < found.low


@pytest.mark.parametrize(
    ("asked", "state"), [(0.3, GateState.HELD), (0.5, GateState.INCONCLUSIVE), (0.9, GateState.FAILED)]
)
def test_a_gate_holds_with_both_ends_and_is_inconclusive_between_them(asked: float, state: GateState) -> None:
    found, said = gated(f"under policy >= {asked}", [CLEAN, UNCLEAR], [UNCLEAR, UNCLEAR], [MISSED, CLEAN])
    assert found is state
    assert said.startswith("cup^1 is 33.3 % to 83.3 % over 3 tasks")
    assert "as something is unclear that a judge could decide" in said


def test_a_gate_on_every_task_and_on_an_end_of_the_interval() -> None:
    tasks = ([CLEAN, CLEAN], [UNCLEAR, CLEAN])
    assert gated("every task: under policy >= 0.6", *tasks)[0] is GateState.INCONCLUSIVE
    assert gated("every task: under policy >= 0.4", *tasks)[0] is GateState.HELD
    assert gated("every task: under policy >= 0.4", *tasks, [MISSED, MISSED])[0] is GateState.FAILED
    many = [[CLEAN] * 4] * 40
    assert gated("lower(under policy) >= 0.8", *many)[0] is GateState.HELD
    assert gated("lower(under policy) >= 0.8", *many, *[[UNCLEAR] * 4] * 10)[0] is GateState.INCONCLUSIVE


def test_a_judge_s_errors_are_taken_out_of_what_it_decided_and_of_nothing_else() -> None:
    judge = JudgeErrors(found=80, breaches=100, passed=90, fines=100)
    tasks = over(*[[FINE] * 7 + [BREACH] * 3] * 30)
    found = kept_rate(tasks, "1", judge)
    assert found is not None
    # Rogan and Gladen: (0.3 + 0.9 - 1) / (0.8 + 0.9 - 1) of them broke a rule, with (x + 1/2) / (n + 1) for x / n.
    assert found.value == pytest.approx(1 - (0.3 + 90.5 / 101 - 1) / (80.5 / 101 + 90.5 / 101 - 1))
    plain = kept_rate(over(*[[CLEAN] * 7 + [MISSED] * 3] * 30), "1", judge)
    assert plain is not None
    assert plain.value == pytest.approx(0.7)
    assert "errors" not in plain.over


@pytest.mark.parametrize(
    ("trial", "least", "most"),
    [(MISSED, 0.0, 0.0), (CLEAN, 1.0, 1.0), (FINE, False, False), (BREACH, True, True), (OPEN, 0.0, 1.0)],
)
def test_what_stands_for_a_trial_in_a_correction(trial: CleanPass, least: Any, most: Any) -> None:
    found = [for_correction(trial, least=end) for end in (True, False)]
    assert found == [least, most]
    assert [type(one) for one in found] == [type(least), type(most)]


def test_the_counts_of_a_baseline() -> None:
    assert kept_counts([CLEAN, UNCLEAR, MISSED]) == (1, 2)
    assert kept_counts([]) is None


def test_a_task_none_of_whose_trials_has_a_verdict_counts_against_a_gate() -> None:
    def state(text: str) -> tuple[GateState, str]:
        seen = [TaskResult("retail", str(n), 2, 2, 2, measured={"cup^": (CLEAN, CLEAN)}) for n in range(3)]
        unseen = TaskResult("retail", "x", 0, 0, 2)
        [found] = evaluate_all([parse_gate(text)], [*seen, unseen], min_coverage=0.5)
        return found.state, found.explanation

    said = "over 4 tasks, 2 trials without a verdict counted as missed"
    assert state("cup^1 >= 0.8")[0] is GateState.FAILED
    assert f"cup^1 is 75.0 % {said}" in state("cup^1 >= 0.8")[1]
    assert state("cup^1 <= 0.9")[0] is GateState.FAILED
    assert state("every task: cup^1 > 0.5")[0] is GateState.FAILED


def test_a_task_that_no_trial_is_due_of_says_nothing() -> None:
    seen = TaskResult("retail", "a", 2, 2, 2, measured={"cup^": (CLEAN, CLEAN), "progress": (1.0, 1.0)})
    spared = TaskResult("retail", "x", 0, 0, 0)
    for text in ("cup^1 >= 0.8", "progress >= 0.8"):
        [found] = evaluate_all([parse_gate(text)], [seen, spared])
        assert (found.state, "over 1 task" in found.explanation) == (GateState.HELD, True)


@pytest.mark.parametrize("score", [UNDER_POLICY, COMPLETION], ids=lambda score: score.name)
def test_a_judge_that_is_hardly_ever_wrong_changes_nothing_about_several_agents_on_one_task(score: Score) -> None:
    each = [("shop, test_it, a", "x", FINE), ("shop, test_it, b", "x", FINE), ("shop, test_it, a", "y", BREACH)]
    tasks = [TaskValues(row, task_id, (value, value)) for row, task_id, value in each]
    plain = score.number(tasks, "1", None)
    corrected = score.number(tasks, "1", JudgeErrors(100_000, 100_000, 100_000, 100_000))
    assert plain is not None
    assert corrected is not None
    assert corrected.value == pytest.approx(plain.value, abs=1e-4)
    assert corrected.over == "2 tasks, the judge's errors taken out"
