"""Holding runs against gates: what is held, failed or inconclusive, and the numbers that are said with it."""

from __future__ import annotations

import pytest

from pytest_tau.errors import SettingsError
from pytest_tau.metrics.gate import parse_gate
from pytest_tau.metrics.gate_verdict import evaluate_all
from pytest_tau.metrics.task_results import GateResult, GateState, TaskResult, results_of
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Costs, TrialFacts
from tests.metrics.held import evaluate


def task(
    name: str, passed: int, planned: int = 4, *, graded: int | None = None, cost: float | None = 0.1
) -> TaskResult:
    domain, _, task_id = name.partition("/")
    graded = planned if graded is None else graded
    dearest = None if cost is None else cost / max(1, graded)
    return TaskResult(domain, task_id, passed, graded, planned, cost, dearest)


RUN = [task("retail/a", 4), task("retail/b", 2), task("airline/c", 1), task("airline/d", 4)]


def judged(text: str, run: list[TaskResult] | None = None, **more: object) -> GateResult:
    return evaluate(parse_gate(text), RUN if run is None else run, **more)


@pytest.mark.parametrize(
    ("text", "state", "said"),
    [
        ("pass^1 >= 0.6875", "held", "pass^1 is 68.8 %: 11 of 16 conversations succeeded (4 tasks); 68.8 % required"),
        ("pass^1 > 0.6875", "failed",
         "pass^1 is 68.8 %: 11 of 16 conversations succeeded (4 tasks); more than 68.8 % required"),
        ("pass^1 < 0.6875", "failed",
         "pass^1 is 68.8 %: 11 of 16 conversations succeeded (4 tasks); less than 68.8 % allowed"),
        ("pass^1 <= 0.6875", "held",
         "pass^1 is 68.8 %: 11 of 16 conversations succeeded (4 tasks); at most 68.8 % allowed"),
        ("pass^4 >= 0.6", "failed", "pass^4 is 50.0 %: 2 of 4 tasks solved in all 4 conversations; 60.0 % required"),
        ("pass@2 >= 0.8", "held", "pass@2 is 83.3 % over 4 tasks; 80.0 % required"),
        ("retail: pass^1 >= 0.75", "held",
         "pass^1 is 75.0 %: 6 of 8 conversations succeeded (2 tasks); 75.0 % required"),
        ("pass^5 >= 0", "failed", "pass^5 needs 5 trials of a task, and fewer were planned; run with --tau-k 5"),
        ("cost <= 0.4", "held", "the run cost $0.40; at most $0.40 allowed"),
        ("cost <= 0.39", "failed", "the run cost $0.40; at most $0.39 allowed"),
        ("every task: pass^1 >= 0.25", "held", "all 4 tasks hold it"),
        ("every task: pass^1 >= 0.6", "failed",
         "2 of 4 tasks break it: airline/c (25.0 %, 1 of 4 passed), retail/b (50.0 %, 2 of 4 passed)"),
        ("retail: every task: pass^1 > 0.5", "failed", "1 of 2 tasks break it: retail/b (50.0 %, 2 of 4 passed)"),
        ("every task: cost <= 0.05", "failed",
         "4 of 4 tasks break it: retail/a ($0.10), retail/b ($0.10), airline/c ($0.10) and 1 more"),
        ("every task: pass^5 >= 0", "failed",
         "pass^5 needs 5 trials of a task, and fewer were planned; run with --tau-k 5"),
        ("lower(pass^1) >= 0.3", "failed",
         "pass^1 is 68.8 %: 11 of 16 conversations succeeded (4 tasks), "
         "95 % interval 16.3 % … 100.0 % for tasks like these; "
         "30.0 % required of its lower end"),
        ("upper(pass^1, these tasks) <= 0.95", "held",
         "pass^1 is 68.8 %: 11 of 16 conversations succeeded (4 tasks), 95 % interval 46.8 % … 86.5 % for these tasks; "
         "at most 95.0 % allowed of its upper end"),
        ("replays <= 2 %", "held", "0 of 16 trials were played again (0.0 %); at most 2.0 % allowed"),
    ],
)  # fmt: skip
def test_a_gate_says_the_numbers(text: str, state: str, said: str) -> None:
    result = judged(text)
    assert (result.state.value, result.explanation) == (state, said)


def test_a_mean_of_floats_is_not_below_the_number_it_stands_for() -> None:
    run = [task(f"d/{number}", 7, 10) for number in range(3)]
    assert sum([0.7] * 3) / 3 < 0.7
    assert judged("pass^1 >= 0.7", run).state is GateState.HELD
    assert judged("pass^1 > 0.7", run).state is GateState.FAILED


def test_what_is_very_small_is_more_than_nothing() -> None:
    run = [task("d/a", 20, 40)]
    assert judged("pass^20 > 0", run).state is GateState.HELD  # 7e-12
    assert judged("pass^21 > 0", run).state is GateState.FAILED


def test_the_two_questions_have_two_intervals() -> None:
    run = [task(f"d/{number}", 4 if number % 2 else 2) for number in range(40)]
    like, these = judged("lower(pass^1) >= 0.68", run), judged("lower(pass^1, these tasks) >= 0.68", run)
    assert (like.state, these.state) == (GateState.FAILED, GateState.HELD)
    assert "for tasks like these; 68.0 % required of its lower end" in like.explanation
    assert "for these tasks; 68.0 % required of its lower end" in these.explanation


def test_the_interval_on_these_tasks_needs_two_trials() -> None:
    result = judged("lower(pass^1, these tasks) > 0", [task("d/a", 1, 1)])
    assert (result.state, result.explanation) == (
        GateState.FAILED,
        "the interval on these tasks needs two trials of each; run with --tau-k 2 or more",
    )


@pytest.mark.parametrize("text", ["pass^1 <= 0.4", "upper(pass^1) <= 0.5", "every task: pass@2 < 0.7", "cost <= 5"])
def test_trials_without_a_verdict_do_not_help_a_gate_that_asks_for_little(text: str) -> None:
    half = [task(f"d/{number}", 0, graded=2, cost=3.0) for number in range(9)]
    assert judged(text, half, min_coverage=0.4).state is GateState.FAILED
    whole = [task(f"d/{number}", 0, cost=0.4) for number in range(9)]
    assert judged(text, whole).state is GateState.HELD


def test_what_missing_trials_count_as_is_said() -> None:
    half = [task(f"d/{number}", 1, graded=2, cost=3.0) for number in range(2)]
    said = judged("pass^1 <= 0.5", half, min_coverage=0.4).explanation
    assert said == (
        "pass^1 is 75.0 %: 6 of 8 conversations succeeded (2 tasks), 4 trials without a verdict counted as passed; "
        "at most 50.0 % allowed"
    )
    said = judged("cost <= 5", half, min_coverage=0.4).explanation
    assert said == "the run cost $12.00, 4 trials without a verdict at $1.50 each; at most $5.00 allowed"


def test_what_a_trial_without_a_verdict_has_cost_counts_once() -> None:
    """It stands at the price of the dearest, in place of its own."""
    totals = Totals()
    totals.plan("d", "a", 4)
    for outcome, cost in (("passed", 2.0), ("missed", 1.0), ("infra_error", 1.5)):
        totals.add(TrialFacts("d", "a", outcome, costs=Costs(cost)))
    for text, state, said in (
        ("cost <= 7", "held", "the run cost $7.00, 2 trials without a verdict at $2.00 each; at most $7.00 allowed"),
        ("cost < 7", "failed", "the run cost $7.00, 2 trials without a verdict at $2.00 each; less than $7.00 allowed"),
        ("every task: cost <= 7", "held", "its one task holds it, 2 trials without a verdict at $2.00 each"),
    ):
        found = judged(text, results_of(totals), min_coverage=0.5)
        assert (found.state, found.explanation) == (state, said)


def test_trials_without_a_verdict_count_as_failures() -> None:
    run = [task("d/a", 4), task("d/b", 3, graded=3)]
    held = judged("pass^1 >= 0.875", run, min_coverage=0.8)
    said = (
        "pass^1 is 87.5 %: 7 of 8 conversations succeeded (2 tasks), 1 trial without a verdict counted as missed; "
        "87.5 % required"
    )
    assert (held.state, held.explanation) == (GateState.HELD, said)
    assert judged("pass^1 >= 0.88", run, min_coverage=0.8).state is GateState.FAILED
    assert judged("every task: pass^1 >= 0.8", run, min_coverage=0.8).state is GateState.FAILED


@pytest.mark.parametrize("text", ["pass^1 >= 0", "cost <= 5", "every task: pass^1 >= 0", "no regression"])
def test_no_gate_holds_on_a_run_with_too_many_gaps(text: str) -> None:
    run = [task("d/a", 4), task("d/b", 3, graded=3)]
    result = judged(text, run, baseline={"d/a": (4, 4)})
    said = "no gate holds: 7 of 8 planned trials have a verdict (87.5 %), and 100.0 % is asked for (--tau-min-coverage)"
    assert (result.state, result.explanation) == (GateState.FAILED, said)


def test_coverage_is_that_of_the_domain_the_gate_is_about() -> None:
    run = [task("a/x", 4), task("b/y", 0, graded=0)]
    assert judged("a: pass^1 >= 1", run).state is GateState.HELD
    assert judged("b: pass^1 >= 0", run).state is GateState.FAILED


def test_what_was_decided_early_stands_where_enough_trials_have_a_verdict() -> None:
    gate = parse_gate("pass^1 >= 0.5")
    early = {gate: GateResult(gate, GateState.HELD, "certain after 5 of 16 trials")}
    assert evaluate(gate, RUN, decided=early) is early[gate]
    gaps = evaluate(gate, [*RUN, task("retail/e", 0, graded=0)], decided=early)
    assert (gaps.state, gaps.explanation[:14]) == (GateState.FAILED, "no gate holds:")


def test_a_spoiled_run_holds_no_gate() -> None:
    result = judged("pass^1 >= 0", spoiled="the run was stopped by -x")
    assert (result.state, result.explanation) == (GateState.FAILED, "no gate holds: the run was stopped by -x")


def test_an_empty_run_holds_no_gate() -> None:
    assert judged("pass^1 >= 0", []).explanation == "no gate holds: no trial was planned"


def test_an_unknown_domain_is_named_with_those_there_are() -> None:
    with pytest.raises(SettingsError, match="the run has no domain 'retial'; it has airline, retail"):
        judged("retial: pass^1 >= 0")


def test_unknown_costs_are_inconclusive() -> None:
    run = [task("d/a", 4, cost=None), task("d/b", 4)]
    assert judged("cost <= 5", run).state is GateState.INCONCLUSIVE
    result = judged("every task: cost <= 5", run)
    assert (result.state, result.explanation) == (GateState.INCONCLUSIVE, "the cost of 1 task is unknown: d/a")
    assert judged("every task: cost <= 0.01", run).state is GateState.FAILED  # one known cost is enough to break it


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


def test_a_baseline_holds_tasks_apart_whose_ids_end_alike() -> None:
    run = [TaskResult("d, test_it, gpt/a", name, passed, 4, 4) for name, passed in (("x/1", 4), ("y/1", 2), ("z", 0))]
    result = judged("no regression", run, baseline={each.key: (4, 4) for each in run})
    assert result.comparison is not None
    assert (result.comparison.tasks, result.comparison.after) == (3, 0.5)


def test_a_regression_by_the_guard_has_the_guards_own_p_value() -> None:
    """Three tasks from always to never, and as many trials better elsewhere: the mean does not move."""
    before = {f"d/{n}": (4, 4) for n in range(3)} | {f"d/x{n}": (1, 4) for n in range(12)}
    run = [task(f"d/{n}", 0) for n in range(3)] + [task(f"d/x{n}", 2) for n in range(12)]
    result = judged("no regression", run, baseline=before)
    assert result.state is GateState.FAILED
    assert "+0.0 points" in result.explanation
    assert "by the guard over single tasks p below 0.001, asked: at most 0.02, of the mean p 0." in result.explanation


def test_no_drop_over_a_margin_tolerates_what_is_below_it() -> None:
    """A drop of 1.5 points that is no chance: a regression, and no drop over five points."""
    before = {f"d/{n}": (20, 20) for n in range(100)}
    run = [task(f"d/{n}", 20, 20) for n in range(70)] + [task(f"d/{n}", 19, 20) for n in range(70, 100)]
    for text, state in (
        ("no regression within 0.05", GateState.FAILED),
        ("no drop over 0.05", GateState.HELD),
        ("no drop over 0.01", GateState.FAILED),
        ("no drop over 0.016", GateState.FAILED),
    ):
        assert judged(text, run, baseline=before).state is state, text
    said = judged("no drop over 0.05", run, baseline=before).explanation
    assert said.startswith("worse: pass^1 100.0 % → 98.5 % over 100 common tasks, -1.5 points, more than chance")
    assert said.endswith(", 90 % interval] for tasks like these; more than -5.0 points required of its lower end")


@pytest.mark.parametrize("text", ["no regression", "no drop over 0.02"])
def test_equal_results_hold_and_say_that_nothing_changed(text: str) -> None:
    run = [task(f"d/{n}", n % 2, 1) for n in range(3)]
    result = judged(text, run, baseline={each.key: each.counts() for each in run})
    assert result.state is GateState.HELD
    assert result.explanation.startswith("unchanged: pass^1 33.3 % → 33.3 % over 3 common tasks, +0.0 points [")
    assert result.explanation.endswith(", 90 % interval] for tasks like these, each task passed as often as before")


def test_too_few_trials_for_a_margin_are_inconclusive() -> None:
    run = [task(f"d/{n}", n % 3, 2) for n in range(9)]
    before = {each.key: each.counts() for each in run} | {"d/0": (1, 2), "d/1": (0, 2)}
    result = judged("no drop over 0.02", run, baseline=before)
    assert result.state is GateState.INCONCLUSIVE
    assert "trials a task in both runs would settle it" in result.explanation


def test_several_comparisons_are_adjusted_for_each_other() -> None:
    """One row of six is worse at p 0.02, which chance alone does to one of six rows in eleven runs of a hundred."""
    before = {f"{row}/{n}": (4, 4) if n < 16 else (2, 4) for row in "abcdef" for n in range(20)}
    run = [
        task(key, passed - (key.startswith("a/") and int(key[2:]) < 8), trials)
        for key, (passed, trials) in before.items()
    ]
    gates = [parse_gate(f"{row}: no regression") for row in "abcdef"]
    alone = evaluate(gates[0], run, baseline=before)
    assert alone.state is GateState.FAILED
    assert alone.comparison is not None
    together = evaluate_all(gates, run, baseline=before)
    assert together[0].state is not GateState.FAILED
    assert together[0].comparison is not None
    assert together[0].comparison.family == 6
    assert together[0].comparison.adjusted is not None
    assert together[0].comparison.adjusted[0] == pytest.approx(6 * alone.comparison.p_regression)
    assert "(Holm-adjusted for 6 comparisons)" in together[0].explanation
    same = evaluate_all([gates[0], parse_gate("a: no drop over 0.05")], run, baseline=before)
    assert [found.comparison.family for found in same if found.comparison] == [1, 1]


def test_a_percentage_has_the_digits_that_tell_it_from_what_is_asked() -> None:
    run = [task("d/a", 7999, 10_000)]
    assert (
        judged("pass^1 >= 0.80", run).explanation
        == "pass^1 is 79.99 %: 7999 of 10000 conversations succeeded (1 task); 80.00 % required"
    )


def test_replays_can_be_limited() -> None:
    run = [TaskResult("d", "a", 4, 4, 4, replays=1), task("d/b", 4)]
    result = judged("replays <= 2 %", run)
    assert (result.state, result.explanation) == (
        GateState.FAILED,
        "1 of 8 trials was played again (12.5 %); at most 2.0 % allowed",
    )
    assert judged("every task: replays <= 10 %", run).explanation == "1 of 2 tasks break it: d/a (25.0 % played again)"
    missing = [task("d/a", 3, graded=3)]
    assert judged("replays <= 2 %", missing, min_coverage=0.5).state is GateState.FAILED
    spared = [*run, task("d/c", 0, planned=0)]  # as the others had decided all gates
    assert judged("every task: replays <= 30 %", spared).explanation == "all 2 tasks hold it"


def test_trials_that_were_spared_are_not_planned_any_more() -> None:
    totals = Totals()
    totals.plan("d", "a", 4)
    for _ in range(2):
        totals.add(TrialFacts("d", "a", "passed"))
    totals.tasks["d", "a"].spared = 2
    assert [each.planned for each in results_of(totals)] == [2]
    assert judged("pass^1 >= 1", results_of(totals)).state is GateState.HELD


def test_no_regression_of_one_domain_leaves_the_others_alone() -> None:
    run = [task("d/a", 4), task("e/b", 0)]
    result = judged("d: no regression within 0.9", run, baseline={"d/a": (4, 4), "e/b": (4, 4)})
    assert result.state is GateState.HELD
    assert "1 common task," in result.explanation
    assert "one run only" not in result.explanation


def test_a_baseline_of_other_tasks_is_no_baseline() -> None:
    result = judged("no regression", baseline={"retail/z": (4, 4)})
    assert (result.state, result.explanation) == (GateState.FAILED, "no task of the run is in the baseline")
