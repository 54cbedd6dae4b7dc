"""Gates: what can be written, what cannot and what is said then, and when they hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.errors import SettingsError
from pytest_tau.metrics.gate import Gate, GateResult, State, TaskResult, evaluate, parse_gate, results_of
from pytest_tau.metrics.totals import Costs, Totals, TrialFacts


def task(
    name: str, passed: int, planned: int = 4, *, graded: int | None = None, cost: float | None = 0.1
) -> TaskResult:
    domain, _, task_id = name.partition("/")
    return TaskResult(domain, task_id, passed, planned if graded is None else graded, planned, cost)


KNOWN = "write pass^1, pass@1 (or another number), cost, or lower(pass^1)"
RUN = [task("retail/a", 4), task("retail/b", 2), task("airline/c", 1), task("airline/d", 4)]


def judged(text: str, run: list[TaskResult] | None = None, **more: object) -> GateResult:
    return evaluate(parse_gate(text), RUN if run is None else run, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pass^1 >= 0.80", Gate("pass^1 >= 0.80", "pass^", 1, threshold=0.8)),
        ("retail: pass^4 >= 50 %", Gate("retail: pass^4 >= 50 %", "pass^", 4, "retail", threshold=0.5)),
        ("every  task:pass@2>.25", Gate("every  task:pass@2>.25", "pass@", 2, None, True, "", ">", 0.25)),
        ("a.b: every task: pass^1 >= 1", Gate("a.b: every task: pass^1 >= 1", "pass^", 1, "a.b", True, threshold=1.0)),
        ("lower(pass^1) >= 0.7", Gate("lower(pass^1) >= 0.7", "pass^", bound="lower", threshold=0.7)),
        ("upper( pass^2 ) <= 5%", Gate("upper( pass^2 ) <= 5%", "pass^", 2, None, False, "upper", "<=", 0.05)),
        ("cost < $5.5", Gate("cost < $5.5", "cost", operator="<", threshold=5.5)),
        ("no regression", Gate("no regression", "no regression", threshold=0.10)),
        (
            "retail: no regression within 5 %",
            Gate("retail: no regression within 5 %", "no regression", 1, "retail", threshold=0.05),
        ),
    ],
)
def test_what_can_be_written(text: str, expected: Gate) -> None:
    assert parse_gate(text) == expected


@pytest.mark.parametrize(
    ("text", "what", "instead"),
    [
        ("", "'' compares nothing", "write such as 'pass^1 >= 0.80' or 'no regression'"),
        ("pass^1", "'pass^1' compares nothing", "write such as 'pass^1 >= 0.80' or 'no regression'"),
        ("pass^1 == 0.8", "'==' is not a comparison here", "write >=, <=, > or <"),
        ("pass^1 => 0.8", "'=>' is not a comparison here", "write >=, <=, > or <"),
        ("pass1 >= 0.8", "'pass1' is not a number of a run", KNOWN),
        ("pass^ >= 0.8", "'pass^' is not a number of a run", KNOWN),
        ("cost2 <= 5", "'cost2' is not a number of a run", KNOWN),
        ("lower(pass^1 >= 0.8", "'lower(pass^1' is not a number of a run", KNOWN),
        ("pass^12345 >= 0.8", "'pass^12345' is not a number of a run", KNOWN),
        ("pass^0 >= 0.8", "'pass^0' asks for no trial", "write a number from 1 on, such as pass^1"),
        ("mean(pass^1) >= 0.8", "'mean' is not an end of an interval", "write lower(…) or upper(…)"),
        ("lower(cost) >= 1", "cost has no interval", "write 'cost <= 5'"),
        ("pass^1 >= 80", "80 is more than all", "write such as 0.80 or 80 %"),
        ("pass^1 >= most", "'most' is not a proportion", "write such as 0.80 or 80 %"),
        ("pass^1 >= $1", "'$1' is not a proportion", "write such as 0.80 or 80 %"),
        ("cost <= 5 %", "'5 %' is not an amount", "write US dollars, such as 'cost <= 5'"),
        ("a: b, c: cost <= 5", "more than one domain stands before ':'", "write one gate for each"),
        ("a: b: cost <= 5", "more than one domain stands before ':'", "write one gate for each"),
        ("each task: cost <= 5", "'each task' is not a domain",
         "write such as 'retail: pass^1 >= 0.80' or 'every task: …'"),
        ("every task: lower(pass^1) >= 0", "lower() is an interval over tasks", "leave out 'every task:' or 'lower()'"),
        ("every task: no regression", "'no regression' already compares task by task", "leave out 'every task:'"),
        ("no regression at all", "'at all' after 'no regression'",
         "write 'no regression' or 'no regression within 0.05'"),
        ("no regression within 0", "no number of trials can rule out a drop of 0",
         "write such as 'no regression within 0.05'"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_and_what_to_write_instead(text: str, what: str, instead: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_gate(text)
    assert str(caught.value) == f"gate {text!r}: {what}; {instead}"


@given(st.text(alphabet="pas^@1cost()<>=:. %0no regression withinlowerevery task", max_size=40))
def test_any_text_is_a_gate_or_a_sentence(text: str) -> None:
    try:
        assert parse_gate(text).text == text
    except SettingsError as error:
        assert str(error).startswith("gate ")  # noqa: PT017 (either outcome is right)


@pytest.mark.parametrize(
    ("text", "state", "said"),
    [
        ("pass^1 >= 0.6875", "held", "pass^1 is 68.8 % over 4 tasks; asked: >= 68.8 %"),
        ("pass^1 > 0.6875", "failed", "pass^1 is 68.8 % over 4 tasks; asked: > 68.8 %"),
        ("pass^1 < 0.6875", "failed", "pass^1 is 68.8 % over 4 tasks; asked: < 68.8 %"),
        ("pass^1 <= 0.6875", "held", "pass^1 is 68.8 % over 4 tasks; asked: <= 68.8 %"),
        ("pass^4 >= 0.6", "failed", "pass^4 is 50.0 % over 4 tasks; asked: >= 60.0 %"),
        ("pass@2 >= 0.8", "held", "pass@2 is 83.3 % over 4 tasks; asked: >= 80.0 %"),
        ("retail: pass^1 >= 0.75", "held", "pass^1 is 75.0 % over 2 tasks; asked: >= 75.0 %"),
        ("pass^5 >= 0", "failed", "pass^5 needs 5 trials of a task, and fewer were planned; run with --tau-k 5"),
        ("cost <= 0.4", "held", "the run cost $0.40; asked: <= $0.40"),
        ("cost <= 0.39", "failed", "the run cost $0.40; asked: <= $0.39"),
        ("every task: pass^1 >= 0.25", "held", "all 4 tasks hold it"),
        ("every task: pass^1 >= 0.6", "failed",
         "2 of 4 tasks break it: airline/c (25.0 %, 1 of 4 passed), retail/b (50.0 %, 2 of 4 passed)"),
        ("retail: every task: pass^1 > 0.5", "failed", "1 of 2 tasks break it: retail/b (50.0 %, 2 of 4 passed)"),
        ("every task: cost <= 0.05", "failed",
         "4 of 4 tasks break it: retail/a ($0.10), retail/b ($0.10), airline/c ($0.10) and 1 more"),
        ("every task: pass^5 >= 0", "failed",
         "pass^5 needs 5 trials of a task, and fewer were planned; run with --tau-k 5"),
        ("lower(pass^1) >= 0.3", "failed",
         "pass^1 is 68.8 % over 4 tasks, 95 % wilson interval 25.8 % … 93.3 %; asked: lower end >= 30.0 %"),
        ("upper(pass^1) <= 0.95", "held",
         "pass^1 is 68.8 % over 4 tasks, 95 % wilson interval 25.8 % … 93.3 %; asked: upper end <= 95.0 %"),
    ],
)  # fmt: skip
def test_a_gate_says_the_numbers(text: str, state: str, said: str) -> None:
    result = judged(text)
    assert (result.state.value, result.explanation) == (state, said)


def test_a_mean_of_floats_is_not_below_the_number_it_stands_for() -> None:
    run = [task(f"d/{number}", 7, 10) for number in range(3)]
    assert sum([0.7] * 3) / 3 < 0.7
    assert judged("pass^1 >= 0.7", run).state is State.HELD
    assert judged("pass^1 > 0.7", run).state is State.FAILED


def test_the_lower_end_is_a_bootstrap_over_tasks_where_they_differ() -> None:
    run = [task(f"d/{number}", 4 if number % 2 else 2) for number in range(40)]
    result = judged("lower(pass^1) >= 0.65", run)
    assert result.state is State.HELD
    assert "95 % bootstrap interval" in result.explanation


def test_trials_without_a_verdict_count_as_failures() -> None:
    run = [task("d/a", 4), task("d/b", 3, graded=3)]
    held = judged("pass^1 >= 0.875", run, min_coverage=0.8)
    assert (held.state, held.explanation) == (State.HELD, "pass^1 is 87.5 % over 2 tasks; asked: >= 87.5 %")
    assert judged("pass^1 >= 0.88", run, min_coverage=0.8).state is State.FAILED
    assert judged("every task: pass^1 >= 0.8", run, min_coverage=0.8).state is State.FAILED


@pytest.mark.parametrize("text", ["pass^1 >= 0", "cost <= 5", "every task: pass^1 >= 0", "no regression"])
def test_no_gate_holds_on_a_run_with_too_many_gaps(text: str) -> None:
    run = [task("d/a", 4), task("d/b", 3, graded=3)]
    result = judged(text, run, baseline={"d/a": (4, 4)})
    said = "no gate holds: 7 of 8 planned trials have a verdict (87.5 %), and 100.0 % is asked for (--tau-min-coverage)"
    assert (result.state, result.explanation) == (State.FAILED, said)


def test_coverage_is_that_of_the_domain_the_gate_is_about() -> None:
    run = [task("a/x", 4), task("b/y", 0, graded=0)]
    assert judged("a: pass^1 >= 1", run).state is State.HELD
    assert judged("b: pass^1 >= 0", run).state is State.FAILED


def test_a_spoiled_run_holds_no_gate() -> None:
    result = judged("pass^1 >= 0", spoiled="the run was stopped by -x")
    assert (result.state, result.explanation) == (State.FAILED, "no gate holds: the run was stopped by -x")


def test_an_empty_run_holds_no_gate() -> None:
    assert judged("pass^1 >= 0", []).explanation == "no gate holds: no trial was planned"


def test_an_unknown_domain_is_named_with_those_there_are() -> None:
    with pytest.raises(SettingsError, match="the run has no domain 'retial'; it has airline, retail"):
        judged("retial: pass^1 >= 0")


def test_unknown_costs_are_inconclusive() -> None:
    run = [task("d/a", 4, cost=None), task("d/b", 4)]
    assert judged("cost <= 5", run).state is State.INCONCLUSIVE
    result = judged("every task: cost <= 5", run)
    assert (result.state, result.explanation) == (State.INCONCLUSIVE, "the cost of 1 tasks is unknown: d/a")
    assert judged("every task: cost <= 0.01", run).state is State.FAILED  # one known cost is enough to break it


def test_no_regression_needs_a_baseline() -> None:
    assert parse_gate("no regression").needs_baseline
    assert not parse_gate("pass^1 >= 0").needs_baseline
    with pytest.raises(SettingsError, match="there is no baseline to compare with; name one with --tau-baseline FILE"):
        judged("no regression")


@pytest.mark.parametrize(("passed", "state"), [(4, "held"), (1, "failed"), (3, "inconclusive")])
def test_no_regression_has_three_answers(passed: int, state: str) -> None:
    run = [task(f"d/{number}", 4) for number in range(21)]
    run += [task(f"d/x{number}", passed) for number in range(4)]
    result = judged("no regression within 0.08", run, baseline={each.key: (4, 4) for each in run})
    assert result.state.value == state
    assert result.comparison is not None


def test_no_regression_explains_itself() -> None:
    run = [task("d/a", 0), task("d/b", 4), task("d/new", 4)]
    result = judged("no regression", run, baseline={"d/a": (4, 4), "d/b": (4, 4), "e/other": (4, 4)})
    first, *rest = result.explanation.split("; ")
    assert first.startswith("worse: pass^1 100.0 % → 50.0 % over 2 common tasks, -50.0 points [")
    assert rest == ["2 tasks are in one run only, or have too few trials", "from always to never: d/a"]


def test_no_regression_of_one_domain_leaves_the_others_alone() -> None:
    run = [task("d/a", 4), task("e/b", 0)]
    result = judged("d: no regression within 0.9", run, baseline={"d/a": (4, 4), "e/b": (4, 4)})
    assert result.state is State.HELD
    assert "1 common tasks" in result.explanation
    assert "one run only" not in result.explanation


def test_a_baseline_of_other_tasks_is_no_baseline() -> None:
    result = judged("no regression", baseline={"retail/z": (4, 4)})
    assert (result.state, result.explanation) == (State.FAILED, "no task of the run is in the baseline")


def test_results_of_a_run() -> None:
    totals = Totals()
    totals.plan("d", "a", 3)
    for outcome in ("passed", "missed"):
        totals.add(TrialFacts("d", "a", outcome, costs=Costs(0.5)))
    totals.add(TrialFacts("d", "b", "infra_error"))
    assert results_of(totals) == [TaskResult("d", "a", 1, 2, 3, 1.0), TaskResult("d", "b", 0, 0, 1, None)]
