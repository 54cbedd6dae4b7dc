"""Comparing two runs: exact p-values, error rates, the guard over single tasks, verdicts."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping

import pytest

from pytest_tau.metrics import compare as module
from pytest_tau.metrics.compare import ALPHA, Comparison, Verdict, compare

Counts = Mapping[str, tuple[int, int]]


def results(*groups: tuple[int, int, int]) -> dict[str, tuple[int, int]]:
    """Tasks t0, t1, … from (how many, successes, trials)."""
    counts = [(successes, trials) for number, successes, trials in groups for _ in range(number)]
    return {f"t{position}": pair for position, pair in enumerate(counts)}


def compared(before: Counts, after: Counts, k: int = 1, margin: float = 0.10) -> Comparison:
    about = {key: key.rpartition("/")[2] for key in [*before, *after]}
    found = compare(before, after, k=k, margin=margin, about=about)
    assert found is not None
    return found


def test_a_few_broken_tasks_are_a_regression() -> None:
    found = compared(results((50, 4, 4)), results((4, 1, 4), (46, 4, 4)))
    assert (found.verdict, found.lost) == (Verdict.WORSE, ())
    assert found.p_worse == pytest.approx((5 / 70) ** 4)


def simulated(rng: random.Random, tasks: int, drop: float) -> tuple[Counts, Counts]:
    before, after = {}, {}
    for task in range(tasks):
        rate = rng.betavariate(1.6, 0.4)
        later = rate * (1 - drop / 0.8)
        before[str(task)], after[str(task)] = ((sum(rng.random() < p for _ in range(4)), 4) for p in (rate, later))
    return before, after


def test_a_regression_is_rarely_called_where_there_is_none() -> None:
    rng = random.Random(11)
    verdicts = [compared(*simulated(rng, 50, 0.0)).verdict for _ in range(60)]
    assert verdicts.count(Verdict.WORSE) / 60 <= 0.08
    assert verdicts.count(Verdict.SAME) / 60 >= 0.7


def test_a_drop_of_15_points_is_caught() -> None:
    rng = random.Random(12)
    caught = [compared(*simulated(rng, 50, 0.15)).no_regression is False for _ in range(30)]
    assert sum(caught) / 30 >= 0.9


def test_a_clear_drop_and_a_clear_gain() -> None:
    low, high = results((30, 2, 4), (20, 1, 4)), results((30, 4, 4), (20, 2, 4))
    worse, better = compared(high, low), compared(low, high)
    assert (worse.verdict, worse.no_regression, worse.trials) == (Verdict.WORSE, False, None)
    assert (better.verdict, better.no_regression) == (Verdict.BETTER, True)
    assert worse.difference == pytest.approx(-0.4)
    assert worse.low < -0.4 < worse.high < 0 < better.low
    assert worse.p_worse < 1e-9 < better.p_worse


def test_equal_perfect_runs_do_not_differ() -> None:
    found = compared(results((10, 4, 4)), results((10, 4, 4)))
    assert (found.verdict, found.no_regression) == (Verdict.UNCHANGED, True)
    assert found.low == pytest.approx(-0.0782, abs=0.001)  # 40 trials without a failure on either side


def test_a_few_trials_settle_nothing_and_say_how_many_would() -> None:
    found = compared(results((3, 1, 1), (1, 1, 2), (1, 1, 1)), results((3, 1, 1), (1, 0, 1), (1, 1, 2)))
    assert (found.verdict, found.no_regression) == (Verdict.INCONCLUSIVE, None)
    assert found.trials is not None


def test_equal_results_are_unchanged_however_few_they_are() -> None:
    found = compared(results((1, 1, 1), (1, 0, 1)), results((1, 1, 1), (1, 0, 1)))
    assert (found.verdict, found.unchanged, found.trials) == (Verdict.UNCHANGED, True, None)
    assert found.no_regression is None  # for a run that may be stopped early: the results may still come to differ


def test_as_often_of_more_trials_is_not_the_same_result() -> None:
    assert not compared(results((5, 1, 1)), results((5, 4, 4))).unchanged


def test_tasks_are_named_that_turned_from_never_to_always_and_back() -> None:
    found = compared(results((1, 0, 2), (1, 2, 2), (1, 1, 2)), results((1, 2, 2), (1, 0, 2), (1, 2, 2)))
    assert (found.lost, found.gained) == (("t1",), ("t0",))


def test_a_wider_margin_settles_more() -> None:
    before, after = results((40, 4, 4), (10, 2, 4)), results((36, 4, 4), (4, 2, 4), (6, 4, 4), (4, 2, 4))
    narrow, wide = compared(before, after, margin=0.01), compared(before, after, margin=0.2)
    assert (narrow.verdict, wide.verdict) == (Verdict.INCONCLUSIVE, Verdict.SAME)
    assert (narrow.p_worse, narrow.low) == (wide.p_worse, wide.low)


def test_the_trials_that_settle_it_settle_it() -> None:
    """Two versions that do not differ, at the number of trials that a first comparison asked for."""
    rng = random.Random(6)

    def run(trials: int) -> Counts:
        return {str(task): (sum(rng.random() < 0.6 for _ in range(trials)), trials) for task in range(30)}

    first = compared(run(4), run(4))
    assert first.verdict is Verdict.INCONCLUSIVE
    assert first.trials is not None
    assert 4 < first.trials < 60
    settled = [compared(run(first.trials), run(first.trials)).verdict for _ in range(20)]
    assert settled.count(Verdict.INCONCLUSIVE) <= 6


def noisy(tasks: int, lost: int, trials: int = 4) -> tuple[Counts, Counts]:
    """Tasks that pass half of the time, and as many that always did; ``lost`` of those never do any more."""
    half = results((tasks // 2, trials // 2, trials))
    always = {f"a{position}": (trials, trials) for position in range(tasks - tasks // 2)}
    return half | always, half | always | {f"a{position}": (0, trials) for position in range(lost)}


@pytest.mark.parametrize(
    ("tasks", "lost", "verdict"),
    [(4, 1, "worse"), (50, 1, "inconclusive"), (50, 3, "worse"), (300, 1, "no difference")],
)
def test_tasks_from_always_to_never_are_named_and_weighed(tasks: int, lost: int, verdict: str) -> None:
    found = compared(*noisy(tasks, lost))
    assert found.lost == tuple(f"a{position}" for position in range(lost))
    assert found.verdict.value == verdict
    assert found.p_worse > ALPHA  # the guard alone


def test_a_doubt_about_one_task_names_the_trials_that_settle_it() -> None:
    found = compared(*noisy(50, 1))
    assert found.p_lost == pytest.approx(1 - (1 - 4**-4) ** 50)
    assert found.no_regression is None
    assert found.trials == 6
    assert compared(*noisy(50, 1, trials=6)).verdict is Verdict.WORSE


def test_single_trials_make_no_task_suspicious() -> None:
    found = compared(results((50, 1, 1)), results((1, 0, 1), (49, 1, 1)))
    assert found.lost == ("t0",)
    assert found.p_lost > 0.99


def test_the_chance_of_lost_tasks_is_exact_for_its_rates() -> None:
    trials = [(4, 4), (1, 2), (2, 2)]
    rates = [4**-4, (1 / 3) * (2 / 3) ** 2, 2**-4]
    for lost in range(4):
        expected = 0.0
        for outcome in itertools.product((True, False), repeat=3):
            chance = 1.0
            for happens, rate in zip(outcome, rates, strict=True):
                chance *= rate if happens else 1 - rate
            expected += chance if sum(outcome) >= lost else 0.0
        assert module._chance_of_lost(lost, trials) == pytest.approx(expected)


def test_only_tasks_of_both_runs_with_enough_trials_are_paired() -> None:
    before = {"both": (2, 4), "gone": (4, 4), "short": (1, 1)}
    after = {"both": (3, 4), "new": (0, 4), "short": (4, 4)}
    found = compared(before, after, k=2)
    assert (found.tasks, found.left_out) == (1, 3)
    assert [found.before, found.after] == pytest.approx([1 / 6, 1 / 2])
    assert compare({"a": (1, 1)}, {"b": (1, 1)}) is None


def test_rows_about_the_same_task_say_it_once_of_tasks_like_these() -> None:
    alone = {f"mock/{n}": (4 - n % 2, 4) for n in range(6)}
    rows = {f"mock, test_it, gpt/{row}/{n}": counts for row in "ab" for n, counts in enumerate(alone.values())}
    one = compared(alone, {key: (passed - 1, trials) for key, (passed, trials) in alone.items()})
    two = compared(rows, {key: (passed - 1, trials) for key, (passed, trials) in rows.items()})
    assert (two.tasks, two.low, two.high) == (6, one.low, one.high)
    assert two.p_worse < one.p_worse  # more trials on these tasks say more of these
    assert compared(rows, {key: rows[key] for key in list(rows)[:6]}).left_out == 0


def test_a_task_of_many_rows_weighs_no_more_than_another_in_the_p_value() -> None:
    rows = [f"mock, test_it, p{row}/t0" for row in range(12)]
    others = [f"mock, test_it, p0/t{task}" for task in range(1, 9)]
    before = dict.fromkeys(rows, (4, 4)) | dict.fromkeys(others, (2, 4))
    found = compared(before, dict.fromkeys(rows, (2, 4)) | dict.fromkeys(others, (3, 4)))
    assert found.tasks == 9
    assert found.difference == pytest.approx(1 / 6)
    assert found.p_better < 0.1 < 0.9 < found.p_worse
    assert found.verdict is not Verdict.WORSE


def test_one_of_a_task_s_rows_that_broke_for_good_is_seen() -> None:
    before = {f"mock, test_it, p{row}/t0": (6, 6) for row in range(4)}
    found = compared(before, before | {"mock, test_it, p1/t0": (0, 6)})
    assert (found.verdict, found.lost) == (Verdict.WORSE, ("mock, test_it, p1/t0",))
