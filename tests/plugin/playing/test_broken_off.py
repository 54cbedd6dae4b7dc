"""A conversation that an exception of the agent breaks off: kept with its steps and its cost, and played again."""

import pytest

from tests.plugin.inner import journal, mock_run

AGENTS = """
import asyncio

import pytest
from pytest_tau import AssistantMessage, ToolCall


class MaxTurnsExceeded(Exception):
    pass


class Agent:
    error = KeyError

    def __init__(self, context):
        self.context = context
        self.said = 0

    def reply(self, messages):
        self.said += 1
        if self.said == 1:
            calls = [ToolCall(id="c1", name="get_users", arguments={})]
            return AssistantMessage(tool_calls=calls, cost=0.25)
        raise self.error("oops")


class Limited(Agent):
    error = MaxTurnsExceeded


class Asserts(Agent):
    error = AssertionError


class Exits(Agent):
    error = SystemExit


class Cancels(Agent):
    error = asyncio.CancelledError


class Skips(Agent):
    error = staticmethod(pytest.skip)
"""


ENDED = {
    "agents:Agent": ("error", "test_ended"),
    "agents:Asserts": ("error", "test_ended"),
    "agents:Exits": ("error", "test_ended"),
    "agents:Cancels": ("error", "test_ended"),
    "agents:Skips": ("error", "test_ended"),
    "agents:Limited": ("missed", "agent_error"),
}


@pytest.mark.parametrize("at_once", ["1", "2"])
def test_what_was_played_is_kept(pytester: pytest.Pytester, at_once: str) -> None:
    pytester.makepyfile(agents=AGENTS)
    agents = (f"--tau-agent={agent}" for agent in ENDED)
    options = (*agents, "--tau-tasks=complete_a_task", f"--tau-concurrency={at_once}")
    result = mock_run(pytester, *options)
    records = {record.simulation.agent: record for record in journal(pytester.path) if record.simulation is not None}
    assert records.keys() == ENDED.keys()
    for agent, record in records.items():
        assert record.simulation is not None
        assert (record.outcome.value, record.simulation.termination_reason.value) == ENDED[agent]
        assert record.simulation.agent_cost == 0.25
        assert [message.role for message in record.simulation.messages][-2:] == ["assistant", "tool"]
    result.stdout.fnmatch_lines(["*the conversation so far*", "*get_users*"] * 5)
    again = mock_run(pytester, *options, "--tau-resume")  # a bug is no verdict
    again.stdout.fnmatch_lines(["5 replays: trials without a verdict that were played again*"])
