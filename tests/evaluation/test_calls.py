"""The calls of a conversation beside their results."""

from pytest_tau.evaluation.calls import Line, Transcript, calls_made, lines_of
from pytest_tau.schema.messages import AnyMessage
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
