"""Deciding gates before all trials are played: never otherwise where it is certain, and hardly ever where it is not."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_tau.metrics.gate import parse_gate
from pytest_tau.metrics.stopping import Decision, Kinds, Stopper, completions
from pytest_tau.metrics.task_results import GateState, TaskResult
from tests.metrics.held import evaluate

Run = Mapping[str, Sequence[str]]  # the outcomes of each task's trials
Baseline = Mapping[str, tuple[int, int]]


def play(
    gates: Sequence[str], run: Run, baseline: Baseline | None = None, min_coverage: float = 1.0
) -> tuple[list[Decision], int, Stopper]:
    """The decisions on a run that is played in rounds, after how many trials, and who made them."""
    parsed = [parse_gate(gate) for gate in gates]
    tasks = {task: ("d", task, len(ends)) for task, ends in run.items()}
    stopper = Stopper(parsed, tasks, baseline=baseline, min_coverage=min_coverage)
    played = 0
    for trial in range(max(map(len, run.values()))):
        for task, ends in run.items():
            if trial < len(ends):
                played += 1
                if stopper.add(task, trial + 1, ends[trial]) and (found := stopper.look()) is not None:
                    return found, played, stopper
    return stopper.decisions, played, stopper


def verdict(gate: str, run: Run) -> GateState:
    results = [TaskResult("d", task, ends.count("passed"), len(ends), len(ends)) for task, ends in run.items()]
    return evaluate(parse_gate(gate), results).state


def drawn(rng: random.Random, rates: Sequence[float], trials: int = 4) -> dict[str, list[str]]:
    return {
        f"t{task}": ["passed" if rng.random() < rate else "missed" for _ in range(trials)]
        for task, rate in enumerate(rates)
    }


def counts(run: Run) -> dict[str, tuple[int, int]]:
    return {f"d/{task}": (ends.count("passed"), len(ends)) for task, ends in run.items()}


GATES = ["pass^1 >= 0.7", "pass^2 <= 0.5", "lower(pass^1) >= 0.5", "every task: pass^1 >= 0.5", "pass@2 > 0.8"]


@settings(deadline=None, max_examples=15)  # as many simulated runs
@given(st.sampled_from(GATES), st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=12))
def test_what_is_certain_is_what_the_whole_run_says(gate: str, trials: list[list[bool]]) -> None:
    run = {f"t{n}": ["passed" if passed else "missed" for passed in each] for n, each in enumerate(trials)}
    decisions, played, _ = play([gate], run)
    for one in decisions:
        assert played < 3 * len(trials)
        if one.rule == "certain":
            assert one.state is verdict(gate, run)


def test_predictions_are_hardly_ever_wrong_and_save_most_of_the_trials() -> None:
    rng, other, played = random.Random(3), 0, 0
    for _ in range(8):
        run = drawn(rng, [rng.betavariate(1.6, 0.4) for _ in range(50)])
        decisions, trials, _ = play(["pass^1 >= 0.6"], run)
        other += decisions[0].state is not verdict("pass^1 >= 0.6", run)
        played += trials
    assert other == 0
    assert played / 8 < 80


def test_nothing_is_held_early_where_too_few_trials_have_a_verdict() -> None:
    run = {"t0": ["infra_error"], **{f"t{n}": ["passed"] for n in range(1, 10)}}
    assert play(["pass^1 >= 0.5"], run)[:2] == ([], 10)  # to its end, where no gate holds
    [decision], played, _ = play(["pass^1 >= 0.5"], run, min_coverage=0.8)
    assert (decision.state, played) == (GateState.HELD, 6)
    [decision], played, _ = play(["pass^1 <= 0.5"], run)
    assert (decision.state, played) == (GateState.FAILED, 7)  # which no verdict can change


def test_completions_keep_what_was_seen_and_have_the_whole_plan() -> None:
    kinds: Kinds = Counter({((1, 1, 4),): 20, ((0, 1, 4),): 5, ((4, 4, 4),): 3})
    drawn = list(completions(kinds, 200))
    assert all(each.total() == 28 and all(planned == 4 for [(_, planned)] in each) for each in drawn)
    means = [sum(passed * count for [(passed, _)], count in each.items()) / 112 for each in drawn]
    assert sum(means) / 200 == pytest.approx(0.8, abs=0.06)
    assert min(means) >= (20 + 12) / 112


@pytest.mark.parametrize(("drop", "state", "most"), [(-0.1, GateState.HELD, 100), (0.2, GateState.FAILED, 100)])
def test_a_clear_change_is_decided_early(drop: float, state: GateState, most: int) -> None:
    rng, played, right = random.Random(4), 0, 0
    for _ in range(10):
        rates = [rng.betavariate(1.6, 0.4) for _ in range(50)]
        baseline = counts(drawn(rng, rates))
        later = drawn(rng, [min(1.0, rate * (1 - drop / 0.8)) for rate in rates])
        decisions, trials, _ = play(["no regression"], later, baseline)
        played += trials
        right += bool(decisions) and decisions[0].state is state
    assert played / 10 < most
    assert right >= 9


def test_a_comparison_says_by_which_rule_it_was_decided() -> None:
    run = {f"t{n}": ["missed"] * 4 for n in range(20)}
    decisions, played, _ = play(["no regression"], run, {f"d/t{n}": (4, 4) for n in range(20)})
    assert (played, decisions[0].state, decisions[0].rule) == (20, GateState.FAILED, "bound")
    assert decisions[0].said.startswith(
        "decided after round 1 of 4 at an O'Brien-Fleming bound: worse: pass^1 100.0 % → 0.0 % over 20 common tasks"
    )
    assert "p below 0.001 (one-sided level 0.19 %)" in decisions[0].said


def test_playing_goes_on_until_every_gate_is_decided() -> None:
    run = {f"t{n}": (["passed", "missed"] * 3)[n % 2 :][:4] for n in range(30)}
    baseline = {f"d/t{n}": (2, 4) for n in range(30)}
    decisions, played, stopper = play(["pass^1 >= 0.95", "no regression within 0.02"], run, baseline)
    assert played == 120
    assert [one.gate.metric for one in decisions] == []
    assert 0 < stopper.final_alpha(parse_gate("no regression within 0.02")) < 0.05


def test_a_round_with_missing_verdicts_decides_nothing() -> None:
    run = {f"t{n}": ["missed"] * 4 for n in range(20)} | {"x": ["infra_error"] * 4}
    assert play(["no regression"], run, {f"d/t{n}": (4, 4) for n in range(20)})[0] == []


def test_trials_of_the_next_round_do_not_count_in_a_look() -> None:
    """A resumed run comes to the same looks with the same numbers, whatever was played ahead."""
    rng = random.Random(5)
    rates = [0.6] * 30
    baseline, run = counts(drawn(rng, rates)), drawn(rng, rates)
    _, _, in_order = play(["no regression within 0.02"], run, baseline)
    ahead = Stopper(
        [parse_gate("no regression within 0.02")], {task: ("d", task, 4) for task in run}, baseline=baseline
    )
    for trials in ((1, 2), (3,), (4,)):
        for task, ends in run.items():
            for trial in trials:
                ahead.add(task, trial, ends[trial - 1])
        ahead.look()
    assert ahead.decisions == in_order.decisions
    assert ahead.round == in_order.round == 4


def test_a_comparison_whose_trials_are_all_played_waits_for_no_others() -> None:
    """Tasks of one trial in one row, of four in another: after the first round the one is decided for good."""
    gates = [parse_gate("a: no regression within 0.05"), parse_gate("b: pass^1 >= 0.5")]
    tasks = {f"a{n}": ("a", f"t{n}", 1) for n in range(6)} | {f"b{n}": ("b", f"t{n}", 4) for n in range(6)}
    stopper = Stopper(gates, tasks, baseline={f"a/t{n}": (1, 1) for n in range(6)})
    for key, (row, task_id, planned) in tasks.items():
        stopper.add(key, 1, "missed" if key in ("a5", "b1", "b3", "b5") else "passed", (row, task_id))
        assert planned in (1, 4)
    assert stopper.look() is None
    assert [(one.gate.domain, one.state) for one in stopper.decisions] == [("a", GateState.INCONCLUSIVE)]
    assert stopper.decisions[0].said.startswith("decided after round 1 of 4 with all of its trials: inconclusive: ")


def test_a_baseline_of_other_tasks_decides_at_once() -> None:
    run = {f"t{n}": ["passed"] * 4 for n in range(5)}
    decisions, played, _ = play(["no regression"], run, {"other/x": (4, 4)})
    assert (played, decisions[0].state) == (5, GateState.FAILED)


def test_gates_on_costs_ask_for_no_trials_but_do_not_stop_a_run_either() -> None:
    run = {f"t{n}": ["passed"] * 4 for n in range(5)}
    assert play(["cost <= 5"], run)[:2] == ([], 20)
    decisions, played, _ = play(["cost <= 5", "pass^1 <= 0.1"], run)
    assert played < 20
    assert [one.gate.text for one in decisions] == ["pass^1 <= 0.1"]


def play_tests(gate: str, run: Mapping[tuple[str, str], Sequence[str]]) -> tuple[list[Decision], int]:
    """The decisions on a project's tests, which say with a trial only which row and task they are about."""
    stopper = Stopper([parse_gate(gate)], {f"{row}-{task}": ("", row, len(ends)) for (row, task), ends in run.items()})
    played = 0
    for trial in range(max(map(len, run.values()))):
        for (row, task), ends in run.items():
            played += 1
            if stopper.add(f"{row}-{task}", trial + 1, ends[trial], (row, task)) and (found := stopper.look()):
                return found, played
    return stopper.decisions, played


def whole(gate: str, run: Mapping[tuple[str, str], Sequence[str]]) -> GateState:
    results = [TaskResult(*key, ends.count("passed"), len(ends), len(ends)) for key, ends in run.items()]
    return evaluate(parse_gate(gate), results).state


def test_what_is_certain_counts_a_task_of_several_rows_once() -> None:
    run = {(f"d, test_a, {n}", "t"): ["passed"] * 2 for n in range(8)}
    run |= {("d, test_b", f"u{n}"): ["missed"] * 2 for n in "abc"}
    [decision], played = play_tests("pass^1 >= 0.5", run)
    assert (decision.rule, decision.state, played) == ("certain", GateState.FAILED, 21)
    assert "pass^1 ends between 25.0 % and 37.5 %" in decision.said
    assert whole("pass^1 >= 0.5", run) is GateState.FAILED


def test_nothing_is_certain_of_tests_that_may_be_about_any_task() -> None:
    """Seven rows of one task have passed; three other tasks, which no trial has named yet, will miss."""
    run = {(f"d, test_a, {n}", "t"): ["passed"] for n in range(8)} | {("d, test_b", f"u{n}"): ["missed"] for n in "abc"}
    assert play_tests("pass^1 >= 0.6", run) == ([], 11)
    assert whole("pass^1 >= 0.6", run) is GateState.FAILED


def test_a_prediction_counts_a_task_of_several_rows_once() -> None:
    run = {(f"d, test_a, {n}", "t"): ["passed"] * 4 for n in range(40)}
    run |= {("d, test_b", f"u{n}"): ["missed"] * 4 for n in "abcdefghij"}
    decisions, played = play_tests("pass^1 >= 0.6", run)
    assert (decisions[0].rule, decisions[0].state, played) == ("predicted", GateState.FAILED, 50)
    assert "until then pass^1 is 9.1 %" in decisions[0].said
    assert whole("pass^1 >= 0.6", run) is GateState.FAILED
