"""Agents that write their action: what counts as one, and what they see of their past."""

import json
from typing import Any

import pytest

from pytest_tau.agents.act import act_agent, parse_action, written_action
from pytest_tau.agents.prompts import ACT_FORM, REACT_FORM
from pytest_tau.agents.react import react_agent
from pytest_tau.conversation.turns import DONE_TOOL
from tests.agents.contexts import context_with
from tests.builders import a_call, agent_context, asks, result_of, says
from tests.fake_model import FakeModel, ask


def written(name: str, **arguments: Any) -> str:
    return f"Action:\n{json.dumps({'name': name, 'arguments': arguments})}"


@pytest.mark.parametrize(
    ("output", "text", "action"),
    [
        (written("get_users", limit=1), "", ("get_users", {"limit": 1})),
        ('{"name": "get_users", "arguments": {}}', "", ("get_users", {})),
        ('Action: {"name": "get_users"}', "", ("get_users", {})),
        ('Action: {"name": "get_users", "arguments": null}', "", ("get_users", {})),
        ('Thought:\nHm\nAction:\n```json\n{"name": "a", "arguments": {"x": 1}}\n```', "", ("a", {"x": 1})),
        ('Action: {"name": "a", "arguments": {}}\nAPI output: made up', "", ("a", {})),
        (written("a") + "\n" + written("b"), "", ("b", {})),
        (written("a", note="Action: none"), "", ("a", {"note": "Action: none"})),
        (written("respond", content="Hello"), "Hello", None),
        (written("respond", content="Action: restart it"), "Action: restart it", None),
        ("Thought:\nHm\nAction:\nHow are you?", "How are you?", None),
        ("How are you?", "How are you?", None),
        (written("respond", text="Hello"), '{"name": "respond", "arguments": {"text": "Hello"}}', None),
        ('Action: {"name": "a", "arguments": "{\\"x\\": 1}"}', "", ("a", {"x": 1})),
        ('Action: {"name": "respond", "arguments": "{\\"content\\": \\"Hello\\"}"}', "Hello", None),
        ('Action: {"name": "a", "arguments": "x is 1"}', '{"name": "a", "arguments": "x is 1"}', None),
        ('Action: {"name": "a", "arguments": [1]}', '{"name": "a", "arguments": [1]}', None),
        ('Action: {"name": 1}', '{"name": 1}', None),
        ('Action: {"name": "a", ', '{"name": "a",', None),
        ("Action: [1]", "[1]", None),
        ("Thought: hm\nAction:", "", None),
        ("", "", None),
    ],
)
def test_parse_action(output: str, text: str, action: Any) -> None:
    assert parse_action(output) == (text, action)


def test_arguments_that_are_nested_too_deeply_are_a_text() -> None:
    output = f'Action: {{"name": "a", "arguments": {{"x": {"[" * 200}{"]" * 200}}}}}'
    assert written_action(output, 3) == (output.removeprefix("Action: "), None)
    assert written_action(written("a", x=1), 3) == ("", a_call("a", id="call_3", x=1))


@pytest.mark.parametrize(("factory", "form"), [(act_agent, ACT_FORM), (react_agent, REACT_FORM)])
def test_tools_and_form_are_told_in_the_prompt(factory: Any, form: str) -> None:
    model = FakeModel(written("respond", content="Hello"))
    context = context_with("get_users")
    message = ask(factory(model)(context), [says("Hi!"), asks("Help")])
    ((chat, options),) = model.asked
    prompt = chat[0]["content"]
    assert form in prompt
    assert '"respond"' in prompt
    assert f"<tools>\n{json.dumps([context.tools[0].schema])}\n</tools>" in prompt
    assert not options["tools"]
    assert (message.content, message.cost) == ("Hello", 0.25)


def test_a_history_that_it_did_not_write() -> None:
    call = a_call("get_users", limit=1)
    model = FakeModel("Hm")
    ask(act_agent(model)(agent_context()), [says("Hi!"), asks("Help"), says(None, call), result_of(call, "none")])
    assert [entry["content"] for entry in model.chats[0][1:]] == [
        written("respond", content="Hi!"),
        "Help",
        written("get_users", limit=1),
        "API output: none",
    ]


@pytest.mark.parametrize("output", [None, "", "Action:"])
def test_nothing_written_is_an_empty_message(output: str | None) -> None:
    message = ask(act_agent(FakeModel(output))(agent_context()), [asks("Help")])
    assert message.empty
    assert message.cost == 0.25


def test_solo_knows_no_respond() -> None:
    model = FakeModel("Is anybody there?", written(DONE_TOOL))
    agent = act_agent(model)(context_with(DONE_TOOL, ticket="Fix it"))
    spoken = ask(agent)
    assert spoken.empty
    assert spoken.problem == "the model spoke, and solo mode has no customer to speak to"
    assert ask(agent).tool_calls[0].name == DONE_TOOL
    assert "respond" not in str(model.chats[0][0]["content"])
