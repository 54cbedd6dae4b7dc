"""Calls that threads make at once run in the order of the message that they are from."""

import threading
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.conversation import ordering
from pytest_tau.conversation.ordering import CallOrder
from pytest_tau.schema.messages import ToolCall


def called(name: str, **arguments: object) -> ToolCall:
    return ToolCall(id=f"call_{name}", name=name, arguments=arguments)


def make_order(*messages: Sequence[ToolCall]) -> CallOrder:
    left = [list(messages)]
    return CallOrder(lambda: left.pop() if left else [], lambda name: name != "think")


def run_at_once(order: CallOrder, calls: Sequence[ToolCall]) -> list[ToolCall]:
    """Make each call in a thread of its own, begun in this order; the order in which they ran."""
    ran: list[ToolCall] = []

    def make(call: ToolCall) -> None:
        with order.turn(call.name, call.arguments):
            ran.append(call)

    threads = [threading.Thread(target=make, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ran


@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=6).flatmap(
        lambda names: st.tuples(st.just(names), st.permutations(range(len(names))))
    )
)
def test_shuffled_threads_run_in_the_order_of_the_message(drawn: tuple[list[str], list[int]]) -> None:
    names, shuffled = drawn
    message = [called(name, place=place) for place, name in enumerate(names)]
    assert run_at_once(make_order(message), [message[place] for place in shuffled]) == message


def test_equal_calls_and_those_of_a_framework_itself_hold_nobody_up() -> None:
    message = [called("a"), called("think"), called("a"), called("b")]
    ran = run_at_once(make_order(message), [message[3], message[2], message[0]])
    assert [call.name for call in ran] == ["a", "a", "b"]


def test_arguments_that_a_framework_has_completed_are_still_the_same_call() -> None:
    message = [called("a", item="kettle"), called("b")]
    ran = run_at_once(make_order(message), [called("b"), called("a", item="kettle", count=1)])
    assert [call.name for call in ran] == ["a", "b"]


def test_a_call_that_nobody_makes_is_not_waited_for_longer_than_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordering, "GRACE", 0.01)
    message = [called("a"), called("b"), called("c")]
    assert [call.name for call in run_at_once(make_order(message), [message[2]])] == ["c"]


def test_calls_of_no_known_message_run_as_they_come() -> None:
    order = make_order()
    ran = [run_at_once(order, [call])[0] for call in (called("b"), called("a"))]
    assert [call.name for call in ran] == ["b", "a"]


def test_a_call_that_raises_lets_the_next_one_run() -> None:
    message = [called("a"), called("b")]
    order = make_order(message)
    with pytest.raises(ZeroDivisionError), order.turn("a", {}):
        raise ZeroDivisionError
    assert run_at_once(order, [message[1]]) == [message[1]]
