"""The calls of a conversation beside their results."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.errors import RecordingError
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.transcript import Line, Transcript, calls_made, calls_with_results, leaves, lines_of, shows
from tests import strategies
from tests.builders import a_call, asks, result_of, says, u_call

ONE, TWO, OWN = a_call("get_users", "1"), a_call("get_users", "2"), u_call()
TALK: list[AnyMessage] = [
    says("Hi!"),
    says(None, ONE, TWO),
    result_of(ONE, "first"),
    result_of(TWO, "second"),
    asks(None, OWN),
    result_of(OWN, "own"),
    says(None, ONE),
]


def test_every_call_has_its_turn_and_its_result() -> None:
    found = calls_made(TALK)
    assert [(turn, call) for turn, call, _ in found] == [(1, ONE), (1, TWO), (4, OWN), (6, ONE)]
    assert [result and result.content for _, _, result in found] == ["first", "second", "own", None]


def test_a_call_whose_results_are_cut_off_has_none() -> None:
    cut: list[AnyMessage] = [says(None, ONE, TWO), result_of(ONE, "first"), asks("Hello?")]
    assert [result and result.content for _, _, result in calls_made(cut)] == ["first", None]


def test_of_a_transcript_they_are_found_once() -> None:
    transcript = Transcript(TALK)
    assert calls_made(transcript) == calls_made(TALK)
    assert calls_made(transcript) is calls_made(transcript)
    assert calls_made(TALK) is not calls_made(TALK)


def test_the_lines_are_what_the_two_sides_say_beside_calls_too() -> None:
    talk: list[AnyMessage] = [
        says("Hi!"),
        asks("Hello"),
        says("Wait", ONE),
        result_of(ONE, "first"),
        says(" "),
        asks(None, OWN),
    ]
    found = [Line(0, True, "Hi!", False), Line(1, False, "Hello", False), Line(2, True, "Wait", True)]
    assert lines_of(talk) == lines_of(Transcript(talk)) == found


class TestPairs:
    def test_in_order(self) -> None:
        first, second, third = a_call(id="1"), a_call(id="2"), u_call(id="3")
        messages: list[AnyMessage] = [asks("Hi"), says("Both", first, second), result_of(first), result_of(second)]
        messages += [says("So"), asks(None, third), result_of(third), asks("Bye")]
        assert [call for call, _ in calls_with_results(messages)] == [first, second, third]

    @pytest.mark.parametrize(
        ("messages", "sentence"),
        [
            ([result_of(a_call())], r"Tool message not expected\. Tool messages should always follow a tool call\."),
            ([says(None, a_call())], r"Tool message expected\. Got None\."),
            ([says(None, a_call()), asks("Hi")], r"Tool message expected\. Got <class '.*UserMessage'>\."),
            ([says(None, a_call(id="1")), result_of(a_call(id="2"))], "Tool call id mismatch. Got 1 and 2"),
            ([says(None, a_call()), result_of(a_call()), result_of(a_call())], "Tool message not expected"),
            (
                [says(None, a_call(id="1")), result_of(u_call(id="1"))],
                "Got tool message from user, expected assistant.",
            ),
        ],
    )
    def test_that_do_not_match(self, messages: list[AnyMessage], sentence: str) -> None:
        with pytest.raises(RecordingError, match=sentence):
            list(calls_with_results(messages))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | strategies.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(strategies.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(values)
def test_leaves_are_the_values_that_are_no_lists_and_no_objects(value: Any) -> None:
    def count(inner: Any) -> int:
        if isinstance(inner, (dict, list)):
            return sum(count(one) for one in (inner.values() if isinstance(inner, dict) else inner))
        return 1

    found = list(leaves(value))
    assert len(found) == count(value)
    assert not any(isinstance(leaf, (dict, list)) for _, leaf in found)


@pytest.mark.parametrize(
    ("written", "wanted", "met"),
    [
        (r'{"name": "Zo\u00eb"}', '"name": "Zoë"', True),
        (r'{"name": "Zo\u00eb"}', r"Zo\u00eb", True),  # as who copies a result writes it
        (r'{"name":  "\ud83d\udc22 Turbo"}', '{"name":  "🐢 Turbo', True),
        (r'{"name": "Zo\u00eb"}', "Zoe", False),
        (r'{"path": "C:\\u00eb"}', "C:\\ë", False),  # a backslash, and no escape
        (r'{"quoted": "\u0022\u00eb\u0022"}', r"\u0022ë\u0022", True),
        ("Zoë", "Zoë", True),
        ("", "x", False),
        ("anything", None, True),
    ],
)
def test_a_result_shows_what_people_write(written: str, wanted: str | None, met: bool) -> None:
    assert shows(result_of(ONE, written), wanted) is met
