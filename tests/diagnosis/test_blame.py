"""The point of no return, against mistakes that were made on purpose."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from pytest_tau import AgentContext, Domain, Reward, Simulation, Task, grade, load_domain, simulate
from pytest_tau.agents.faulty import KINDS, Mistake, mistaken_oracle
from pytest_tau.conversation.limits import Limits
from pytest_tau.diagnosis.blame import Prefixes, next_move, point_of_no_return, prospect
from pytest_tau.evaluation.criteria.assertions import assertions
from pytest_tau.evaluation.criteria.database import gold_state
from pytest_tau.schema.messages import AssistantMessage
from pytest_tau.schema.transcript import calls_made
from tests.builders import CREATE, Lines, a_call, action, core, finished, mock, says, task


class Miss(NamedTuple):
    task: Task
    domain: Domain
    simulation: Simulation
    reward: Reward
    mistake: Mistake


def misses(suite: str, seeds: int, tasks: int | None = None) -> Iterator[Miss]:
    """Trials that ``faulty`` missed."""
    domain = load_domain(suite)
    for played in core(suite)[:tasks]:
        for seed in range(seeds):
            made: list[Any] = []

            def faulty(context: AgentContext, played: Task = played, made: list[Any] = made) -> Any:
                player, mistake = mistaken_oracle(played, domain, context, kinds=KINDS)
                made.append(mistake)
                return player

            simulation = simulate(played, domain, faulty, seed=seed)
            reward = grade(played, simulation, domain)
            if not reward.passed and made[0] is not None:
                yield Miss(played, domain, simulation, reward, made[0])


def lost_at(miss: Miss) -> int:
    """Where a trial was lost, told without playing on.

    The first turn that a check of the policy names, or the mistaken call, where the rest of the gold path then leads
    elsewhere; else the agent's last word, up to which everything could have been put right.
    """
    played, domain, messages = miss.task, miss.domain, miss.simulation.messages
    turns = [one.turn for one in miss.reward.violations if one.turn is not None]
    env, done = domain.environment(played), []
    for turn, call, _ in calls_made(messages):
        if not env.call(call.name, call.arguments, call.requestor).error:
            done.append((call.name, call.arguments))
        if call.id == f"oracle_{miss.mistake.action_id}" and not reachable(played, domain, env.copy(), done):
            turns.append(turn)
    return min(turns, default=max(i for i, m in enumerate(messages) if isinstance(m, AssistantMessage)))


def reachable(played: Task, domain: Domain, env: Any, done: list[Any]) -> bool:
    criteria = played.evaluation_criteria
    assert criteria is not None
    for step in played.gold_actions:
        if (step.name, step.arguments) not in done:
            env.call(step.name, step.arguments, step.requestor)
    if "DB" in criteria.reward_basis:
        return bool(env.state() == gold_state(played, domain))
    return assertions(played, env, in_basis=True).value == 1.0


def right(found: list[Miss]) -> float:
    blamed = [point_of_no_return(miss.task, miss.simulation, miss.domain) for miss in found]
    return sum(b is not None and b.turn == lost_at(m) for b, m in zip(blamed, found, strict=True)) / len(found)


def test_planted_faults_are_found_where_they_are() -> None:
    found = list(misses("retail", 1, 12))
    assert len(found) >= 10
    assert right(found) >= 0.98


@pytest.mark.slow
def test_planted_faults_of_whole_suites_and_the_same_by_trying_every_turn() -> None:
    found = [miss for suite in ("retail", "telecom") for miss in misses(suite, 3)]
    assert len(found) >= 150
    assert right(found) >= 0.98
    for miss in found[::3]:
        bisected = point_of_no_return(miss.task, miss.simulation, miss.domain)
        assert bisected == point_of_no_return(miss.task, miss.simulation, miss.domain, exhaustive=True)


TASK = task(criteria={"actions": [action("create_task", **CREATE)], "reward_basis": ["DB"]})
STOP = "Thanks ###STOP###"


def played_by(agent: list[Any], user: tuple[Any, ...] = ("Hi", "And?", STOP), **options: Any) -> Simulation:
    return simulate(TASK, mock(), Lines(agent), Lines(user), **options)


def test_a_wrong_deed_is_to_blame_and_not_what_came_before() -> None:
    wrong = a_call("create_task", **{**CREATE, "title": "Else"})
    sim = played_by([says(None, a_call("get_users", id="r")), says(None, wrong), "Done", "Bye"])
    found = point_of_no_return(TASK, sim, mock())
    assert found is not None
    assert sim.messages[found.turn].tool_calls == [wrong]  # type: ignore[union-attr]
    assert found.text.startswith("the state asked for is out of reach: ")


def test_what_was_left_out_is_lost_when_the_customer_leaves() -> None:
    sim = played_by(["Yes?", "Done"])
    found = point_of_no_return(TASK, sim, mock())
    assert found is not None
    assert found.turn == len(sim.messages) - 2
    assert found.text == "the conversation ended after it with the task not done"


def test_a_conversation_that_was_broken_off() -> None:
    sim = played_by(["Yes?"], ("Hi", "And?"), limits=Limits(max_steps=4))
    assert point_of_no_return(TASK, sim, mock()) is None
    sim = simulate(TASK, mock(), Lines([""]), Lines(["Hi"]))
    assert point_of_no_return(TASK, sim, mock()) is None


def test_nobody_is_to_blame_where_the_oracle_does_not_pass() -> None:
    broken = task(criteria={"communicate_info": ["42"], "env_assertions": [], "actions": []})
    never = broken.model_copy(update={"evaluation_criteria": TASK.evaluation_criteria})
    impossible = task(
        criteria={
            "actions": [action("create_task", **CREATE)],
            "env_assertions": [{"env_type": "assistant", "func_name": "nothing"}],
            "reward_basis": ["ENV_ASSERTION"],
        }
    )
    sim = played_by(["Done"])
    assert point_of_no_return(impossible, sim, mock()) is None
    assert point_of_no_return(never, finished([]), mock()) is None


def test_the_agents_own_way_is_as_good() -> None:
    """The gold path has been walked by another call with the same effect: nothing is lost."""
    other = says(None, a_call("create_task", **CREATE, description=None))
    sim = played_by([other, "Bye"])
    assert grade(TASK, sim, mock()).passed
    prefixes = Prefixes(TASK, sim, mock())
    assert all(prospect(prefixes.at(number), TASK, mock()).possible for number in range(len(prefixes.turns)))


def test_the_next_move_of_the_oracle() -> None:
    sim = played_by(["Done"])
    move = next_move(Prefixes(TASK, sim, mock()).at(0), TASK)
    assert move is not None
    assert "create_task" in move.text or move.tool_calls
    lost = played_by([says(None, a_call("create_task", **{**CREATE, "title": "Else"})), "Bye"])
    prefixes = Prefixes(TASK, lost, mock())
    assert next_move(prefixes.at(1), TASK) is None
