"""The oracle with mistakes: every kind is a mistake, and the same seed makes the same one."""

from functools import cache

import pytest

from pytest_tau import AgentContext, Domain, Task, grade, load_domain, load_tasks, simulate
from pytest_tau.agents.faulty import KINDS, UNASKED, faulty_agent
from pytest_tau.agents.oracle import Oracle
from pytest_tau.agents.team import Team
from pytest_tau.conversation.protocols import ContextTool
from pytest_tau.schema.messages import AssistantMessage
from tests.builders import CREATE, action, agent_context, core, mock, task

DONE = action("update_task_status", task_id="task_1", status="completed")
REASON = {"check": "reason", "any_of": ["because"]}


@cache
def context(domain: Domain, seed: int) -> AgentContext:
    tools = tuple(
        ContextTool(t.name, t.schema, t.writes, lambda name, arguments: "") for t in domain.environment().tool_specs()
    )
    return agent_context(seed=seed, tools=tools)


def plan(agent: Oracle | Team) -> list[AssistantMessage]:
    return [agent.reply([]).model_copy(update={"timestamp": None}) for _ in range(40)]


def mistaken(played: Task, domain: Domain, kind: str, seed: int = 1) -> list[AssistantMessage]:
    return plan(faulty_agent(played, domain, context(domain, seed), rate=1.0, kinds=[kind]))


def right(played: Task, domain: Domain) -> list[AssistantMessage]:
    return plan(Oracle(played, context(domain, 1)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_every_kind_changes_the_plan(kind: str, seed: int) -> None:
    criteria = {
        "actions": [action("create_task", **CREATE), DONE],
        "communicate_info": ["12", "yes"],
        "trajectory": [REASON],
    }
    played = task(criteria=criteria)
    assert mistaken(played, mock(), kind, seed) != right(played, mock())


@pytest.mark.parametrize("domain", ["mock", "retail", "airline"])
@pytest.mark.parametrize("kind", KINDS)
def test_on_the_built_in_tasks(domain: str, kind: str) -> None:
    """A kind that has something to go wrong in a task does go wrong there."""
    loaded = load_domain(domain)
    writes = {spec.name for spec in loaded.environment().tool_specs() if spec.writes}
    for played in core(domain):
        criteria = played.evaluation_criteria
        assert criteria is not None
        applies = {
            "wrong_argument": any(a.name in writes for a in played.gold_actions),
            "wrong_tool": any(a.name in writes for a in played.gold_actions),
            "partly_done": bool(played.gold_actions),
            "unintended_action": True,
            "wrong_information": bool(criteria.communicate_info),
            "missing_information": bool(criteria.communicate_info)
            or any(check.check == "reason" for check in criteria.trajectory or []),
        }[kind]
        if applies:
            assert mistaken(played, loaded, kind) != right(played, loaded), played.id


def test_the_same_seed_makes_the_same_mistake() -> None:
    played = task(criteria={"actions": [action("create_task", **CREATE), DONE], "communicate_info": ["12"]})
    runs = [
        plan(faulty_agent(played, mock(), context(mock(), seed), rate=1.0, kinds=KINDS)) for seed in [*range(8)] * 2
    ]
    assert runs[:8] == runs[8:]
    assert len({str(run) for run in runs}) > 3


def test_where_nothing_can_go_wrong_it_is_right() -> None:
    played = task(criteria={"actions": []})
    for kind in ("wrong_argument", "wrong_tool", "partly_done", "wrong_information", "missing_information"):
        assert mistaken(played, mock(), kind) == right(played, mock())


@pytest.mark.parametrize(("rate", "least", "most"), [(0.0, 0, 0), (1.0, 40, 40), (0.5, 10, 30)])
def test_the_rate(rate: float, least: int, most: int) -> None:
    played = task(criteria={"actions": [DONE]})
    wrong = sum(
        plan(faulty_agent(played, mock(), context(mock(), seed), rate=rate, kinds=["partly_done"]))
        != right(played, mock())
        for seed in range(40)
    )
    assert least <= wrong <= most


def test_a_mistake_is_a_miss_in_the_played_trial() -> None:
    played = next(t for t in load_tasks("mock") if t.id == "complete_a_task")
    for kind in ("wrong_argument", "partly_done"):
        sim = simulate(played, mock(), f"faulty:kind={kind}")
        assert grade(played, sim, mock()).value == 0.0


def test_who_does_not_ask_does_what_is_right_and_breaks_the_policy() -> None:
    domain = load_domain("retail")
    played = next(one for one in core("retail") if one.id == "cancel_order_by_mistake")
    simulation = simulate(played, domain, f"faulty:kind={UNASKED}")
    missed = [one.criterion for one in grade(played, simulation, domain).results if one.in_basis and one.value != 1.0]
    assert missed == ["TRAJECTORY"]
    assert UNASKED not in KINDS  # else the same seed would make another mistake than before
