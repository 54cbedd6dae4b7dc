"""How far customers are from people: what is read off a conversation, and the laws of the two distances."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.metrics.likeness import FEATURES, auc, compare_with_people, features, ks, people
from tests.strategies import text

LISTS = st.lists(st.floats(-5, 5), min_size=1, max_size=30)


def read(*turns: str) -> dict[str, float]:
    found = features(turns)
    assert found is not None
    return dict(zip(FEATURES, found, strict=True))


def test_what_is_read_off_a_conversation() -> None:
    found = read("hi, i need help with order W12", "yes", "Is it there? Thanks!", "ok ###STOP###", "###STOP###")
    assert (found["words"], found["opening"], found["longest"]) == (2.5, 7.0, 7.0)
    assert (found["short"], found["small"], found["open_end"]) == (0.5, 0.75, 0.75)
    assert (found["question"], found["exclamation"], found["lines"]) == (0.25, 0.25, 0.0)
    assert found["commas"] == pytest.approx(100 / 13)
    assert found["digits"] == pytest.approx(100 / 13)


def test_fewer_than_three_turns_say_nothing() -> None:
    assert features(["Hello.", "Yes.", "###STOP###"]) is None
    assert compare_with_people([]) is None


@given(st.lists(text(), max_size=6))
def test_law_any_text_has_features_or_says_nothing(turns: list[str]) -> None:
    found = features(turns)
    assert found is None or len(found) == len(FEATURES)


@given(LISTS, LISTS)
def test_law_auc_of_two_and_of_the_two_the_other_way_round_add_up_to_one(one: list[float], other: list[float]) -> None:
    assert auc(one, other) + auc(other, one) == pytest.approx(1.0)
    assert auc(one, one) == pytest.approx(0.5)


@given(LISTS, LISTS)
def test_law_the_distance_is_a_number_between_none_and_one(one: list[float], other: list[float]) -> None:
    assert 0.0 <= ks(one, other) <= 1.0
    assert ks(one, other) == pytest.approx(ks(other, one))
    assert ks(one, one) == 0.0


def test_somebody_who_writes_as_people_do_is_near_them_and_a_letter_writer_is_not() -> None:
    short = features(["hi there", "i need to cancel my booking for friday", "Alexis", "no that's all, thanks"])
    long = features(["I would like to cancel my booking, because my plans for the weekend have changed entirely."] * 4)
    assert short is not None
    assert long is not None
    near, far = compare_with_people([short]), compare_with_people([long])
    assert near is not None
    assert far is not None
    assert near.auc < 0.7 < 0.95 < far.auc


def test_the_figures_that_come_with_the_package_fit_the_features() -> None:
    known = people()
    assert set(known.quantiles) == set(FEATURES)
    assert {len(known.center), len(known.scale), len(known.weights)} == {len(FEATURES)}
    assert {len(known.scores), *map(len, known.quantiles.values())} == {101}
