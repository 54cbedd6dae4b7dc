"""The Agents SDK's traces: the runs of one chat are put together, and what tells of none is named."""

from typing import Any

import pytest

from pytest_tau.recordings.logged import LoggedConversation, Unread
from pytest_tau.recordings.readers import agents_sdk
from tests.recordings.framework_logs import sdk_span
from tests.recordings.readers.made import ANSWERED, ASKED, CALLED, made, only, shown

BYE = {"role": "user", "content": "Bye"}


def generation(at: str, given: Any, *gave: Any, trace: str = "t1") -> dict[str, Any]:
    return sdk_span(trace, at, {"type": "generation", "input": given, "output": list(gave)})


def function(at: str, output: Any, **more: Any) -> dict[str, Any]:
    data = {"type": "function", "name": "look", "input": '{"order_id": "O1"}', "output": output}
    return {**sdk_span("t1", at, data), **more}


def trace(id: str, group: str | None) -> dict[str, Any]:
    return {"object": "trace", "id": id, "workflow_name": "Shop", "group_id": group}


@pytest.mark.parametrize(
    ("value", "is_one"),
    [({"object": "trace"}, True), ({"object": "trace.span"}, True), ({"object": "response"}, False), ([], False)],
)
def test_a_trace_or_a_span_is_recognised(value: Any, is_one: bool) -> None:
    assert agents_sdk.recognises(value) is is_one


def test_the_runs_of_one_chat_are_one_conversation_that_its_group_names() -> None:
    first = [generation("1", [ASKED], ANSWERED), trace("t1", "chat")]
    second = [trace("t2", "chat"), generation("2", [ASKED, ANSWERED, BYE], ANSWERED, trace="t2")]
    found = only(agents_sdk, *first, *second)
    assert (found.id, shown(found)) == ("chat", ["user Hi", "assistant Hello", "user Bye", "assistant Hello"])


def test_the_runs_of_a_group_may_be_of_several_chats() -> None:
    spans = [generation("1", [ASKED], ANSWERED), generation("2", [BYE], ANSWERED, trace="t2")]
    found = made(agents_sdk, trace("t1", "chat"), trace("t2", "chat"), *spans)
    assert [(one.id, shown(one)[0]) for one in found if isinstance(one, LoggedConversation)] == [
        ("chat", "user Hi"),
        ("chat", "user Bye"),
    ]


def test_chats_of_two_groups_stay_apart_however_alike_they_begin() -> None:
    spans = [generation("1", [ASKED], ANSWERED), generation("2", [ASKED], ANSWERED, trace="t2")]
    found = made(agents_sdk, trace("t1", "one"), trace("t2", "other"), *spans)
    assert [one.id for one in found if isinstance(one, LoggedConversation)] == ["one", "other"]


def test_a_run_of_no_group_goes_by_its_trace() -> None:
    assert only(agents_sdk, trace("t1", None), generation("1", [ASKED], ANSWERED)).id == "t1"
    assert only(agents_sdk, generation("1", [ASKED], ANSWERED)).id == "t1"


@pytest.mark.parametrize(
    ("output", "error", "shows"),
    [("ok", None, "tool ok"), ({"total": 3}, None, 'tool {"total": 3}'), ("no", {"message": "no"}, "failed no")],
)
def test_the_last_result_stands_in_the_functions_span(output: Any, error: Any, shows: str) -> None:
    found = only(agents_sdk, function("2", output, error=error), generation("1", [ASKED], CALLED))
    assert shown(found) == ["user Hi", "assistant look(O1)", shows]


def test_a_function_that_did_not_return_leaves_its_call_out() -> None:
    found = only(agents_sdk, generation("1", [ASKED], CALLED), function("2", None))
    assert (shown(found), found.meta["notes"]) == (["user Hi"], ["a call of look has no result and is left out"])


def test_spans_without_content_are_named() -> None:
    span = sdk_span("t1", "1", {"type": "response", "response_id": "resp_1"})
    for values in ([span], [trace("t1", None)], [function("1", "ok")]):
        [found] = made(agents_sdk, *values)
        assert str(found) == "log:1: no span holds messages; log them with their content, or export the items"


def test_a_span_that_cannot_be_read_is_named_and_the_rest_goes_on() -> None:
    unread, found = made(agents_sdk, generation("1", [{}], trace="t2"), generation("2", [ASKED], ANSWERED))
    assert str(unread) == "log:1: message 0: a message has no role; use system, user, assistant or tool"
    assert not isinstance(found, Unread)
    assert shown(found) == ["user Hi", "assistant Hello"]
