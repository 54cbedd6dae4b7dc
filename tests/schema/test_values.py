"""Values never change, and a file can hold them."""

import json
from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from pytest_tau import AssistantMessage, ToolCall
from pytest_tau.schema.messages import ToolMessage
from pytest_tau.schema.record import Outcome, TrialRecord
from pytest_tau.schema.values import canonical, json_values
from tests.builders import finished


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


def test_keys_that_no_object_can_have_are_refused() -> None:
    with pytest.raises(ValidationError, match=r"keys must be str, .*, not tuple"):
        ToolCall(name="x", arguments={"a": {(1, 2): 3}})
    with pytest.raises(ValueError, match=r"keys must be str, .*, not tuple"):
        json_values({(1, 2): 3})


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


def test_a_canonical_text_does_not_depend_on_the_order_of_keys() -> None:
    assert canonical({"b": 1, "a": "é"}) == canonical({"a": "é", "b": 1}) == '{"a":"é","b":1}'
    assert canonical({"b": 1.0, "a": ["é", True, None]}) == '{"a":["é",true,null],"b":1.0}'
