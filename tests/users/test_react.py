"""A customer who thinks before speaking."""

import pytest

from pytest_tau.users.prompts import REACT
from pytest_tau.users.react import react_user, response_in
from tests.builders import says, task, u_call, user_context
from tests.fake_model import FakeModel, Told, ask, reply

GREETED = [says("Hi!")]


@pytest.mark.parametrize(
    ("written", "response"),
    [
        ("Thought: hm\nUser Response: Hello", "Hello"),
        ("Thought: say User Response: x\nUser Response:\nHello\nyou", "Hello\nyou"),
        ("Thought: not ###STOP### yet\nUser Response: Hello", "Hello"),
        ("Thought: done\nUser Response: ###STOP###", "###STOP###"),
        ("Hello", "Hello"),
        ("Thought: hm", ""),
        ("User Response:", ""),
    ],
)
def test_only_the_response_is_said(written: str, response: str) -> None:
    assert response_in(written) == response


def test_the_thought_stays_in_its_own_history() -> None:
    model = FakeModel("Thought: hm\nUser Response: Hello")
    user = react_user(model)(user_context(task()))
    said = ask(user, GREETED)
    ask(user, [*GREETED, said, says("Yes?")])
    assert (said.content, said.cost) == ("Hello", 0.25)
    assert REACT in str(model.chats[0][0]["content"])
    assert [entry["content"] for entry in model.chats[1][1:]] == [
        "Hi!",
        "Thought: hm\nUser Response: Hello",
        "Yes?",
    ]


@pytest.mark.parametrize("told", ["Thought: hm", reply(None, problem="empty"), ""])
def test_no_response_is_an_empty_message(told: Told) -> None:
    said = ask(react_user(FakeModel(told))(user_context(task())), GREETED)
    assert said.empty
    assert said.cost == 0.25


def test_a_call() -> None:
    said = ask(react_user(FakeModel(u_call()))(user_context(task(), "check_notifications")), GREETED)
    assert said.tool_calls == [u_call()]


def test_the_guard_reads_what_is_said_and_not_the_thought() -> None:
    written = "Thought: The agent asks how can I help you today.\nUser Response: "
    model = FakeModel(f"{written}Hello! How can I help you today?", f"{written}I need a new lamp.\n[STOP]")
    user = react_user(model, guard=True)(user_context(task()))
    said = ask(user, [says("Hi! How can I help you today?")])
    assert (said.content, said.asked_again, said.mended_end) == (
        "I need a new lamp. ###STOP###",
        ["repeated the agent"],
        True,
    )
    assert said.cost == 0.5  # both are paid for
    hint = str(model.chats[1][-1]["content"])
    assert "How can I help you today?" in hint
    assert "Thought:" not in hint
