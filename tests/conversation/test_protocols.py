"""What agents and users are given, and what counts as one."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from pytest_tau.conversation.protocols import Agent, ContextTool, User
from tests.builders import Lines, agent_context, task, user_context


def test_calling_a_tool_runs_it_under_its_name_with_the_arguments_as_they_are() -> None:
    ran: list[tuple[str, dict[str, Any]]] = []

    def run(name: str, arguments: dict[str, Any]) -> str:
        ran.append((name, arguments))
        return "done"

    tool = ContextTool("create_task", {}, True, run)
    assert (tool(name="x", run=1), tool()) == ("done", "done")
    assert ran == [("create_task", {"name": "x", "run": 1}), ("create_task", {})]
    arguments = {"self": 1}
    tool(**arguments)
    assert ran[-1] == ("create_task", {"self": 1})


def test_an_address_is_opened_only_when_it_is_read() -> None:
    opened: list[str] = []

    def opens(address: str) -> Callable[..., str]:
        def opened_now(*tools: Any) -> str:
            opened.append(address)
            return address

        return opened_now

    context = agent_context(open_endpoint=opens("http://a"), open_mcp=opens("http://b"))
    assert opened == []
    assert (context.mcp, context.endpoint) == ("http://b", "http://a")
    assert opened == ["http://b", "http://a"]
    assert (agent_context().endpoint, agent_context().mcp) == (None, None)


def test_a_context_is_told_apart_by_what_the_agent_knows_not_by_how_it_is_served() -> None:
    assert agent_context(open_mcp=str, memory={"a": 1}) == agent_context()
    assert agent_context(ticket="T") != agent_context()
    assert "memory" not in repr(agent_context(memory={"secret": 1}))


def test_no_memory_is_shared_by_trials() -> None:
    agent_context().memory["a"] = 1
    assert agent_context().memory == {}


@pytest.mark.parametrize("context", [agent_context(), user_context(task())], ids=["agent", "user"])
def test_a_player_cannot_change_what_it_is_given(context: Any) -> None:
    with pytest.raises(FrozenInstanceError):
        context.seed = 2


class Replies:
    def reply(self, messages: list[Any]) -> str:
        return "Hi"


@pytest.mark.parametrize("player", [Lines(["Hi"]), Replies()])
def test_whoever_replies_is_an_agent_and_a_user(player: Any) -> None:
    assert isinstance(player, Agent)
    assert isinstance(player, User)


@pytest.mark.parametrize("other", [lambda messages: "Hi", "Hi", None])
def test_who_does_not_reply_is_neither(other: Any) -> None:
    assert not isinstance(other, Agent)
    assert not isinstance(other, User)
