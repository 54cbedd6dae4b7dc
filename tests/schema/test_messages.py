"""Messages read the files of τ² and can always be written."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from pytest_tau import AssistantMessage, ToolCall
from pytest_tau.schema.messages import AnyMessage, Message, ToolMessage, UserMessage

MESSAGE: TypeAdapter[AnyMessage] = TypeAdapter(Message)
TAU2 = {
    "content": "Hi",
    "tool_calls": None,
    "turn_idx": 0,
    "timestamp": "2026-01-02T03:04:05.678901",
    "cost": 0.0,
    "usage": {"completion_tokens": 1, "prompt_tokens": 2, "other": 3},
    "is_audio": False,
    "audio_format": None,
    "raw_data": {"id": "x"},
}


def test_the_role_selects_the_class() -> None:
    rows = [{**TAU2, "role": "assistant"}, {**TAU2, "role": "user"}, {"role": "tool", "id": "1", "content": "ok"}]
    read = [MESSAGE.validate_python(row) for row in rows]
    assert [type(m) for m in read] == [AssistantMessage, UserMessage, ToolMessage]
    assert read[0].usage is not None  # type: ignore[union-attr]
    for role in ("system", None):
        with pytest.raises(ValidationError):
            MESSAGE.validate_python({"role": role, "content": "x"})


@pytest.mark.parametrize("arguments", [None, [], "x"])
def test_arguments_are_an_object(arguments: Any) -> None:
    with pytest.raises(ValidationError):
        ToolCall(name="x", arguments=arguments)


def test_an_empty_list_of_calls_is_none() -> None:
    assert AssistantMessage(content="x", tool_calls=[]).tool_calls is None


@pytest.mark.parametrize(("content", "text"), [(None, ""), ("", ""), (" \n", ""), (" a ", " a ")])
def test_text(content: str | None, text: str) -> None:
    message = UserMessage(content=content)
    assert (message.text, message.empty) == (text, not text)


def test_a_call_is_not_empty() -> None:
    assert not AssistantMessage(tool_calls=[ToolCall(name="x", arguments={})]).empty
