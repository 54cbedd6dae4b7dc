"""Faults at the seams of a team: made where a task has a place for them, and named by the check that they break."""

import pytest

from benchmarks.seams import count, played
from pytest_tau import AgentContext, AssistantMessage, grade, load_domain, simulate
from pytest_tau.agents.seams import NAMED_BY, seam_of
from pytest_tau.agents.team import Team
from pytest_tau.diagnosis.blame import point_of_no_return
from pytest_tau.diagnosis.repair import smallest_repair
from pytest_tau.schema.record import RepairKind
from tests.builders import whole

DOMAIN, TASKS = load_domain("retail_desk"), whole("retail_desk")


@pytest.mark.parametrize("kind", NAMED_BY)
def test_each_kind_is_planted_and_named(kind: str) -> None:
    planted, missed, named = count(TASKS[::7], DOMAIN, kind)
    assert named == missed
    assert named == planted or kind == "consent_lost"  # of which some are unclear
    assert named >= 2


def test_where_nobody_else_has_a_record_none_is_shown() -> None:
    one = next(task for task in TASKS if played(task, DOMAIN, "strangers_matter")[1] is not None)
    theirs = {str(value): "them" for action in one.gold_actions for value in action.arguments.values()}
    teams: list[Team] = []

    def agent(context: AgentContext) -> Team:
        teams.append(Team(one, context, seam_of("strangers_matter", theirs)))
        return teams[-1]

    assert grade(one, simulate(one, DOMAIN, agent=agent), DOMAIN).value == 1.0
    assert teams[0].planted is None


@pytest.mark.slow
def test_of_all_that_are_planted_in_the_suite_95_percent_are_named() -> None:
    found = {kind: count(TASKS, DOMAIN, kind) for kind in NAMED_BY}
    assert all(named >= 0.89 * planted and planted >= 20 for planted, _, named in found.values()), found
    assert sum(named for _, _, named in found.values()) >= 0.95 * sum(planted for planted, _, _ in found.values())


def test_until_then_it_is_the_play_without_a_fault() -> None:
    one = next(task for task in TASKS if "approval" in task.tags)
    wrong, place = played(one, DOMAIN, "wrong_desk")
    assert place is not None
    message = wrong.messages[place]
    assert isinstance(message, AssistantMessage)
    assert (message.author, [over["to"] for over in message.handoffs or []]) == ("triage", ["triage"])
    clean = simulate(one, DOMAIN, "oracle:team").messages
    assert [m.content for m in wrong.messages[:place]] == [m.content for m in clean[:place]]


def test_where_a_task_has_no_place_for_it_nothing_is_planted() -> None:
    none = [one for one in TASKS if "approve_return" not in {step.name for step in one.gold_actions}][:3]
    for one in none:
        simulation, place = played(one, DOMAIN, "approval_skipped")
        assert place is None
        assert grade(one, simulation, DOMAIN).passed


@pytest.mark.parametrize("kind", ["wrong_desk", "ping_pong", "no_hand_over", "strangers_matter"])
def test_it_is_lost_where_the_fault_was_made_and_passed_without_it(kind: str) -> None:
    """The oracle that plays on is no desk: it has not made the fault of the one that spoke before it."""
    one = TASKS[1]
    wrong, place = played(one, DOMAIN, kind)
    lost, change = point_of_no_return(one, wrong, DOMAIN), smallest_repair(one, wrong, DOMAIN)
    assert lost is not None
    assert change is not None
    assert (lost.turn, change.turn, change.kind) == (place, place, RepairKind.LEFT_OUT)
