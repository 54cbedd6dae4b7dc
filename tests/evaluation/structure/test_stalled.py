"""Loops of the agent."""

from pytest_tau.evaluation.structure.stalled import CALLS, WORDS, stalls
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tests.builders import asks, result_of, says

WORDING = "I am sorry, I could not find that order. Which number does it have?"


def looks(number: int, result: str = "nothing") -> list[AnyMessage]:
    found: list[AnyMessage] = []
    for _ in range(number):
        call = ToolCall(id="c", name="get_order_details", arguments={"order_id": "#W1"})
        found += [says(None, call), result_of(call, result)]
    return found


def test_the_same_call_with_the_same_result() -> None:
    assert [(one.turn, one.times) for one in stalls(looks(CALLS + 2))] == [(2 * (CALLS - 1), CALLS + 2)]
    assert not list(stalls(looks(CALLS - 1)))
    assert not list(stalls([*looks(CALLS - 1), *looks(CALLS - 1, "something")]))


def test_the_same_words() -> None:
    assert [one.times for one in stalls([says(WORDING), asks("#W1")] * WORDS)] == [WORDS]
    assert not list(stalls([says(WORDING), asks("#W1")] * (WORDS - 1)))
    assert not list(stalls([says("One moment."), asks("Yes.")] * WORDS))
