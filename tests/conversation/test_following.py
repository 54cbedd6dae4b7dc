"""Taking over what a recording says was said and done."""

from datetime import datetime, timedelta

import pytest

from pytest_tau.conversation.following import dump_messages, follow, opening, read
from pytest_tau.conversation.replies import cost
from pytest_tau.conversation.turns import GREETING, Conversation, Speak
from pytest_tau.errors import RecordingError
from pytest_tau.schema.messages import AnyMessage
from tests.builders import CREATE, a_call, asks, mock, played_calls, result_of, says, u_call

WRITE = a_call("create_task", **CREATE)


def test_messages_are_the_same_after_they_were_json() -> None:
    failed = result_of(a_call(), "{}", error=True)
    messages: list[AnyMessage] = [says("Hi!", a_call()), failed, asks(None, u_call(), cost=0.5)]
    text = dump_messages(messages)
    assert [entry["role"] for entry in text] == ["assistant", "tool", "user"]
    assert read(text) == messages
    with pytest.raises(ValueError, match="role"):
        read([{"role": "nobody"}])


def test_a_conversation_begins_with_the_agents_greeting_or_with_the_tasks_past() -> None:
    [greeting] = opening([], solo=False)
    assert (greeting.role, greeting.content, greeting.cost) == ("assistant", GREETING, 0.0)  # type: ignore[union-attr]
    assert opening([], solo=True) == []  # there is nobody to greet
    past: list[AnyMessage] = [says("Hi!"), asks("Hello.").model_copy(update={"turn_idx": 7, "timestamp": "2020"})]
    for solo in (False, True):
        assert [(one.role, one.content) for one in opening(past, solo=solo)] == [
            ("assistant", "Hi!"),
            ("user", "Hello."),
        ]
    assert past[1].timestamp == "2020"  # a task is not changed


def test_the_past_costs_the_trial_nothing_whatever_its_messages_say() -> None:
    past: list[AnyMessage] = [asks("Hello.", cost=None), says(None, WRITE, cost=0.5), result_of(WRITE, "{}")]
    begun = opening(past, solo=False)
    assert (cost(begun, "user"), cost(begun, "assistant")) == (0.0, 0.0)


def test_the_past_ends_a_second_ago_in_steps_of_a_second() -> None:
    before = datetime.now()
    first, second = opening([says("Hi!"), asks("Hello.")], solo=False)
    after = datetime.now()
    for message, ago in ((first, 2), (second, 1)):
        then = datetime.fromisoformat(message.timestamp or "")
        assert before - timedelta(seconds=ago) <= then <= after - timedelta(seconds=ago)
    assert (first.turn_idx, second.turn_idx) == (None, None)


def followed(messages: list[AnyMessage], *, strict: bool = True) -> tuple[Conversation, list[str]]:
    """A conversation that has gone on like this, and what changed in its world."""
    conversation, env = Conversation([says("Hi!")]), mock().environment()
    conversation.receive(asks("Do it."))
    follow(conversation, env, messages, strict=strict)
    return conversation, [change.table for change in env.changes()]


def test_the_world_is_as_the_calls_have_left_it_and_the_turn_goes_on() -> None:
    messages = played_calls(mock(), WRITE)
    conversation, changed = followed(messages)
    assert "tasks" in changed
    assert conversation.messages[2:] == messages
    assert isinstance(conversation.turn, Speak)
    assert conversation.turn.role == "agent"


def test_a_writing_call_that_returned_something_else_is_another_world() -> None:
    call, _ = played_calls(mock(), WRITE)
    [made] = call.tool_calls or []  # type: ignore[union-attr]
    other: list[AnyMessage] = [call, result_of(made, '{"task_id": "other"}')]
    with pytest.raises(RecordingError):
        followed(other)
    conversation, changed = followed(other, strict=False)
    assert "tasks" in changed
    assert conversation.messages[-1] == other[-1]


@pytest.mark.parametrize(
    "messages",
    [
        [says("One."), says("Two.")],  # both of the agent
        [result_of(a_call())],  # nobody called
    ],
)
def test_what_does_not_follow_from_where_it_stands_is_refused(messages: list[AnyMessage]) -> None:
    with pytest.raises(RecordingError):
        followed(messages)


def test_a_customer_may_have_interrupted() -> None:
    calls = played_calls(mock(), a_call())  # after which the agent was to go on
    conversation, _ = followed([*calls, asks("Wait!"), says("Yes?")])
    assert [message.content for message in conversation.messages[-2:]] == ["Wait!", "Yes?"]
