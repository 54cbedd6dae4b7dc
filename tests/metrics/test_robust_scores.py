"""What gates ask of robustness: the worst variant of a kind, and how often a variant ends otherwise."""

from typing import Any

import pytest

from pytest_tau.metrics.gate import parse_gate
from pytest_tau.metrics.robust_scores import FLIP, ROBUST
from pytest_tau.metrics.robustness import TrialConduct, conduct_of
from pytest_tau.metrics.score import TaskValues
from pytest_tau.metrics.task_results import GateState, TaskResult
from tests.metrics.held import evaluate

HALF, NEVER, ALWAYS = (True, False), (False, False), (True, True)


def of(label: str, *passed: bool, task: str = "t") -> TaskValues:
    """A task's trials, told so."""
    return TaskValues(f"shop, {label}" if label else "shop", task, tuple(map(TrialConduct, passed)), label)


def robust(kind: str, *tasks: TaskValues) -> float | None:
    found = ROBUST.measure(tasks, kind)
    return None if found is None else found.value


def test_a_kind_is_all_its_strengths_and_the_worst_of_them_counts() -> None:
    tasks = [of("", *ALWAYS), of("typos", *HALF), of("typos:0.9", *NEVER), of("rude", *ALWAYS)]
    found = ROBUST.measure(tasks, "typos")
    assert found is not None
    assert (found.value, found.over) == (0.0, "1 task of typos:0.9, the worst of 2")
    assert [robust(kind, *tasks) for kind in ("typos:0.9", "rude", "")] == [0.0, 1.0, 0.0]
    alone = ROBUST.measure(tasks, "rude")
    assert alone is not None
    assert alone.over == "1 task"


def test_the_lower_end_is_that_of_the_least_known_and_not_of_the_worst_seen() -> None:
    worst = [of(label, label == "" or number > 3, task=str(number)) for number in range(40) for label in ("", "typos")]
    few = [of("typos:0.9", True, task=str(number)) for number in range(3)]
    known, alone, both = (ROBUST.measure(tasks, "typos") for tasks in (worst, [*worst[::2], *few], [*worst, *few]))
    assert known is not None
    assert alone is not None
    assert both is not None
    assert (both.value, both.over) == (0.9, "40 tasks of typos, the worst of 2")
    assert (both.low, both.high) == (alone.low, known.high)
    assert alone.low is not None
    assert known.low is not None
    assert alone.low < known.low


def test_the_worst_of_several_domains_is_named() -> None:
    tasks = [of("", *ALWAYS), of("typos", *ALWAYS), TaskValues("bank", "t", of("", *ALWAYS).values)]
    tasks.append(TaskValues("bank, typos", "t", of("", *HALF).values, "typos"))
    found = ROBUST.measure(tasks, "typos")
    assert found is not None
    assert (found.value, found.over) == (0.5, "1 task of bank, typos, the worst of 2")


def test_a_kind_without_a_plus_is_not_that_of_two_together() -> None:
    both = "typos:0.9+timeout:0.2"
    tasks = [of("", *ALWAYS), of("typos:0.9", *HALF), of(both, *NEVER), of("timeout:0.2", *ALWAYS)]
    assert [robust(kind, *tasks) for kind in ("typos", "timeout", both)] == [0.5, 1.0, 0.0]


def test_what_was_not_played_or_passes_nothing_as_it_is_has_no_ratio() -> None:
    assert robust("chatter", of("", *ALWAYS), of("typos", *ALWAYS)) is None
    assert robust("typos", of("typos", *ALWAYS)) is None
    assert robust("typos", of("", *NEVER), of("typos", *ALWAYS)) is None


def test_doing_better_is_no_more_than_as_good() -> None:
    assert robust("typos", of("", *HALF), of("typos", *ALWAYS)) == 1.0


def test_the_interval_holds_the_ratio_and_stays_between_nothing_and_all() -> None:
    tasks = [
        of(label, *trials, task=str(number)) for number in range(6) for label, trials in (("", ALWAYS), ("typos", HALF))
    ]
    found = ROBUST.measure(tasks, "typos")
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert 0.0 <= found.low < found.value == 0.5 < found.high <= 1.0


def test_flips_are_a_mean_over_variants_and_tasks() -> None:
    tasks = [
        of("", *ALWAYS),
        of("typos", *HALF),
        of("rude", *NEVER),
        of("", *ALWAYS, task="u"),
        of("rude", *ALWAYS, task="u"),
    ]
    found = FLIP.measure(tasks, "")
    assert found is not None
    assert found.value == pytest.approx((0.5 + 1.0 + 0.0) / 3)
    assert found.over == "2 variants of 2 tasks"
    assert FLIP.measure([of("", *ALWAYS)], "") is None


def a_task(label: str, outcomes: str, *, planned: int = 0, name: str = "t") -> TaskResult:
    """A task as gates have it: p passed, m missed."""
    values = tuple(conduct_of({"outcome": {"p": "passed", "m": "missed"}[one]}) for one in outcomes)
    row = f"shop, {label}" if label else "shop"
    measured: dict[str, tuple[Any, ...]] = {"flip": values, "robust": values}
    graded = len(values)
    return TaskResult(row, name, outcomes.count("p"), graded, max(planned, graded), measured=measured, variant=label)


@pytest.mark.parametrize(
    ("text", "state", "said"),
    [
        ("robust(typos) >= 0.5", GateState.HELD, "robust(typos) is 50.0 % over 1 task"),
        ("robust(typos) >= 0.6", GateState.FAILED, "robust(typos) is 50.0 % over 1 task"),
        ("flip <= 0.5", GateState.HELD, "flip is 50.0 % over 1 variant of 1 task"),
        ("robust(rude) >= 0.5", GateState.FAILED, "robust(rude) is not known"),
    ],
)
def test_gates_say_the_number(text: str, state: GateState, said: str) -> None:
    result = evaluate(parse_gate(text), [a_task("", "pp"), a_task("typos", "pm")])
    assert result.state is state
    assert said in result.explanation


def test_a_trial_without_a_verdict_counts_as_missed_in_the_variant() -> None:
    run = [a_task("", "pp"), a_task("typos", "p", planned=2)]
    result = evaluate(parse_gate("robust(typos) >= 0.6"), run, min_coverage=0.0)
    assert result.state is GateState.FAILED
    assert "50.0 %" in result.explanation


def test_trials_without_a_verdict_count_against_the_gate_on_both_sides() -> None:
    text, told = "robust(typos) >= 0.9", "2 trials without a verdict counted against it"
    for gap in ("", "typos"):
        tasks = [a_task(label, "pm", planned=4 if label == gap else 2) for label in ("", "typos")]
        result = evaluate(parse_gate(text), tasks, min_coverage=0.5)
        assert result.state is GateState.FAILED
        assert told in result.explanation
    assert evaluate(parse_gate(text), [a_task(label, "pm") for label in ("", "typos")]).state is GateState.HELD


def test_a_gate_on_a_kind_asks_nothing_of_the_trials_of_others() -> None:
    run = [a_task("", "pp"), a_task("typos", "p", planned=2), a_task("rude", "p", planned=4)]
    result = evaluate(parse_gate("robust(typos) >= 0.6"), run, min_coverage=0.5)
    assert ", 1 trial without a verdict counted against it" in result.explanation
    elsewhere = evaluate(parse_gate("shop, rude: robust(typos) >= 0.6"), run, min_coverage=0.0)
    assert elsewhere.explanation.startswith("robust(typos) is not known")
    assert evaluate(parse_gate("robust(typos) >= 0.6"), [run[0], a_task("typos", "pp"), run[2]]).state is GateState.HELD


@pytest.mark.parametrize(
    ("text", "plain", "varied", "flip"),
    [
        ("flip <= 0.2", "pp", "p?", "50.0 %"),  # as the original passes, a miss is the flip
        ("flip <= 0.2", "mm", "m?", "50.0 %"),
        ("flip <= 0.2", "p?", "pp", "50.0 %"),
        ("flip <= 0.2", "m?", "mm", "50.0 %"),
        ("flip <= 0.2", "??p", "??p", "66.7 %"),
        ("every task: flip <= 0.2", "pp", "p?", "50.0 %"),
        ("flip >= 0.2", "pp", "p?", "0.0 %"),
    ],
)
def test_a_trial_without_a_verdict_is_a_flip_where_few_are_allowed(
    text: str, plain: str, varied: str, flip: str
) -> None:
    run = [
        a_task(label, "".join(outcomes.split("?")), planned=len(outcomes))
        for label, outcomes in (("", plain), ("typos", varied))
    ]
    result = evaluate(parse_gate(text), run, min_coverage=0.3)
    assert result.state is GateState.FAILED
    assert flip in result.explanation


@pytest.mark.parametrize(
    ("text", "state", "said"),
    [
        ("every task: flip <= 0.5", GateState.HELD, "all 2 tasks hold it"),
        ("every task: flip <= 0.4", GateState.FAILED, "1 of 2 tasks break it: shop/u (50.0 %)"),
        ("every task: robust(typos) >= 0.6", GateState.FAILED, "1 of 2 tasks break it: shop/u (50.0 %)"),
        ("every task: robust(nothing) >= 0.1", GateState.FAILED,
         "robust(nothing) is not known: too few trials, or none that it is about"),
    ],
)  # fmt: skip
def test_every_task_is_judged_with_its_variants(text: str, state: GateState, said: str) -> None:
    run = [a_task("", "pp"), a_task("typos", "pp"), a_task("", "pp", name="u"), a_task("typos", "pm", name="u")]
    result = evaluate(parse_gate(text), run)
    assert (result.state, result.explanation) == (state, said)


def test_a_run_without_variants_holds_no_gate_on_each_task_s_flips() -> None:
    result = evaluate(parse_gate("every task: flip <= 0.01"), [a_task("", "pp")])
    assert (result.state, result.explanation) == (
        GateState.FAILED,
        "flip is not known: too few trials, or none that it is about",
    )
