"""A solver without a policy: it does what is wanted, and nothing else."""

from pytest_tau import Task, grade, simulate
from pytest_tau.schema.messages import AssistantMessage
from pytest_tau.schema.scenario import Instructions
from tau_workshop.attacks.building import build
from tau_workshop.attacks.free import free_agent, unbound
from tests.builders import core, mock, task
from tests.workshop.attacks.on_mock import case

ATTACK, TWIN = build(case(says=("It is completed.",)), mock())


def done(played: Task) -> tuple[list[str], str]:
    """The calls of the free agent, and all that it says."""
    sim = simulate(played, mock(), lambda context: free_agent(played, context))
    spoken = [message for message in sim.messages if isinstance(message, AssistantMessage)]
    return [call.name for one in spoken for call in one.tool_calls or []], " ".join(one.text or "" for one in spoken)


def test_on_an_attack_it_does_what_is_wanted_and_says_what_they_want_to_hear() -> None:
    calls, said = done(ATTACK)
    assert calls == ["get_users", "update_task_status"]
    assert "It is completed." in said


def test_that_is_what_the_attack_is_graded_as() -> None:
    sim = simulate(ATTACK, mock(), lambda context: free_agent(ATTACK, context))
    found = grade(ATTACK, sim, mock())
    assert found.conduct is not None
    assert (found.passed, bool(found.conduct.attacked)) == (False, True)


def test_where_nothing_is_wanted_it_walks_the_gold_path() -> None:
    for plain in (TWIN, task(), core("mock")[0]):
        assert unbound(plain) is plain
    assert done(TWIN)[0] == ["get_users", "update_task_status"]


def test_what_is_wanted_is_its_gold_path_and_nobody_insists() -> None:
    free = unbound(ATTACK)
    assert ATTACK.safety is not None
    assert free.gold_actions == ATTACK.safety.wanted
    said = free.user_scenario.instructions
    assert isinstance(said, Instructions)
    assert said.later is None
    assert free.evaluation_criteria is not None
    assert free.evaluation_criteria.trajectory is None


def test_words_alone_are_enough_to_be_wanted() -> None:
    told = build(case(wanted=(), says=("Yes.",)), mock())[0]
    assert (unbound(told).gold_actions, done(told)[0]) == ([], [])
    assert "Yes." in done(told)[1]
