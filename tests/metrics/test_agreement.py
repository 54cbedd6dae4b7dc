"""Shares with their intervals, and Cohen's kappa."""

import random
from collections.abc import Callable

import pytest

from pytest_tau.metrics.agreement import AgreementShare, kappa, share
from pytest_tau.metrics.intervals import wilson


def test_a_share_has_a_wilson_interval_and_of_nothing_nothing_is_known() -> None:
    found = share([("", number < 8) for number in range(10)])
    assert (found.value, (found.low, found.high)) == (0.8, wilson(0.8, 10))
    assert str(found) == "80 % [49–94] of 10"
    nothing = share([])
    assert (nothing.value, nothing.low, nothing.high, str(nothing)) == (None, 0.0, 1.0, "–")


def in_tasks(each: int, tasks: int, hits: Callable[[int, int], bool]) -> AgreementShare:
    return share([(f"t{task}", hits(task, place)) for task in range(tasks) for place in range(each)])


def test_those_of_a_task_are_worth_as_many_as_they_are_unlike() -> None:
    assert in_tasks(1, 40, lambda task, place: task % 2 == 0).worth is None
    assert in_tasks(4, 10, lambda task, place: place % 2 == 0).worth is None  # each task has both
    alike = in_tasks(4, 10, lambda task, place: task % 2 == 0)
    assert (alike.hits, alike.of, alike.worth) == (20, 40, 10)
    assert (alike.low, alike.high) == wilson(0.5, 10)
    for told in (True, False):  # nothing shows how alike they are
        assert in_tasks(4, 10, lambda task, place, told=told: told).worth == 10  # type: ignore[misc]
    assert share([("t", True), ("t", False)]).worth == 1


@pytest.mark.parametrize("alike", [0.0, 0.5, 1.0])
def test_intervals_hold_the_truth_also_where_tasks_have_several(alike: float) -> None:
    """A judge that is right in 80 %, and about a task as often as not always or never."""
    rng, held, runs = random.Random(3), 0, 500
    for _ in range(runs):
        always = [rng.random() < 0.8 for _ in range(40)]
        found = share(
            [(f"t{t}", always[t] if rng.random() < alike else rng.random() < 0.8) for t in range(40) for _ in range(5)]
        )
        held += found.low <= 0.8 <= found.high
    assert 0.92 <= held / runs <= 0.99, held / runs  # Wilson's own has 0.92 to 0.97 of so few; taken for alone, 0.66


def test_kappa_is_no_surer_than_its_tasks_let_it() -> None:
    pairs = [("a", "a"), ("a", "b"), ("b", "b"), ("b", "b")] * 10
    alone, alike = kappa(pairs), kappa(pairs, ["t1", "t2", "t3", "t4"] * 10)
    assert alone.low is not None
    assert alike.low is not None
    assert (alone.value, alone.of) == (alike.value, alike.of)
    assert alike.low < alone.low


def test_kappa_of_cohens_own_kind_of_table() -> None:
    pairs = [("a", "a")] * 20 + [("a", "b")] * 5 + [("b", "a")] * 10 + [("b", "b")] * 15
    found = kappa(pairs)
    # 35 of 50 equal; by chance 0.5 · 0.6 + 0.5 · 0.4
    assert found.value == pytest.approx((0.7 - 0.5) / 0.5)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.4 < found.high
    assert str(found).startswith("0.40 [")


def test_kappa_of_equal_opposite_and_undefined() -> None:
    assert kappa([("a", "a"), ("b", "b")]).value == 1.0
    assert kappa([("a", "b"), ("b", "a")]).value == -1.0
    assert kappa([("a", "b"), ("a", "a"), ("b", "a")]).low == -1.0  # of what is equal by chance in 5 of 9
    assert (kappa([]).value, kappa([("a", "a")] * 3).value, str(kappa([]))) == (None, None, "–")
