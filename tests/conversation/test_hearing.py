"""What becomes of a reply before it is said."""

import pytest

from pytest_tau.conversation.hearing import as_said, incidents_of, nothing
from pytest_tau.schema.messages import PROBLEM, AssistantMessage
from tests.builders import asks, says

TOOLS = {"get_users"}
JSON = 'Sure. {"name": "get_users", "arguments": {}}'


def test_a_plain_reply_stays_the_same_object() -> None:
    message = says("Hello.")
    assert as_said(message, "agent", TOOLS.copy, run=True) is message


def test_thoughts_are_kept_apart() -> None:
    said = as_said(says("<think>Who is that?</think>Hello."), "agent", TOOLS.copy, run=False)
    assert (said.content, said.thoughts, said.leaked_thoughts) == ("Hello.", "Who is that?", True)
    assert incidents_of(said, "agent") == ["agent: thoughts in the text"]
    assert as_said(asks("<think>Only this"), "user", TOOLS.copy, run=False).empty


def test_a_tag_without_thoughts_is_not_said() -> None:
    said = as_said(says("<think>\n</think>\nHello."), "agent", TOOLS.copy, run=False)
    assert (said.content, said.thoughts) == ("Hello.", None)
    assert incidents_of(said, "agent") == []


def test_a_written_call_is_noted_and_said_as_it_is() -> None:
    said = as_said(says(JSON), "agent", TOOLS.copy, run=False)
    assert (said.content, said.tool_calls, said.text_calls, said.text_calls_run) == (JSON, None, ["get_users"], False)
    assert incidents_of(said, "agent") == ["agent: tool call as text"]


def test_or_it_is_run_and_marked() -> None:
    said = as_said(says(JSON), "agent", TOOLS.copy, run=True)
    assert [call.name for call in said.tool_calls or []] == ["get_users"]
    assert (said.content, said.text_calls_run, (said.raw_data or {})["output"]) == (None, True, JSON)
    assert incidents_of(said, "agent") == ["agent: tool call as text, run"]


def test_calls_in_thoughts_are_none() -> None:
    said = as_said(says(f"<think>{JSON}</think>Hello."), "agent", TOOLS.copy, run=True)
    assert (said.content, said.tool_calls) == ("Hello.", None)


@pytest.mark.parametrize(
    ("problem", "incident"),
    [
        (None, "empty answer"),
        ("the reply is empty", "empty answer"),
        ("the reply is empty (the reply was cut off at the token limit)", "output cut by length"),
        ("the model refused: no", "refusal"),
        ("the provider's content filter withheld the reply", "content filter"),
        ("get_user was called with arguments that are not JSON: {", "broken tool call"),
    ],
)
def test_why_a_reply_is_empty_is_counted(problem: str | None, incident: str) -> None:
    message = AssistantMessage(raw_data=None if problem is None else {PROBLEM: problem})
    assert incidents_of(message, "agent") == [f"agent: {incident}"]


def test_why_a_side_lost_its_turn() -> None:
    assert nothing("user", asks(None), 3) == "the user neither said nor called anything, 3 times in a row"
    problem = AssistantMessage(raw_data={PROBLEM: "no choices"})
    assert nothing("agent", problem, 3) == "the agent neither said nor called anything, 3 times in a row: no choices"
    cut = AssistantMessage(raw_data={PROBLEM: "the reply is empty (the reply was cut off at the token limit)"})
    assert nothing("user", cut, 3).endswith("at the token limit); raise max_tokens in --tau-user-llm-args")


@pytest.mark.parametrize(
    "text", ["ha " * 7000, "<|endoftext|>" * 2000, "<tool_call>{[" * 2000, "\x1b[31m\x00\ufffd" * 3000]
)
def test_garbage_is_an_answer_like_any_other(text: str) -> None:
    said = as_said(says(text), "agent", TOOLS.copy, run=True)
    assert (said.content, said.tool_calls) == (text, None)
    assert incidents_of(said, "agent") == []
