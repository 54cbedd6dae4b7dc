"""Facts the customer told that a later change of the agent's has got wrong."""

from typing import Any

import pytest

from pytest_tau import grade
from pytest_tau.evaluation.progress.forgotten import find_forgotten
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.reward import Forgotten
from tests.builders import a_call, action, asks, finished, mock, played_calls, says, task, u_call

GOLD = {"actions": [action("create_task", user_id="user_1", title="Buy stamps", description="the blue ones")]}


def test_a_fact_that_was_told_and_got_lost() -> None:
    wrong = a_call("create_task", user_id="user_1", title="Buy stamps", description="red ones")
    messages = [asks("Buy stamps, the blue ones, for user_1"), says("All right."), *played_calls(mock(), wrong)]
    [fact] = find_forgotten(task(criteria=GOLD), messages, mock().environment())
    assert (fact.value, fact.told, fact.turn, fact.argument, fact.got) == (
        "the blue ones",
        0,
        2,
        "description",
        "red ones",
    )
    assert grade(task(criteria=GOLD), finished(messages), mock()).forgotten == [fact]


def test_what_was_never_said_cannot_be_forgotten() -> None:
    wrong = a_call("create_task", user_id="user_1", title="Buy stamps", description="red ones")
    assert find_forgotten(task(criteria=GOLD), played_calls(mock(), wrong), mock().environment()) == []
    right = a_call("create_task", user_id="user_1", title="Buy stamps", description="the blue ones")
    messages = [asks("Buy stamps, the blue ones"), *played_calls(mock(), right)]
    assert grade(task(criteria=GOLD), finished(messages), mock()).forgotten == []


TOLD = "Buy stamps, the blue ones, for user_1"


def creates(description: str = "the blue ones", title: str = "Buy stamps") -> list[AnyMessage]:
    return played_calls(mock(), a_call("create_task", user_id="user_1", title=title, description=description))


def found(messages: list[AnyMessage], *gold: dict[str, Any], **fields: Any) -> list[Forgotten]:
    wanted = {"actions": list(gold)} if gold else GOLD
    return find_forgotten(task(criteria=wanted, **fields), messages, mock().environment())


def test_a_fact_counts_once_and_not_where_a_call_has_it_right() -> None:
    messages = [asks(TOLD), *creates("red ones"), asks("Blue! The blue ones."), *creates("green ones")]
    assert [(fact.turn, fact.got) for fact in found(messages)] == [(1, "red ones")]
    assert found([*messages, *creates()]) == []


def test_what_is_told_only_afterwards_was_not_forgotten() -> None:
    assert found([asks("Buy stamps"), *creates("red ones"), asks(TOLD)]) == []


def test_the_agents_own_words_tell_nothing() -> None:
    assert found([says(TOLD), *creates("red ones")]) == []


def test_a_call_in_the_history_is_not_the_agents_fault() -> None:
    history = [asks(TOLD), *creates("red ones")]
    plain = [message.model_dump(mode="json") for message in history]
    assert found(history, initial_state={"message_history": plain}) == []
    assert len(found([*history, *creates("red ones")], initial_state={"message_history": plain})) == 1


def test_what_the_customer_does_is_not_the_agents() -> None:
    gold = action("create_task", user_id="user_1", title="Buy stamps", description="the blue ones")
    call = u_call("create_task", user_id="user_1", title="Buy stamps", description="red ones")
    assert found([asks(TOLD), asks(None, call)], gold) == []


@pytest.mark.parametrize("value", ["no", "USA", "None", "yes"])
def test_common_words_are_no_facts(value: str) -> None:
    gold = action("create_task", user_id="user_1", title="Buy stamps", description=value)
    assert found([asks(f"Buy stamps, {value}, for user_1"), *creates("red ones")], gold) == []


def test_a_change_is_held_against_the_step_it_is_most_like() -> None:
    one = action("create_task", user_id="user_1", title="Buy stamps", description="the blue ones")
    other = action("create_task", user_id="user_1", title="Buy bread", description="the dark ones")
    messages = [asks(TOLD), asks("And bread, the dark ones: Buy bread"), *creates("red ones", title="Buy bread")]
    for gold in ((one, other), (other, one)):
        assert [(fact.value, fact.told) for fact in found(messages, *gold)] == [("the dark ones", 1)]


def test_a_very_long_wrong_value_is_cut() -> None:
    [fact] = found([asks(TOLD), *creates("x" * 500)])
    assert fact.got == "x" * 200
