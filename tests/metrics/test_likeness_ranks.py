"""Ranks of simulated customers: what can be told, what cannot, and that the seed does not decide it."""

from random import Random

import pytest

from pytest_tau.metrics.family import possible_ranks
from pytest_tau.metrics.likeness import FEATURES, compare_with_people, people
from pytest_tau.metrics.likeness_ranks import _mean_distance, likeness_ranks

Conversations = list[tuple[float, ...]]


def drawn(rng: Random, count: int, apart: float = 0.0) -> Conversations:
    """Conversations like people's, but for words and the opening, which are longer by so much."""
    quantiles = people().quantiles
    longer = {"words": apart, "opening": apart, "longest": apart, "letters": apart / 10}
    return [tuple(rng.choice(quantiles[name]) + longer.get(name, 0.0) for name in FEATURES) for _ in range(count)]


@pytest.mark.parametrize("count", [3, 10, 40])
def test_the_distance_of_all_conversations_is_the_one_that_is_shown(count: int) -> None:
    found = drawn(Random(count), count, 3.0)
    compared = compare_with_people(found)
    assert compared is not None
    assert _mean_distance(found)(range(count)) == pytest.approx(compared.distance)
    assert likeness_ranks({"one": found})[0].value == pytest.approx(-compared.distance)


def test_clear_differences_have_clear_ranks_with_any_seed() -> None:
    rng = Random(1)
    found = {"far": drawn(rng, 25, 30.0), "near": drawn(rng, 25), "between": drawn(rng, 25, 6.0)}
    for seed in range(5):
        ranks = [(one.name, str(one)) for one in likeness_ranks(found, seed)]
        assert ranks == [("near", "1"), ("between", "2"), ("far", "3")]


def test_two_samples_of_the_same_customers_are_told_apart_seldom_however_many_they_are() -> None:
    rng = Random(2)
    wrong = sum(
        str(likeness_ranks({"a": drawn(rng, 8, 4.0), "b": drawn(rng, many, 4.0)}, seed)[0]) != "1–2"
        for many in (8, 30)
        for seed in range(8)
    )
    assert wrong <= 2


def test_runs_that_say_the_same_in_each_conversation_are_no_error() -> None:
    same, other = drawn(Random(3), 1), drawn(Random(4), 1, 40.0)
    assert [str(one) for one in likeness_ranks({"a": same * 3, "b": same * 3})] == ["1–2", "1–2"]
    assert [(one.name, str(one)) for one in likeness_ranks({"a": other * 3, "b": same * 3})] == [("b", "1"), ("a", "2")]


def test_one_conversation_says_nothing_of_ranks() -> None:
    rng = Random(5)
    assert [str(one) for one in likeness_ranks({"a": drawn(rng, 1), "b": drawn(rng, 30, 30.0)})] == ["1–2", "1–2"]


def test_ranks_go_by_the_pairs() -> None:
    values, differences = {"a": 0.1, "b": 0.2}, {("a", "b"): -0.1}
    assert [(one.name, str(one)) for one in possible_ranks(values, differences, {("a", "b"): 0.01})] == [
        ("b", "2"),
        ("a", "1"),
    ]
