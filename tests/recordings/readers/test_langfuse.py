"""Exports of Langfuse: what belongs to one conversation, and where its results and texts stand."""

from typing import Any

import pytest

from pytest_tau.recordings.logged import LoggedConversation, Unread
from pytest_tau.recordings.readers import langfuse
from tests.recordings.readers.made import ANSWERED, ASKED, CALLED, made, only, shown


def generation(at: str, given: Any, gave: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": f"o{at}",
        "traceId": "t",
        "type": "GENERATION",
        "startTime": at,
        "input": given,
        "output": gave,
        **more,
    }


def tool(at: str, **more: Any) -> dict[str, Any]:
    return {"id": f"o{at}", "traceId": "t", "type": "TOOL", "startTime": at, "name": "look", **more}


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ({"observations": []}, True),
        ({"traceId": "t", "type": "SPAN"}, True),
        ({"traceId": "t", "type": "OTHER"}, False),
        ({"type": "SPAN"}, False),
        ({"observations": 3}, False),
        ([], False),
    ],
)
def test_a_trace_or_an_observation_is_recognised(value: Any, is_one: bool) -> None:
    assert langfuse.recognises(value) is is_one


def test_observations_by_themselves_are_one_conversation_in_the_order_of_time() -> None:
    first, last = generation("1", [ASKED], CALLED), tool("2", input={"order_id": "O1"}, output="ok")
    found = only(langfuse, last, {"traceId": "t", "type": "SPAN"}, first)
    assert (found.id, shown(found)) == ("t", ["user Hi", "assistant look(O1)", "tool ok"])


def test_the_traces_of_a_session_are_one_and_those_of_none_are_their_own() -> None:
    both = [
        {"id": name, "sessionId": session, "observations": [generation(at, given, ANSWERED)]}
        for name, session, at, given in [
            ("t1", "s", "1", [ASKED]),
            ("t2", "s", "2", [ASKED, ANSWERED, {"role": "user", "content": "Bye"}]),
            ("t3", None, "3", [ASKED]),
        ]
    ]
    session, other = made(langfuse, *both)
    assert not isinstance(session, Unread)
    assert not isinstance(other, Unread)
    assert (session.id, shown(session)) == ("s", ["user Hi", "assistant Hello", "user Bye", "assistant Hello"])
    assert (other.id, shown(other)) == ("t3", ["user Hi", "assistant Hello"])


def test_traces_of_no_session_are_one_where_one_begins_with_the_other() -> None:
    turns = [("t1", "1", [ASKED]), ("t2", "2", [ASKED, ANSWERED, {"role": "user", "content": "Bye"}])]
    found = only(
        langfuse, *({"id": name, "observations": [generation(at, given, ANSWERED)]} for name, at, given in turns)
    )
    assert shown(found) == ["user Hi", "assistant Hello", "user Bye", "assistant Hello"]


def test_a_tool_that_failed_says_why() -> None:
    failed = tool("2", input={"order_id": "O1"}, level="ERROR", statusMessage="no such order")
    assert shown(only(langfuse, generation("1", [ASKED], CALLED), failed))[-1] == "failed no such order"


def test_a_tool_without_an_input_was_called_with_nothing() -> None:
    call = {**CALLED, "tool_calls": [{"id": "c1", "function": {"name": "look", "arguments": "{}"}}]}
    found = only(langfuse, generation("1", [ASKED], call), tool("2", input=None, output={"a": 1}))
    assert shown(found)[1:] == ["assistant look()", 'tool {"a": 1}']


def test_a_trace_whose_calls_were_not_traced_still_says_what_was_asked_and_answered() -> None:
    trace = {"id": "t", "input": "Hi", "output": {"content": "Hello"}, "observations": [{"type": "SPAN"}]}
    assert shown(only(langfuse, trace)) == ["user Hi", "assistant Hello"]
    traced = {**trace, "observations": [generation("1", "Cancel it.", "Done.")]}
    assert shown(only(langfuse, traced)) == ["user Cancel it.", "assistant Done."]


@pytest.mark.parametrize(
    "gave",
    [
        "Hello",
        ANSWERED,
        {"content": "Hello"},
        [ANSWERED],
        {"messages": [ANSWERED]},
        {"choices": [{"message": ANSWERED}]},
    ],
    ids=["a text", "a message", "without a role", "a list", "messages", "a response"],
)
def test_where_an_output_has_its_text(gave: Any) -> None:
    assert shown(only(langfuse, generation("1", "Hi", gave)))[-1] == "assistant Hello"


def test_tools_that_were_offered_are_those_of_the_conversation() -> None:
    offered = {"messages": [ASKED], "tools": [{"name": "look", "parameters": {}}]}
    tools = only(langfuse, generation("1", offered, ANSWERED)).meta["tools"]
    assert [one["function"]["name"] for one in tools] == ["look"]


def test_an_observation_that_cannot_be_read_is_named_and_the_rest_goes_on() -> None:
    unread, found = made(langfuse, generation("1", {"prompt": "Hi"}, None), generation("2", [ASKED], ANSWERED))
    assert str(unread) == "log:1: observation o1: its input holds no messages"
    assert not isinstance(found, Unread)
    assert shown(found) == ["user Hi", "assistant Hello"]


def test_an_observation_that_is_no_object_costs_no_other() -> None:
    unread, found = made(langfuse, {"id": "t", "observations": [None, generation("1", [ASKED], ANSWERED)]})
    assert unread == Unread("log:1", "an observation is not an object")
    assert not isinstance(found, Unread)
    assert shown(found) == ["user Hi", "assistant Hello"]


def test_each_trace_of_a_session_without_observations_says_what_was_asked() -> None:
    asked = [("1", "Hi", "Hello"), ("2", "Cancel O1", "Done")]
    traces = [
        {"id": at, "sessionId": "s", "timestamp": at, "observations": [], "input": given, "output": gave}
        for at, given, gave in asked
    ]
    assert shown(only(langfuse, *traces)) == ["user Hi", "assistant Hello", "user Cancel O1", "assistant Done"]


def test_why_a_tool_failed_stands_in_its_status() -> None:
    failed = tool("2", input={"order_id": "O1"}, level="ERROR", output=None, statusMessage="no such order")
    assert shown(only(langfuse, generation("1", [ASKED], CALLED), failed))[-1] == "failed no such order"


def test_a_tool_that_did_not_run_takes_no_result_of_another() -> None:
    call = {"role": "assistant", "tool_calls": [{"name": name, "args": {"a": "1"}} for name in ("cancel", "look")]}
    found = only(langfuse, generation("1", [ASKED], call), tool("2", input={"a": "1"}, output="ok"))
    assert shown(found) == ["user Hi", "assistant look(1)", "tool ok"]


@pytest.mark.parametrize("given", [{"query": "x"}, {"args": ["x"], "kwargs": {}}])
def test_a_trace_that_holds_no_messages_is_named_once_and_the_rest_goes_on(given: Any) -> None:
    good = {"id": "t1", "observations": [generation("1", [ASKED], ANSWERED)]}
    health = {"id": "health", "input": given, "output": {"ok": True}, "observations": [{"id": "s", "type": "SPAN"}]}
    other = {"id": "t2", "observations": [generation("1", [{"role": "user", "content": "Bye"}], ANSWERED)]}
    unread, *read = made(langfuse, good, health, other)
    assert str(unread) == "log:2: trace health: its input holds no messages"
    assert [one.id for one in read if isinstance(one, LoggedConversation)] == ["t1", "t2"]
    assert len(read) == 2


def test_a_trace_without_a_list_of_observations_costs_no_other() -> None:
    odd = {"id": "t1", "observations": None, "traceId": "t1", "type": "SPAN"}
    found = made(langfuse, odd, generation("1", [ASKED], ANSWERED))
    assert ["user Hi", "assistant Hello"] in [shown(one) for one in found if not isinstance(one, Unread)]
