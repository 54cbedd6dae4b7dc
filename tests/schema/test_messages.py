"""Messages read the files of τ² and can always be written."""

import json
from datetime import date
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from pytest_tau import AssistantMessage, ToolCall
from pytest_tau.schema.messages import AnyMessage, Message, ToolMessage, Usage, UserMessage, total_spent
from pytest_tau.schema.record import Outcome, TrialRecord
from tests.builders import finished

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


def test_messages_do_not_change() -> None:
    with pytest.raises(ValidationError):
        AssistantMessage(content="a").content = "b"  # type: ignore[misc]


def test_arguments_are_json_and_a_copy() -> None:
    mine: dict[str, Any] = {
        "items": [("a", 1), {2, 3}],
        "what": ToolCall(name="y", arguments={}),
        "at": date(2025, 1, 2),
    }
    call = ToolCall(name="x", arguments=mine)
    inner = {"id": "", "name": "y", "arguments": {}, "requestor": "assistant"}
    assert call.arguments == {"items": [["a", 1], [2, 3]], "what": inner, "at": "2025-01-02"}
    assert ToolCall.model_validate_json(call.model_dump_json()) == call
    mine["items"].append("more")
    assert len(call.arguments["items"]) == 2


@pytest.mark.parametrize("beside", ["a", "é", {1}])  # copied as it is, or by way of JSON
def test_a_number_that_json_does_not_have_is_nothing_as_in_the_journal(beside: Any) -> None:
    call = ToolCall(name="x", arguments={"n": [float("inf"), float("nan"), 1.5], "b": beside})
    assert call.arguments["n"] == [None, None, 1.5]
    assert ToolCall.model_validate_json(call.model_dump_json()) == call


def nested(levels: int, inside: Any = 0) -> Any:
    """A list in a list and so on, so many levels deep."""
    value = inside
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("levels", [101, 300, 900, 10_000])
@pytest.mark.parametrize("inside", [0, "é", {1}])  # copied as it is, or by way of JSON
def test_arguments_nobody_could_read_again_are_refused(levels: int, inside: Any) -> None:
    with pytest.raises(ValidationError, match="nested too deeply"):
        ToolCall(name="x", arguments={"a": nested(levels, inside)})


@pytest.mark.parametrize("beside", ["a", "é", {1}])  # copied as it is, or by way of JSON
def test_numbers_nobody_could_read_again_are_refused(beside: Any) -> None:
    for largest in (10**4300 - 1, -(10**4300) + 1):
        call = ToolCall(name="x", arguments={"n": largest, "b": beside})
        assert json.loads(call.model_dump_json())["arguments"]["n"] == largest
        with pytest.raises(ValidationError, match="a number of more than 4300 digits"):
            ToolCall(name="x", arguments={"n": largest * 10, "b": beside})


@pytest.mark.parametrize("tokens", [-1, 10**25, 10**5000], ids=["negative", "many", "most"])
def test_nobody_reads_less_than_nothing_or_more_than_there_is(tokens: int) -> None:
    for name in ("prompt_tokens", "completion_tokens"):
        with pytest.raises(ValidationError):
            Usage.model_validate({name: tokens})


@pytest.mark.parametrize("cost", [-0.01, 1e308])
def test_a_message_earns_nothing_and_costs_what_can_be_added_up(cost: float) -> None:
    with pytest.raises(ValidationError):
        AssistantMessage(content="a", cost=cost)


def test_the_most_tokens_can_be_added_up() -> None:
    most = AssistantMessage(content="a", cost=1e12, usage=Usage(prompt_tokens=10**12))
    assert total_spent([most, most])["usage"] == most.usage


@pytest.mark.parametrize("inside", [0, "é", {"a": 1}])
def test_nested_arguments_are_kept_and_read_again_as_a_part_of_a_trial(inside: Any) -> None:
    deep = {"a": nested(90, inside)}
    message = AssistantMessage(tool_calls=[ToolCall(name="x", arguments=deep)])
    played = finished([message], discarded=[finished([message])])
    trial = TrialRecord(nodeid="t", domain="mock", task_id="t", trial=1, outcome=Outcome.MISSED, simulation=played)
    assert TrialRecord.of_line(trial.model_dump_json()) == trial


def test_lone_surrogates_cannot_be_stored_and_become_question_marks() -> None:
    arguments = json.loads('{"a": ["\\ud83d", {"b\\ud83d": 1.5}], "c": "\\ud83d\\ude00"}')
    message = AssistantMessage(content="\udfff", tool_calls=[ToolCall(name="x", arguments=arguments)])
    read = AssistantMessage.model_validate_json(message.model_dump_json())
    assert read == message
    assert read.content == "?"
    assert read.tool_calls is not None
    assert read.tool_calls[0].arguments == {"a": ["?", {"b?": 1.5}], "c": "😀"}
    assert ToolMessage(id="1", content="Error: \udfff").model_dump_json()
