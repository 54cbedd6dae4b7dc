"""Replies that were none: their price is kept, and errors of an agent that was cut off are not bugs."""

from typing import Any

import pytest

from pytest_tau import AgentContext, AgentFault, Simulation, UserMessage, simulate
from pytest_tau.conversation.limits import Limits
from pytest_tau.errors import ConversationOver
from pytest_tau.schema.messages import AssistantMessage
from pytest_tau.schema.simulation import Termination
from pytest_tau.schema.spending import Usage, total_spent
from tests.builders import Lines, asks, mock, says, task

TOKENS = Usage(prompt_tokens=3, completion_tokens=1)


def said(text: str | None, cost: float | None, usage: Usage | None = TOKENS) -> AssistantMessage:
    return AssistantMessage(content=text, cost=cost, usage=usage)


def run(agent: Any, user: Any = ("Hello", "###STOP###")) -> Simulation:
    players = [Lines(player) if isinstance(player, (list, tuple)) else player for player in (agent, user)]
    return simulate(task(), mock(), *players, limits=Limits(max_steps=3))


@pytest.mark.parametrize(
    ("parts", "cost", "usage"),
    [
        ([], 0, Usage()),
        ([said("a", 1.0), said("b", 0.5)], 1.5, Usage(prompt_tokens=6, completion_tokens=2)),
        ([said("a", None), said("b", 0.5)], None, Usage(prompt_tokens=6, completion_tokens=2)),
        ([said("a", 1.0, None), said("b", 0.5)], 1.5, None),
    ],
)
def test_total_spent(parts: list[AssistantMessage], cost: float | None, usage: Usage | None) -> None:
    assert total_spent(parts) == {"cost": cost, "usage": usage}


class TestPrice:
    def test_the_next_message_bears_it(self) -> None:
        sim = run([said(None, 1.0), said(" ", 2.0), said("Yes", 4.0)])
        costs = [m.cost for m in sim.messages if isinstance(m, AssistantMessage)]
        assert (costs, sim.agent_cost) == ([0.0, 7.0], 7.0)

    def test_of_attempts_that_led_nowhere(self) -> None:
        sim = run([said(None, 1.0)])
        assert (sim.termination_reason, sim.agent_cost, sim.user_cost) == (Termination.AGENT_ERROR, 3.0, None)

    def test_and_of_the_one_before_the_provider_failed(self) -> None:
        sim = run([said(None, 1.0), ConnectionError("gone")], [asks("Hello")])
        assert (sim.termination_reason, sim.agent_cost) == (Termination.INFRASTRUCTURE_ERROR, 1.0)

    def test_of_the_customer(self) -> None:
        sim = run([says("Yes?")], [UserMessage(cost=1.0), asks("###STOP###", cost=1.0)])
        assert (sim.user_cost, sim.agent_cost) == (2.0, 0.0)


class TestCutOff:
    @pytest.mark.parametrize("made_of_it", [ConversationOver, RuntimeError, ConnectionError, AgentFault])
    def test_a_framework_may_make_another_error_of_it(self, made_of_it: type[Exception]) -> None:
        class Wraps:
            def __init__(self, context: AgentContext) -> None:
                self.look = context.tools[0]

            def reply(self, messages: list[Any]) -> str:
                try:
                    while True:
                        self.look()
                except ConversationOver as error:
                    raise made_of_it("a tool failed") from error

        sim = run(Wraps)
        assert (sim.termination_reason, sim.note) == (Termination.MAX_STEPS, None)
