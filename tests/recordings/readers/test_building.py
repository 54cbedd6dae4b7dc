"""Pieces of one conversation, as readers put them together."""

import pytest

from pytest_tau.recordings.logged import (
    CalledEvent,
    Event,
    LeftOutEvent,
    LoggedConversation,
    ReturnedEvent,
    SaidEvent,
    messages_of,
)
from pytest_tau.recordings.readers.building import longest, merge
from tests.steps import calls_during

CALL = CalledEvent("c1", "get_order", {"order_id": "O1"})
RETURNED = ReturnedEvent("c1", "ok")
HELLO = SaidEvent("user", "Hello")
LOOKS = SaidEvent("assistant", "I look.")


class TestMerging:
    PROMPT = SaidEvent("system", "Be kind.")
    YES = SaidEvent("user", "Yes.")

    @pytest.mark.parametrize(
        ("first", "second", "whole"),
        [
            ([], [PROMPT, HELLO], [PROMPT, HELLO]),
            ([HELLO], [HELLO, CALL], [HELLO, CALL]),
            ([PROMPT, HELLO], [PROMPT, HELLO, CALL], [PROMPT, HELLO, CALL]),
            ([HELLO], [PROMPT, HELLO, CALL], [HELLO, CALL]),
            ([HELLO, CALL, RETURNED], [HELLO, CALL], [HELLO, CALL, RETURNED]),
            ([HELLO, CALL, RETURNED], [CALL, RETURNED, YES], [HELLO, CALL, RETURNED, YES]),
            ([HELLO, CALL], [RETURNED, YES], [HELLO, CALL, RETURNED, YES]),
            ([HELLO, LOOKS], [PROMPT], [HELLO, LOOKS]),
        ],
        ids=[
            *("the first", "all and more", "with a prompt", "a new prompt", "less", "the last part", "what is new"),
            "a prompt alone",
        ],
    )
    def test_what_the_second_repeats_is_said_once(
        self, first: list[Event], second: list[Event], whole: list[Event]
    ) -> None:
        assert merge(first, second) == whole

    def test_what_was_left_out_is_told_once_and_hides_no_repetition(self) -> None:
        lost = LeftOutEvent("a block is left out")
        assert merge([HELLO, LOOKS, lost], [HELLO, lost, LOOKS, self.YES]) == [HELLO, LOOKS, lost, self.YES]
        assert merge([HELLO, lost], [HELLO, LOOKS]) == [HELLO, lost, LOOKS]


class TestLongest:
    def many(self, number: int) -> list[LoggedConversation]:
        greeted = SaidEvent("assistant", "How can I help?")
        return [
            LoggedConversation(
                f"c{one}", messages_of([greeted, SaidEvent("user", f"Cancel O{one}.")])[0], {"where": ""}
            )
            for one in range(number)
        ]

    def test_many_that_begin_with_the_same_greeting_are_not_compared_each_with_each(self) -> None:
        few, many = self.many(50), self.many(400)
        assert len(list(longest(many, ()))) == 400
        assert calls_during(lambda: list(longest(many, ()))) < 10 * calls_during(lambda: list(longest(few, ())))
