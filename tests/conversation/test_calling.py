"""Calls that an agent makes in a tool loop of its own: steps of the conversation, which a limit ends."""

from typing import Any

import pytest

from pytest_tau import AgentContext
from pytest_tau.conversation.limits import Limits
from pytest_tau.errors import ConversationOver
from pytest_tau.schema.messages import AnyMessage, ToolMessage
from pytest_tau.schema.simulation import Termination
from tests.builders import Lines, task
from tests.conversation.played import STOP, run


class ToolLoop:
    """An agent whose framework calls the tools itself."""

    def __init__(self, context: AgentContext, *names: str, swallow: bool = False) -> None:
        self.tools = {tool.name: tool for tool in context.tools}
        self.names, self.swallow = names, swallow

    def reply(self, messages: list[AnyMessage]) -> str:
        try:
            found = [self.tools[name]() for name in self.names]
        except ConversationOver:
            if not self.swallow:
                raise
            found = []
        return f"I made {len(found)} calls"


class TestToolLoop:
    def test_calls_are_steps_of_the_conversation(self) -> None:
        sim = run(lambda c: ToolLoop(c, "get_users", "create_task"), ["Hello", STOP])
        assert [m.role[0] for m in sim.messages] == list("auatatau")
        first, second = (m for m in sim.messages if isinstance(m, ToolMessage))
        assert "Nadia" in (first.content or "")
        assert second.content == "Error: Argument 'user_id' of create_task is missing."
        assert (sim.steps, sim.errors) == (7, 1)

    @pytest.mark.parametrize("swallow", [False, True])
    def test_a_limit_ends_the_loop(self, swallow: bool) -> None:
        sim = run(lambda c: ToolLoop(c, *["get_users"] * 9, swallow=swallow), ["Hello"], limits=Limits(max_steps=5))
        assert (sim.termination_reason, sim.steps) == (Termination.MAX_STEPS, 5)
        assert isinstance(sim.messages[-1], ToolMessage)

    def test_arguments_that_are_nested_too_deeply_are_the_agents_miss(self) -> None:
        deep: list[Any] = []
        for _ in range(200):
            deep = [deep]

        class Deep(ToolLoop):
            def reply(self, messages: list[AnyMessage]) -> str:
                return self.tools["create_task"](title=deep)

        sim = run(Deep, ["Hello", STOP])
        assert sim.termination_reason == Termination.AGENT_ERROR
        assert sim.note == "create_task was called with arguments that JSON cannot hold: nested too deeply"

    def test_after_the_end(self) -> None:
        kept: list[AgentContext] = []

        def agent(context: AgentContext) -> Lines:
            kept.append(context)
            return Lines(["Hm"])

        sim = run(agent, ["Hello", STOP])
        with pytest.raises(ConversationOver, match="get_users was called when it was not the agent's turn"):
            kept[0].tools[1]()
        assert len(sim.messages) == 4
        with pytest.raises(ConversationOver):  # and not a new question for ever
            run(lambda context: ToolLoop(kept[0], "get_users"), ["Hello"])

    def test_in_solo_done_ends_it(self) -> None:
        sim = run(lambda c: ToolLoop(c, "check_notifications", "done"), played=task(ticket="Look"), solo=True)
        assert sim.termination_reason == Termination.AGENT_STOP
        assert [m.role for m in sim.messages] == ["assistant", "tool", "assistant"]
