"""The agent that does nothing, which is the floor."""

from pytest_tau import AssistantMessage, grade, simulate
from pytest_tau.agents.noop import SENTENCE, Noop
from pytest_tau.schema.simulation import Termination
from tests.builders import agent_context, mock, task


def test_one_sentence() -> None:
    sim = simulate(task(criteria={"actions": []}), mock(), "noop")
    spoken = [m.content for m in sim.messages if isinstance(m, AssistantMessage)][1:]
    assert set(spoken) == {SENTENCE}
    assert (sim.termination_reason, sim.agent_cost) == (Termination.USER_STOP, 0.0)
    assert grade(task(criteria={"actions": []}), sim, mock()).passed


def test_in_solo_it_closes_the_ticket() -> None:
    sim = simulate(task(ticket="Do it"), mock(), "noop", solo=True)
    assert (sim.termination_reason, len(sim.messages)) == (Termination.AGENT_STOP, 1)


def test_it_says_nothing_that_ends_a_normal_conversation() -> None:
    assert "###" not in str(Noop(agent_context()).reply([]).content)
