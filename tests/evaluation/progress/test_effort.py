"""What a trial cost its customer."""

from pathlib import Path

import pytest

from pytest_tau.evaluation.progress.effort import effort, handed_over
from pytest_tau.schema.messages import AnyMessage, InjectedFault
from tests.builders import CREATE, a_call, asks, mock, played_calls, result_of, says
from tests.environment.folders import TOOLS, shop


def counted(*messages: AnyMessage, what: str) -> int:
    return int(getattr(effort(list(messages), mock().environment()), what))


def test_turns_are_what_the_customer_says() -> None:
    assert counted(says("Hi"), asks("Hello"), says("?"), asks(None, a_call()), asks("Bye"), what="turns") == 2


@pytest.mark.parametrize(
    ("first", "second", "times"),
    [
        ("Which of your tasks do you mean?", "Which of your tasks do you mean, please?", 1),
        ("Which of your tasks do you mean?", "What should the new task be called?", 0),
        ("Is there anything else I can do for you?", "Is there anything else I can do for you?", 0),
        ("I will add the task. Shall I go ahead with that?", "I will add the task. Shall I go ahead with that?", 0),
        ("Really?", "Really?", 0),
    ],
)
def test_asked_twice(first: str, second: str, times: int) -> None:
    assert counted(says(first), asks("Well."), says(second), what="asked_twice") == times


@pytest.mark.parametrize(
    ("told", "asked", "times"),
    [
        ("I am jo@example.com.", "Could you give me your e-mail address?", 1),
        ("I am Jo.", "Could you give me your e-mail address?", 0),
        ("It is #W1234567.", "What is the order number?", 1),
        ("My zip is 10001", "Thanks. What is your zip code?", 1),
        ("My zip is 10001", "I will look up your zip code.", 0),
        ("My zip is 10001", "I will send it to zip code 10001. Shall I go ahead?", 0),
        ("I am jo@example.com.", "Please provide your e-mail address.", 1),
        ("My reservation is AB12CD.", "What is your reservation code?", 1),
        ("REALLY", "What is your reservation code?", 0),
    ],
)
def test_asked_though_told(told: str, asked: str, times: int) -> None:
    assert counted(asks(told), says(asked), what="asked_though_told") == times


def test_each_conversation_may_ask_for_itself() -> None:
    ask = says("Could you give me your e-mail address?")
    messages: list[AnyMessage] = [ask, asks("It is jo@example.com"), ask, asks("jo@example.com")]
    env = mock().environment()
    assert (effort(messages, env).asked_twice, effort(messages, env).asked_though_told) == (1, 1)
    assert (effort(messages, env, [2]).asked_twice, effort(messages, env, [2]).asked_though_told) == (0, 0)


def test_an_apology_with_and_without_a_deed() -> None:
    done = played_calls(mock(), a_call("create_task", **CREATE))
    assert counted(says("I am sorry about that."), *done, what="apologies") == 0
    assert counted(says("I am sorry."), *done, says("My apologies!"), what="apologies") == 1


def test_handed_over_and_time() -> None:
    found = effort(played_calls(mock(), a_call("transfer_to_human_agents", summary="x")), mock().environment())
    assert (found.handed_over, found.handle_time, found.wait_seconds) == (True, 1.0, 1.0)


def test_a_call_that_failed_hands_nobody_over() -> None:
    env, call = mock().environment(), a_call("transfer_to_human_agents", summary="x")
    assert not effort(played_calls(mock(), a_call("transfer_to_human_agents")), env).handed_over
    for happened in (True, False):
        mark = InjectedFault(kind="timeout", happened=happened)
        result = result_of(call, "Error: no answer", error=True).model_copy(update={"fault": mark})
        assert handed_over([says(None, call), result], env) == happened


def test_a_transfer_of_money_is_no_hand_over(tmp_path: Path) -> None:
    tools = TOOLS.replace("def cancel(", "def transfer_money(").replace("def half(", "def transfer_to_human(")
    env = shop(tmp_path, tools=tools).environment()
    for name, over in {"transfer_money": False, "transfer_to_human": True, "transfer_away": True}.items():
        calls: list[AnyMessage] = [says(None, a_call(name, order_id="O1"))]
        assert effort(calls, env).handed_over == handed_over(calls, env) == over
        assert handed_over(calls, None)
