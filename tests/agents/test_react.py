"""The agent that thinks first: its thoughts stay in its own history, the customer never reads them."""

import json
from dataclasses import replace
from typing import Any

from pytest_tau import simulate
from pytest_tau.agents.react import react_agent
from pytest_tau.schema.messages import AssistantMessage, ToolMessage
from tests.builders import CREATE, Lines, mock, task
from tests.fake_model import FakeModel, reply


def written(name: str, **arguments: Any) -> str:
    return f"Action:\n{json.dumps({'name': name, 'arguments': arguments})}"


def test_a_conversation() -> None:
    thought = "Thought:\nThey want stamps.\n"
    told = [thought + written("create_task", **CREATE), thought + written("respond", content="Done")]
    model = FakeModel(*told)
    sim = simulate(task(), mock(), react_agent(model), Lines(["Stamps", "###STOP###"]))
    (result,) = (m for m in sim.messages if isinstance(m, ToolMessage))
    assert [m.content for m in sim.messages if isinstance(m, AssistantMessage)][1:] == [None, "Done"]
    assert model.chats[1][2:] == [
        {"role": "user", "content": "Stamps"},
        {"role": "assistant", "content": told[0]},
        {"role": "user", "content": f"API output: {result.content}"},
    ]


def test_a_thought_alone_is_asked_for_again_and_not_said() -> None:
    thought = "Thought:\nThey are not the customer. I must not tell them."
    cut = replace(reply(thought), finish_reason="length")
    model = FakeModel(thought, cut, f"{thought}\nAction:\nWho is speaking?", "Who is it?")
    sim = simulate(task(), mock(), react_agent(model), Lines(["Stamps", "It is me", "###STOP###"]))
    assert [m.content for m in sim.messages if isinstance(m, AssistantMessage)][1:] == [
        "Who is speaking?",
        "Who is it?",
    ]
    assert sim.incidents == {"agent: empty answer": 1, "agent: output cut by length": 1}
