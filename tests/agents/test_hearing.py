"""What the oracle has heard of a wish that is told in pieces."""

import re

from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.agents.hearing import Hearing, telling
from tests.builders import asks, says
from tests.variants.telling import customer

TASK = customer("Please move my task. It belongs to project 12.", "My id is user_7.")


def heard(*texts: str) -> Hearing:
    hearing = Hearing(TASK)
    hearing.messages = [message for text in texts for message in (says("And?"), asks(text))]
    return hearing


def test_it_expects_more_until_all_is_told() -> None:
    assert heard("hi").expects_more()
    assert heard("hi", "please move my task").expects_more()
    assert heard("hi", "please move my task", "it belongs to project 12").expects_more()
    assert not heard("please move my task", "belongs to project 12", "user_7").expects_more()


def test_it_stops_asking_where_nothing_more_comes() -> None:
    assert not heard("please move my task", "no", "I said all", "really").expects_more()


def test_more_of_the_wish_in_answer_to_a_proposal_puts_it_off() -> None:
    assert heard("please move my task", "it belongs to project 12, user_7").put_off()
    assert not heard("please move my task", "yes").put_off()
    assert not heard("please move my task", "it belongs to project 12", "user_7", "user_7 project 12").put_off()


def test_it_asks_again_only_a_few_times() -> None:
    hearing = heard("hello", "please move my task")
    assert [hearing.put_off() for _ in range(4)] == [True, True, True, False]


@given(st.text("a1@_.- é٣", max_size=12))
def test_what_tells_is_found_as_a_pattern_would_that_needs_the_square_of_a_word_s_length(text: str) -> None:
    assert telling(text) == re.findall(r"[\w@.-]*(?:\d|@|_)[\w@.-]*\w", text)
