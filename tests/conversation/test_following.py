"""Taking over what a recording says was said and done."""

import pytest

from pytest_tau.conversation.following import dumped, follow, read
from pytest_tau.conversation.turns import Conversation, Speak
from pytest_tau.errors import RecordingError
from pytest_tau.schema.messages import AnyMessage
from tests.builders import CREATE, a_call, asks, mock, played_calls, result_of, says, u_call

WRITE = a_call("create_task", **CREATE)


def test_messages_are_the_same_after_they_were_json() -> None:
    failed = result_of(a_call(), "{}", error=True)
    messages: list[AnyMessage] = [says("Hi!", a_call()), failed, asks(None, u_call(), cost=0.5)]
    text = dumped(messages)
    assert [entry["role"] for entry in text] == ["assistant", "tool", "user"]
    assert read(text) == messages
    with pytest.raises(ValueError, match="role"):
        read([{"role": "nobody"}])


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
