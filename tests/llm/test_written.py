"""Thoughts and tool calls that models write into their texts."""

import json

import pytest
from hypothesis import given

from pytest_tau.llm.written import thoughts_apart, written_calls
from tests import strategies as ours

TOOLS = {"get_user", "create_task"}
CALL = ("get_user", {"user_id": "u1"})
JSON = '{"name": "get_user", "arguments": {"user_id": "u1"}}'


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{JSON}\n```",
        f"I will look that up.\n```\n{JSON}\n```\nOne moment.",
        f"<tool_call>\n{JSON}\n</tool_call>",
        f"<tool_call>{JSON}",
        f"[TOOL_CALLS] [{JSON}]",
        '[TOOL_CALLS]get_user[ARGS]{"user_id": "u1"}',
        '[TOOL_CALLS]get_user[CALL_ID]a1B2c3D4e[ARGS]{"user_id": "u1"}',
        '<function=get_user>{"user_id": "u1"}</function>',
        "<tool_call>\n<function=get_user>\n<parameter=user_id>\nu1\n</parameter>\n</function>\n</tool_call>",
        f"Sure. {JSON}",
        JSON.replace("arguments", "parameters"),
        json.dumps({"type": "function", "function": {"name": "get_user", "arguments": '{"user_id": "u1"}'}}),
    ],
)
def test_a_call_in_each_form(text: str) -> None:
    assert [tuple(call) for call in written_calls(text, TOOLS)] == [CALL]


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>{JSON}</tool_call><tool_call>{JSON.replace('get_user', 'create_task')}</tool_call>",
        f"[TOOL_CALLS] [{JSON}, {JSON.replace('get_user', 'create_task')}]",
        '[TOOL_CALLS]get_user[ARGS]{"user_id": "u1"}[TOOL_CALLS]create_task[ARGS]{"title": "x"}',
        '[TOOL_CALLS]get_user{"user_id": "u1"}\n[TOOL_CALLS]create_task{"title": "x"}</s>',
    ],
)
def test_several_calls_in_order(text: str) -> None:
    assert [call.name for call in written_calls(text, TOOLS)] == ["get_user", "create_task"]


def test_a_parameter_that_is_not_closed_ends_where_the_next_one_begins() -> None:
    text = "<function=get_user>" + "<parameter=user_id>" * 5_000 + "u1<parameter=zip>12</parameter></function>"
    assert written_calls(text, TOOLS) == [("get_user", {"user_id": "u1", "zip": 12})]


def test_a_word_that_is_no_json_is_a_text() -> None:
    for value in ("NaN", "1e999"):
        text = f"<function=get_user><parameter=user_id>{value}</parameter><parameter=zip>12</parameter></function>"
        assert written_calls(text, TOOLS) == [("get_user", {"user_id": value, "zip": 12})]


@pytest.mark.parametrize(
    "text",
    [
        "Your user id is u1.",
        '{"name": "Ana Ferro", "arguments": {}}',  # a record, and no tool
        '{"name": "get_user", "arguments": 3}',
        "Use {name} and [brackets].",
        "{[" * 5000,
        "<tool_call>" * 100,
        f"[TOOL_CALLS]get_user{' ' * 80_000}x {{",
        f"[TOOL_CALLS]get_user[CALL_ID]x{' ' * 80_000}x {{",
    ],
)
def test_what_is_no_call(text: str) -> None:
    assert written_calls(text, TOOLS) == []


def test_a_mark_makes_a_call_of_a_tool_that_there_is_not() -> None:
    assert written_calls('<tool_call>{"name": "fly", "arguments": {}}</tool_call>', TOOLS)[0].name == "fly"


@pytest.mark.parametrize(
    ("text", "said", "thoughts"),
    [
        ("<think>Hm.</think>\n\nHello.", "Hello.", "Hm."),
        ("Hm.\n</think>\nHello.", "Hello.", "Hm."),
        ("<think>It never ends", "", "It never ends"),
        ("One <THINK>a</THINK>two <think>b", "One two", "a\nb"),
        ("2 < 3 and no thought", "2 < 3 and no thought", ""),
        ("<think>Hm.</thinking>Hello.", "Hello.", "Hm."),
        ("<think>a</thinking>Hello. <think>b</think>Bye.", "Hello. Bye.", "a\nb"),
        ("<think>They wrote </thought>, hm.</think>Hello.", "Hello.", "They wrote , hm."),
        ("<think>I write <think> first.</think>Hello.", "Hello.", "I write  first."),
        ("<think>I <think>think</think> of it.</think>Hello.", "Hello.", "I think of it."),
        ("<think>I write <think> first.</think>Hello. <think>b</think>Bye.", "Hello. Bye.", "I write  first.\nb"),
        ("Hm, it is cancelled.</think>", "", "Hm, it is cancelled."),
        ("<think>Hm.</think>It is cancelled.</think>", "It is cancelled.", "Hm."),
        ("Hm.</think>It is cancelled.</think>", "It is cancelled.", "Hm."),
        ("<think></think>Hello.", "Hello.", ""),
    ],
)
def test_thoughts_are_taken_out(text: str, said: str, thoughts: str) -> None:
    assert thoughts_apart(text) == (said, thoughts)


@given(ours.text())
def test_any_text_is_read(text: str) -> None:
    written_calls(text, TOOLS)
    assert "<think>" not in thoughts_apart(f"<think>{text}")[0]
