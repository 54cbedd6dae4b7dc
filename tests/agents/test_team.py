"""The oracle as a team: who makes which move, and that it passes as the oracle does."""

import pytest

from pytest_tau import AgentContext, AssistantMessage, Simulation, Task, grade, load_domain, simulate
from pytest_tau.agents.names import named_agent
from pytest_tau.agents.team import Team
from pytest_tau.errors import SettingsError
from tests.builders import agent_context, mock, task, whole

DOMAIN, SUITE = load_domain("retail_desk"), "retail_desk"


def alarms(played: Task, agent: str) -> list[str]:
    """What the grade finds fault with."""
    results = grade(played, simulate(played, DOMAIN, agent), DOMAIN).results
    return [r.criterion for r in results if r.value != 1.0] + [c.kind for r in results for c in r.checks if not c.met]


@pytest.mark.parametrize("each", [6, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("agent", ["oracle:team", "oracle"])
def test_the_tasks_of_the_suite_are_passed_by_a_team_and_by_one_alone(agent: str, each: int) -> None:
    assert {one.id: found for one in whole(SUITE)[::each] if (found := alarms(one, agent))} == {}


def hand_overs(played: Simulation) -> list[tuple[str, str]]:
    spoken = (message for message in played.messages if isinstance(message, AssistantMessage))
    return [(one["from"], one["to"]) for message in spoken for one in message.handoffs or []]


def test_each_call_is_made_by_a_role_that_may_and_is_reached_by_hand_overs() -> None:
    approved = next(one for one in whole(SUITE) if "approval" in one.tags)
    played = simulate(approved, DOMAIN, "oracle:team")
    roles = DOMAIN.spec.roles
    for message in played.messages[1:]:
        if isinstance(message, AssistantMessage):
            assert all(call.name in roles[message.author or ""].tools for call in message.tool_calls or [])
    made = hand_overs(played)
    assert ("refunds", "supervisor") in made
    assert all(taker in roles[giver].hands_to for giver, taker in made)


def test_a_domain_without_roles_is_told() -> None:
    with pytest.raises(SettingsError, match="a team needs a domain with roles"):
        Team(task(), agent_context())
    with pytest.raises(SettingsError, match="a team needs a domain with roles"):
        named_agent("faulty:kind=ping_pong")(task(), mock())(agent_context())


def test_an_agent_reads_the_roles_in_its_context() -> None:
    found: list[AgentContext] = []

    def factory(context: AgentContext) -> Team:
        found.append(context)
        return Team(whole(SUITE)[0], context)

    simulate(whole(SUITE)[0], DOMAIN, factory)
    roles = found[0].roles
    assert list(roles) == ["triage", "orders", "refunds", "profile", "supervisor"]
    assert {name for role in roles.values() for name in role.tools} >= {tool.name for tool in found[0].tools}
    assert "# Your desk: refunds" in roles["refunds"].policy
    assert "# Your desk" not in found[0].policy
