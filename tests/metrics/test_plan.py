"""How small a difference can be seen, against the comparison itself and against exact moments."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_tau.cli import main
from pytest_tau.errors import SettingsError
from pytest_tau.metrics.permutation import permutation_test
from pytest_tau.metrics.plan import (
    MOST_TRIALS,
    Design,
    chance_of_holding,
    describe,
    detectable,
    expected_trials,
    fit,
    standard_error,
    tasks_needed,
    trials_needed,
    variances,
)
from pytest_tau.schema.record import Outcome, Variant
from tests.reports.runs import record


def test_variances_for_single_trials_are_the_textbook_ones() -> None:
    between, within = variances(0.7, 0.4, trials=5)
    assert between == pytest.approx(0.4 * 0.7 * 0.3)
    assert within == pytest.approx(0.6 * 0.7 * 0.3 / 5)


@pytest.mark.parametrize("kept", [1.0, 0.8])
def test_variances_of_pass_k_match_simulated_tasks(kept: float) -> None:
    rng, rates, values = random.Random(1), [], []
    for _ in range(20_000):
        rate = kept * rng.betavariate(0.7, 0.3)
        successes = sum(rng.random() < rate for _ in range(4))
        rates.append(rate**2)
        values.append(successes * (successes - 1) / 12)
    between, within = variances(0.7, 0.5, trials=4, k=2, kept=kept)
    assert between == pytest.approx(_variance(rates), rel=0.03)
    assert between + within == pytest.approx(_variance(values), rel=0.03)


def _variance(values: list[float]) -> float:
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / len(values)


def test_pairing_removes_what_is_between_tasks() -> None:
    paired, unpaired = Design(tasks=50, trials=4), Design(tasks=50, trials=4, paired=False)
    assert standard_error(paired) ** 2 == pytest.approx(2 * 0.5 * 0.21 / 4 / 50)
    assert standard_error(unpaired) ** 2 == pytest.approx(2 * (0.5 * 0.21 / 4 + 0.5 * 0.21) / 50)


def smallest(design: Design) -> float:
    drop = detectable(design)
    assert drop is not None
    return drop


def test_a_detectable_drop_is_found_with_the_power_promised() -> None:
    design = Design(tasks=50, trials=4, rate=0.8, icc=0.5)
    drop, rng, found, runs = smallest(design), random.Random(2), 0, 500
    for _ in range(runs):
        pairs = []
        for _ in range(design.tasks):
            rate = rng.betavariate(0.8, 0.2)
            later = rate * (1 - drop / 0.8)
            before, after = (sum(rng.random() < p for _ in range(4)) for p in (rate, later))
            pairs.append(((before, 4), (after, 4)))
        found += permutation_test(pairs)[0] <= design.alpha
    assert 0.76 <= found / runs <= 0.86


@pytest.mark.parametrize("design", [Design(tasks=50), Design(tasks=200, trials=4, k=4), Design(tasks=114, icc=0.2)])
def test_trials_needed_is_the_fewest(design: Design) -> None:
    trials = trials_needed(0.06, design)
    assert trials is not None
    assert smallest(replace(design, trials=trials)) <= 0.06 < smallest(replace(design, trials=trials - 1))


def test_more_trials_do_not_help_against_what_is_between_tasks() -> None:
    design = Design(tasks=50, paired=False)
    assert trials_needed(0.05, design) is None
    enough = tasks_needed(0.05, replace(design, trials=MOST_TRIALS))
    assert enough is not None
    assert trials_needed(0.05, replace(design, tasks=enough)) is not None
    assert trials_needed(0.05, replace(design, tasks=enough - 1)) is None


def test_one_task_can_find_no_drop_at_all() -> None:
    assert detectable(Design(tasks=1)) is None


def test_fit_finds_the_rate_and_the_icc() -> None:
    rng, tasks = random.Random(4), []
    for _ in range(4000):
        rate = rng.betavariate(1.4, 0.6)  # icc 1 / (1 + 1.4 + 0.6)
        tasks.append((sum(rng.random() < rate for _ in range(4)), 4))
    rate, icc = fit(tasks) or (0.0, 0.0)
    assert rate == pytest.approx(0.7, abs=0.02)
    assert icc == pytest.approx(1 / 3, abs=0.03)


def test_fit_stays_within_what_a_plan_takes() -> None:
    assert fit([(4, 4)] * 5) == (0.99, 0.5)
    assert fit([(4, 4), (0, 4)]) == (0.5, 0.99)
    assert fit([(1, 1), (2, 2)]) is None


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"tasks": 0}, "a plan for 0 tasks: write a number from 1 on"),
        ({"k": 0}, "pass^0: write a k from 1 on"),
        ({"k": 4}, "pass^4 needs 4 to 1000 trials per task, not 2"),
        ({"k": 1001, "trials": 1001}, "pass^1001: write a k of at most 1000"),
        ({"rate": 1.0}, "rate 1.0: write a number from 0.000001 to 0.999999, such as 0.5"),
    ],
)
def test_impossible_designs_are_refused_in_a_sentence(wrong: dict[str, float], sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        replace(Design(tasks=10, trials=2), **wrong)  # type: ignore[arg-type]
    assert str(caught.value) == sentence


def test_a_drop_that_no_number_of_tasks_shows() -> None:
    design = Design(tasks=50, trials=2)
    assert tasks_needed(1e-300, design) is None
    lines = describe([design], 1e-300)
    assert lines[-1] == "0.0 points: a million tasks are not enough, with 1000 trials each; ask for a larger drop."


def test_the_largest_k_has_a_plan_as_soon_as_any() -> None:
    """It took half a minute: the numbers of ways have hundreds of digits, and were counted anew for each drop tried."""
    design = Design(tasks=50, trials=MOST_TRIALS, k=MOST_TRIALS, rate=0.999)
    assert describe([design], 0.01)[-1].endswith("at least 974 tasks are needed.")


def test_the_command_prints_a_table_and_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--tasks", "50", "--difference", "0.05"]) == 0
    out = capsys.readouterr().out
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines()[4:-1]}
    assert rows["4"] == ["200", "10.0", "points", "89", "%", "120"]
    assert rows["1"][-1] == "50"  # one round saves nothing
    assert out.endswith("5.0 points: 14 trials a task in each run (700 conversations a run).\n")


def test_the_command_says_when_only_tasks_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--tasks", "50", "--unpaired", "--difference", "0.05"]) == 0
    assert "no number of trials is enough with 50 tasks; at least 485 tasks" in capsys.readouterr().out


def test_the_command_refuses_a_difference_in_points(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--difference", "5"]) == 2
    assert "difference 5.0: write a proportion below 0.70, the pass^1 expected, such as 0.05" in capsys.readouterr().err


def test_the_command_needs_a_run_with_repetitions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "journal.jsonl").write_text("")
    assert main(["plan", "--like", str(tmp_path)]) == 2
    assert "fewer than two tasks with two trials" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--alpha 1e-16", "alpha 1e-16: write a number from 0.000001 to 0.999999"),
        ("--rate 0.9999999999 --icc 0.9999999999", "rate 0.9999999999: write a number"),
        ("--icc 1e-300 --k 4", "icc 1e-300: write a number"),
        (
            "--rate 0.0001 --icc 0.0001 --k 100",
            "pass^100 would be 0 with rate 0.0001: write a smaller k or a larger rate",
        ),
    ],
)
def test_what_nobody_can_calculate_with_is_refused(
    capsys: pytest.CaptureFixture[str], options: str, sentence: str
) -> None:
    assert main(["plan", *options.split()]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("rate", [1e-6, 1 - 1e-6])
@pytest.mark.parametrize("icc", [1e-6, 1 - 1e-6])
def test_the_last_numbers_that_are_taken_have_a_plan(rate: float, icc: float) -> None:
    assert len(describe([Design(30, 4, rate=rate, icc=icc, alpha=1e-6, power=1 - 1e-6)])) == 5


def test_the_command_takes_of_a_run_each_agent_by_itself_and_no_variants(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trials = [
        record(task, trial, outcome, label=label, variant=Variant(label=told) if told else None, simulation=None)
        for label, outcome in (("good", Outcome.PASSED), ("bad", Outcome.MISSED))
        for told in ("", "typos")
        for task in "abc"
        for trial in (1, 2)
    ]
    named = [
        one.model_dump_json().replace("[trial", f"[{one.label}-{'typos-' if one.variant else ''}trial")
        for one in trials
    ]
    (tmp_path / "journal.jsonl").write_text("\n".join(named) + "\n", encoding="utf-8")
    assert main(["plan", "--unpaired", "--like", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{tmp_path} good:"
    assert lines[1].startswith("Two runs of 3 tasks, of different tasks; success rate 99%")
    other = lines.index(f"{tmp_path} bad:")
    assert lines[other + 1].startswith("Two runs of 3 tasks, of different tasks; success rate 1%")


@pytest.mark.parametrize(("tasks", "trials"), [(50, 1), (24, 4), pytest.param(12, 1, marks=pytest.mark.slow)])
def test_the_smallest_drop_is_found_as_often_as_the_plan_says(tasks: int, trials: int) -> None:
    design = Design(tasks, trials, rate=0.7, icc=0.5)
    found, runs, rng, drop = 0, 400, random.Random(8), smallest(design)
    for _ in range(runs):
        rates = [rng.betavariate(0.7, 0.3) for _ in range(tasks)]
        counts = [
            [(sum(rng.random() < rate * kept for _ in range(trials)), trials) for rate in rates]
            for kept in (1.0, 1 - drop / 0.7)
        ]
        found += permutation_test(list(zip(*counts, strict=True)))[0] <= design.alpha
    assert 0.74 <= found / runs <= 0.87


@pytest.mark.parametrize("tasks", [1, 2, 3, 4])
def test_so_few_tasks_find_nothing(tasks: int) -> None:
    """Of four tasks all can go from passed to missed by chance in one of sixteen cases."""
    assert detectable(Design(tasks)) is None


@pytest.mark.parametrize(("tasks", "trials", "rate", "simulated"), [(24, 4, 0.8, 0.784), (50, 4, 0.8, 0.916)])
def test_how_often_an_unchanged_agent_is_held(tasks: int, trials: int, rate: float, simulated: float) -> None:
    """What benchmarks/planning.py has simulated with 500 pairs."""
    assert chance_of_holding(Design(tasks, trials, rate=rate)) == pytest.approx(simulated, abs=0.05)


def test_a_wider_margin_is_held_more_often_and_sooner() -> None:
    narrow, wide = Design(50, 4, margin=0.05), Design(50, 4, margin=0.2)
    assert chance_of_holding(narrow) < chance_of_holding(Design(50, 4)) < chance_of_holding(wide)
    assert expected_trials(wide) < expected_trials(Design(50, 4)) < expected_trials(narrow) <= 200


def test_stopping_takes_the_trials_that_were_simulated() -> None:
    """121 of 200 in benchmarks/stopping.py, at 80 % and an ICC of 1/3."""
    assert expected_trials(Design(50, 4, rate=0.8, icc=1 / 3)) == pytest.approx(121, abs=4)
