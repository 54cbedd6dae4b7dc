"""One message, in each of the dialects that people log in, is the same events; what is none says why."""

import json
from typing import Any

import pytest

from pytest_tau.errors import RecordingError
from pytest_tau.recordings.dialects import (
    all_events,
    events_of,
    is_message,
    text_of,
    tools_of_request,
)
from pytest_tau.recordings.logged import CalledEvent, Event, LeftOutEvent, ReturnedEvent, SaidEvent

ORDER = {"order_id": "O1"}
TEXT = json.dumps(ORDER)
CALL = CalledEvent("c1", "get_order", ORDER)
RETURNED = ReturnedEvent("c1", "ok")
GET = {"name": "get_order", "arguments": TEXT}
UI = {"toolCallId": "c1", "state": "input-available"}
HELLO = SaidEvent("user", "Hello")
LOOKS = SaidEvent("assistant", "I look.")


def read(raw: Any) -> list[Event]:
    return list(events_of(raw))


@pytest.mark.parametrize(
    "raw",
    [
        {"role": "user", "content": "Hello"},
        {"role": "Human", "content": [{"type": "text", "text": "Hel"}, "lo"]},
        {"type": "customer", "parts": [{"type": "text", "content": "Hello"}]},
        {"role": "user", "parts": [{"text": "Hello"}]},
        {"role": "user", "content": [{"type": "message_content", "message_content": {"text": "Hello"}}]},
        {"role": "user", "content": {"type": "text", "text": {"value": "Hello"}}},
        {"type": "human", "data": {"content": "Hello", "type": "human"}},
        {"id": ["langchain", "schema", "messages", "HumanMessageChunk"], "kwargs": {"content": "Hello"}},
        {"index": 0, "message": {"role": "user", "content": "Hello"}},
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Hello"}]},
        '{"role": "user", "content": "Hello"}',
    ],
    ids=[
        *("chat", "blocks", "a type for a role", "Gemini", "OpenInference", "Assistants", "LangChain's dict"),
        *("LangChain's object", "a choice", "Pydantic AI", "a text of JSON"),
    ],
)
def test_a_text_of_the_users(raw: Any) -> None:
    assert read(raw) == [HELLO]


@pytest.mark.parametrize(
    "raw",
    [
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "get_order", "arguments": TEXT}}]},
        {"role": "assistant", "tool_calls": [{"tool_call": {"id": "c1", "name": "get_order", "args": ORDER}}]},
        {"type": "function_call", "id": "fc_7", "call_id": "c1", "name": "get_order", "arguments": TEXT},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "get_order", "input": ORDER}]},
        {
            "role": "assistant",
            "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "get_order", "input": ORDER}],
        },
        {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "get_order", "args": ORDER}}]},
        {
            "kind": "response",
            "parts": [{"part_kind": "tool-call", "tool_name": "get_order", "args": TEXT, "tool_call_id": "c1"}],
        },
        {
            "role": "ai",
            "content": [{"type": "tool_use", "id": "c1", "name": "get_order", "input": ORDER}],
            "tool_calls": [{"id": "c1", "name": "get_order", "args": ORDER}],
        },
        {"role": "model", "parts": [{"function_call": {"id": "c1", "name": "get_order", "args": ORDER}}]},
        {"type": "ai", "content": "", "additional_kwargs": {"tool_calls": [{"id": "c1", "function": GET}]}},
        {"role": "assistant", "parts": [{**UI, "type": "dynamic-tool", "toolName": "get_order", "input": ORDER}]},
    ],
    ids=[
        *("chat", "OpenInference", "Responses", "Anthropic", "Vercel", "Gemini", "Pydantic AI", "LangChain, in both"),
        *("Gemini in Python", "LangChain, as it came", "Vercel's UI"),
    ],
)
def test_a_call(raw: Any) -> None:
    assert read(raw) == [CALL]


@pytest.mark.parametrize(
    "raw",
    [
        {"role": "tool", "tool_call_id": "c1", "name": "get_order", "content": "ok"},
        {"type": "function_call_output", "id": "fo_7", "call_id": "c1", "output": "ok"},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "output": "ok"}]},
        {"role": "user", "parts": [{"functionResponse": {"id": "c1", "response": "ok"}}]},
        {"role": "user", "parts": [{"function_response": {"id": "c1", "response": "ok"}}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "ok"}]},
        {"kind": "request", "parts": [{"part_kind": "tool-return", "tool_call_id": "c1", "content": "ok"}]},
        {"role": "toolResult", "toolCallId": "c1", "content": [{"type": "text", "text": "ok"}]},
    ],
    ids=[
        "chat",
        "Responses",
        "Anthropic",
        "Vercel",
        "Gemini",
        "Gemini in Python",
        "OpenTelemetry",
        "Pydantic AI",
        "blocks",
    ],
)
def test_a_result(raw: Any) -> None:
    assert read(raw) == [RETURNED]


@pytest.mark.parametrize(
    "raw",
    [
        {"role": "tool", "tool_call_id": "c1", "content": "ok", "status": "error"},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "ok", "is_error": True}]},
        {
            "role": "tool",
            "content": [{"type": "tool-result", "toolCallId": "c1", "output": {"type": "error-text", "value": "ok"}}],
        },
        {
            "kind": "request",
            "parts": [{"part_kind": "retry-prompt", "tool_name": "x", "tool_call_id": "c1", "content": "ok"}],
        },
        {
            "kind": "request",
            "parts": [{"part_kind": "tool-return", "outcome": "failed", "tool_call_id": "c1", "content": "ok"}],
        },
    ],
    ids=["LangChain", "Anthropic", "Vercel", "Pydantic AI asks again", "Pydantic AI"],
)
def test_a_failure_that_is_marked(raw: Any) -> None:
    assert read(raw) == [ReturnedEvent("c1", "ok", error=True)]


@pytest.mark.parametrize(
    ("content", "failed"),
    [
        ("Error: no such order", True),
        ("error: no such order", True),
        ("No errors", False),
        ('{"error": "no such order", "code": 404}', True),
        ('{"error": null}', False),
        ('{"error": "none", "order_id": "O1"}', False),
        (json.dumps([{"type": "missing", "loc": ["order_id"], "msg": "Field required", "input": {}}]), True),
        ('[{"type": "visa", "id": 1}]', False),
    ],
)
def test_a_failure_that_is_not_marked_begins_so_or_holds_nothing_else(content: str, failed: bool) -> None:
    (found,) = read({"role": "tool", "tool_call_id": "c1", "content": content})
    assert isinstance(found, ReturnedEvent)
    assert found.error is failed


class TestMessagesOfTheVercelAISDKsUI:
    """A message holds the whole turn: texts, calls and their results, in the order in which they came."""

    DONE = SaidEvent("assistant", "Done.")
    SAYS = {"type": "text", "text": "I look."}  # noqa: RUF012
    ENDS = {"type": "text", "text": "Done."}  # noqa: RUF012
    OLD = {"toolCallId": "c1", "toolName": "get_order", "args": ORDER, "state": "result", "result": "ok"}  # noqa: RUF012

    def test_calls_are_parts_with_their_result(self) -> None:
        part = {"type": "tool-get_order", **UI, "state": "output-available", "input": ORDER, "output": "ok"}
        parts = [{"type": "step-start"}, self.SAYS, part, {"type": "step-start"}, self.ENDS]
        assert read({"role": "assistant", "parts": parts}) == [LOOKS, CALL, RETURNED, self.DONE]
        failed = {**UI, "type": "tool-get_order", "state": "output-error", "input": ORDER, "errorText": "no"}
        assert read({"role": "assistant", "parts": [failed]}) == [CALL, ReturnedEvent("c1", "no", error=True)]

    def test_calls_of_one_step_are_made_together(self) -> None:
        part = {"type": "tool-get_order", "state": "output-available", "input": ORDER, "output": "ok"}
        found = read({"role": "assistant", "parts": [{**part, "toolCallId": id} for id in ("c1", "c2")]})
        assert found == [CALL, CalledEvent("c2", "get_order", ORDER), RETURNED, ReturnedEvent("c2", "ok")]

    @pytest.mark.parametrize("content", ["", "Done."])
    def test_the_parts_go_before_the_content_and_the_list_of_calls_that_repeat_them(self, content: str) -> None:
        parts = [{"type": "tool-invocation", "toolInvocation": self.OLD}, self.ENDS]
        raw = {"role": "assistant", "content": content, "parts": parts, "toolInvocations": [self.OLD]}
        assert read(raw) == [CALL, RETURNED, self.DONE]

    def test_a_list_of_calls_without_parts_follows_the_text(self) -> None:
        raw = {"role": "assistant", "content": "I look.", "toolInvocations": [self.OLD]}
        assert read(raw) == [LOOKS, CALL, RETURNED]


class TestOneMessageOfSeveralThings:
    def test_a_text_comes_before_its_calls_and_after_the_results_of_those_before(self) -> None:
        call = {"type": "tool_use", "id": "c1", "name": "get_order", "input": ORDER}
        text = {"type": "text", "text": "I look."}
        assert read({"role": "assistant", "content": [call, text]}) == [LOOKS, CALL]
        result = {"type": "tool_result", "tool_use_id": "c1", "content": "ok"}
        said = {"type": "text", "text": "Hello"}
        assert read({"role": "user", "content": [said, result]}) == [RETURNED, HELLO]

    def test_a_call_of_a_server_of_tools_has_its_result_with_it(self) -> None:
        raw = {"type": "mcp_call", "id": "c1", "name": "get_order", "arguments": TEXT}
        assert read(raw) == [CALL]
        assert read({**raw, "output": "no", "error": "refused"}) == [CALL, ReturnedEvent("c1", "no", error=True)]

    def test_our_own_form(self) -> None:
        raw = {"call": "get_order", "arguments": ORDER}
        assert read(raw) == [CalledEvent("", "get_order", ORDER)]
        gone = ReturnedEvent("", "gone", error=True, beside=True)
        assert read({**raw, "result": ORDER})[1] == ReturnedEvent("", TEXT, beside=True)
        assert read({**raw, "error": "gone"})[1] == gone
        assert read({**raw, "result": "gone", "error": True})[1] == gone
        assert read({**raw, "by": "customer"}) == [CalledEvent("", "get_order", ORDER, "user")]

    def test_the_old_form_of_functions_goes_by_names(self) -> None:
        asked = {"role": "assistant", "content": "I look.", "function_call": {"name": "get_order", "arguments": TEXT}}
        assert read(asked) == [LOOKS, CalledEvent("", "get_order", ORDER)]
        told = {"role": "function", "name": "get_order", "content": "ok"}
        assert read(told) == [ReturnedEvent("", "ok", name="get_order")]

    def test_the_instructions_of_a_request_are_the_prompt(self) -> None:
        parts = [{"part_kind": "system-prompt", "content": "Be brief."}, {"part_kind": "thinking", "content": "Hm"}]
        found = read({"kind": "request", "instructions": "Be kind.", "parts": parts})
        assert found == [SaidEvent("system", "Be kind."), SaidEvent("system", "Be brief.")]

    @pytest.mark.parametrize(
        "raw",
        [
            {"type": "reasoning", "summary": []},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm", "text": "Hm"}]},
            {"role": "model", "parts": [{"text": "Hm", "thought": True}]},
            {"role": "assistant", "content": None},
        ],
    )
    def test_thoughts_are_no_words(self, raw: Any) -> None:
        assert read(raw) == []

    def test_a_picture_is_said_to_be_one(self) -> None:
        content = [{"type": "text", "text": "Look: "}, {"type": "image_url", "image_url": {"url": "data:x"}}]
        assert read({"role": "user", "content": content}) == [SaidEvent("user", "Look: [picture]")]

    @pytest.mark.parametrize(
        "raw",
        [
            {"role": "assistant", "content": None, "refusal": "I look."},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "I look."}]},
        ],
    )
    def test_a_refusal_is_said_as_well(self, raw: Any) -> None:
        assert read(raw) == [LOOKS]

    @pytest.mark.parametrize(
        ("block", "kind"),
        [({"type": "server_tool_use", "id": "c1", "name": "search"}, "server_tool_use"), ({"toolUse": {}}, "toolUse")],
    )
    def test_a_block_of_another_kind_is_told_of(self, block: Any, kind: str) -> None:
        lost = LeftOutEvent(f"a block is left out, as its kind is not known: {kind}")
        assert read({"role": "assistant", "content": [block, {"type": "text", "text": "I look."}]}) == [LOOKS, lost]

    @pytest.mark.parametrize("block", [{"type": "text", "text": ""}, {"type": "text", "text": None}, {"text": ""}, {}])
    def test_a_block_without_a_word_is_not(self, block: Any) -> None:
        assert read({"role": "assistant", "content": [block]}) == []

    def test_calls_of_the_customers(self) -> None:
        call = {"id": "c1", "name": "get_order", "arguments": ORDER}
        by_user = [CalledEvent("c1", "get_order", ORDER, "user")]
        assert read({"role": "user", "tool_calls": [call]}) == by_user
        assert read({"role": "assistant", "tool_calls": [{**call, "requestor": "user"}]}) == by_user


@pytest.mark.parametrize(
    ("given", "flaw"),
    [
        ('{"order_id"', 'are not JSON: {"order_id"'),
        ("[1]", "are a list and no object"),
        (7, "are a number and no object"),
        ("", ""),
        (None, ""),
    ],
)
def test_arguments_that_cannot_be_read_are_a_flaw_of_their_call(given: Any, flaw: str) -> None:
    assert read({"type": "function_call", "name": "x", "arguments": given}) == [CalledEvent("", "x", {}, flaw=flaw)]


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (7, "not a message, but a number"),
        ("Hello", "not a message, but a text"),
        ({"role": "wizard"}, "a message has the role 'wizard'; use system, user, assistant or tool"),
        ({"content": "Hello"}, "a message has no role; use system, user, assistant or tool"),
        ({"role": "user", "content": [7]}, "a content holds a number; it must be a text or blocks"),
        ({"role": "assistant", "tool_calls": "x"}, "tool_calls must be a list, not a text"),
        ({"role": "assistant", "tool_calls": [True]}, "a tool call is true or false; it must be an object with"),
        ({"type": "function_call", "name": ""}, "a tool call has no name"),
    ],
)
def test_what_is_no_message_says_why(raw: Any, sentence: str) -> None:
    with pytest.raises(RecordingError) as refused:
        read(raw)
    assert str(refused.value).startswith(sentence)


class TestListsOfMessages:
    USER = {"role": "user", "content": "Hello"}  # noqa: RUF012

    @pytest.mark.parametrize("raws", ["Hello", USER, {"messages": [USER]}, [USER], [[USER], [USER, USER]]])
    def test_a_text_is_the_users_and_of_a_batch_it_is_the_first_prompt(self, raws: Any) -> None:
        assert all_events(raws) == [HELLO]

    def test_the_message_that_is_none_is_numbered(self) -> None:
        with pytest.raises(RecordingError, match=r"^message 1: a message has no role"):
            all_events([self.USER, {}])
        with pytest.raises(RecordingError, match=r"^messages must be a list, not null$"):
            all_events(None)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("ok", "ok"),
        (ORDER, TEXT),
        ([], "[]"),
        ([1, None], "[1, null]"),
        ([{"type": "text", "text": "a"}, {"type": "output_text", "text": "b"}], "ab"),
        ({"type": "text", "text": "a"}, "a"),
        ([{"type": "card", "last": 4}], '[{"type": "card", "last": 4}]'),
        ([{"type": "sms", "text": "Hi", "id": "m1"}], '[{"type": "sms", "text": "Hi", "id": "m1"}]'),
        ([{"type": "thinking", "thinking": "b"}, {"type": "text", "text": "a"}], "a"),
        ({"name": "Zoë"}, '{"name": "Zoë"}'),
        # As Python writes values
        ("{'a': None, 'b': [1, True]}", '{"a": null, "b": [1, true]}'),
        ("['a', 'b']", '["a", "b"]'),
        ("{'a': Decimal('1')}", "{'a': Decimal('1')}"),
        ("{'a', 'b'}", "{'a', 'b'}"),
        ("{'a", "{'a"),
    ],
)
def test_the_text_of_a_content(content: Any, text: str) -> None:
    assert text_of(content) == text


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ({"role": "user", "content": "Hello"}, True),
        ({"type": "function_call", "name": "x"}, True),
        ({"type": "reasoning"}, True),
        ({"call": "get_order"}, True),
        ({"kind": "request", "parts": []}, True),
        ({"type": "ai", "data": {"content": "Hello"}}, True),
        ({"role": "user", "messages": []}, False),
        ({"type": "agent", "conversation": []}, False),
        ({"role": "wizard"}, False),
        ({"kind": "request"}, False),
        ("Hello", False),
    ],
)
def test_what_is_one_message_and_what_holds_messages(value: Any, is_one: bool) -> None:
    assert is_message(value) is is_one


def test_tools_in_any_form_are_functions_and_what_is_none_is_left_out() -> None:
    schema = {"type": "object", "properties": {}}
    given = [
        {"type": "function", "function": {"name": "one", "description": "It looks.", "parameters": schema}},
        {"name": "two", "input_schema": schema},
        {"name": "three", "inputSchema": schema, "description": 7},
        json.dumps({"name": "four"}),
        *("no tool", 7, {"name": ""}, {"name": "five", "parameters": []}, {"function": {}}),
    ]
    found = [one["function"] for one in tools_of_request(given)]
    assert [one["name"] for one in found] == ["one", "two", "three", "four"]
    assert [one["description"] for one in found] == ["It looks.", "", "", ""]
    assert [one["parameters"] for one in found] == [schema, schema, schema, {}]
    assert tools_of_request({"name": "one"}) == []


PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def test_a_picture_in_a_result_is_told_and_not_spelled_out() -> None:
    content = [{"type": "text", "text": "ok "}, PICTURE]
    assert read({"role": "tool", "tool_call_id": "c1", "content": content}) == [ReturnedEvent("c1", "ok [picture]")]
    assert json.loads(text_of([{"type": "file", "name": "a.txt"}])) == [{"type": "file", "name": "a.txt"}]  # a record


def test_a_prompt_of_pydantic_ai_that_shows_a_picture() -> None:
    content = ["Look at this", {"kind": "image-url", "url": "data:image/png;base64,AAAA"}]
    part = {"part_kind": "user-prompt", "content": content}
    assert read({"kind": "request", "parts": [part]}) == [SaidEvent("user", "Look at this\n[picture]")]


def test_what_json_cannot_hold_stays_as_it_was_logged() -> None:
    assert text_of("{'a': 1e999}") == "{'a': 1e999}"
