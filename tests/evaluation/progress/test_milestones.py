"""How far a trial got: milestones in their order, minefields, and gold writes where a task has none."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau import Reward, grade, load_domain, simulate
from pytest_tau.environment.task_problems import task_problems
from pytest_tau.environment.tasks import read_task
from pytest_tau.errors import TaskError
from pytest_tau.evaluation.progress.milestones import milestone_statuses, walk
from pytest_tau.schema.messages import AnyMessage, ToolMessage
from pytest_tau.schema.milestones import Milestone, in_order
from pytest_tau.schema.reward import MilestoneStatus
from pytest_tau.schema.simulation import Simulation, Termination
from pytest_tau.schema.task import Task
from tests.builders import CREATE, a_call, action, asks, core, finished, mock, played_calls, result_of, says, task

CREATED = a_call("create_task", **CREATE)
DONE = a_call("update_task_status", task_id="task_1", status="completed")
OPEN = a_call("update_task_status", task_id="task_1", status="pending")
LOOK = a_call("get_users")


def called(id: str, name: str, *after: str, **arguments: Any) -> dict[str, Any]:
    return {"id": id, "after": list(after), "when": {"check": "called", "name": name, "arguments": arguments}}


def reached(criteria: dict[str, Any], *calls: Any, reason: Termination = Termination.USER_STOP) -> Reward:
    return grade(task(criteria=criteria), finished(played_calls(mock(), *calls), reason), mock())


def turns(reward: Reward) -> list[int | None]:
    return [status.turn for status in reward.stations]


class TestOrder:
    POINTS: ClassVar = [called("looked", "get_users"), called("done", "update_task_status", "looked")]

    def test_in_order(self) -> None:
        reward = reached({"milestones": self.POINTS}, LOOK, DONE)
        assert (turns(reward), reward.progress) == ([0, 2], 1.0)

    def test_what_comes_before_its_predecessor_does_not_count(self) -> None:
        assert turns(reached({"milestones": self.POINTS}, DONE, LOOK)) == [2, None]

    def test_what_is_done_again_in_time_counts(self) -> None:
        assert turns(reached({"milestones": self.POINTS}, DONE, LOOK, DONE)) == [2, 4]

    def test_a_state_has_to_be_reached_again(self) -> None:
        status = {"check": "record", "table": "tasks", "key": "task_1", "path": "status", "value": "completed"}
        points = [self.POINTS[0], {"id": "done", "after": ["looked"], "when": status}]
        assert turns(reached({"milestones": points}, DONE, LOOK)) == [2, None]
        assert turns(reached({"milestones": points}, DONE, LOOK, OPEN, DONE)) == [2, 6]

    def test_two_at_one_moment(self) -> None:
        points = [called("a", "update_task_status"), called("b", "update_task_status", "a", task_id="task_1")]
        assert turns(reached({"milestones": points}, DONE)) == [0, 0]

    def test_they_are_told_in_an_order_that_is_one(self) -> None:
        reward = reached({"milestones": self.POINTS[::-1]}, LOOK)
        assert [status.id for status in reward.stations] == ["looked", "done"]
        assert reward.progress == 0.5

    @given(
        st.lists(st.tuples(st.sets(st.integers(0, 7)), st.sets(st.integers(0, 9), max_size=3)), min_size=1, max_size=8)
    )
    def test_no_milestone_before_its_predecessors(self, drawn: list[tuple[set[int], set[int]]]) -> None:
        points = [
            Milestone.model_validate({**called(str(n), "x"), "after": sorted(str(one) for one in after if one < n)})
            for n, (after, _) in enumerate(drawn)
        ]
        lines = {str(n): [(moment, True) for moment in sorted(moments)] for n, (_, moments) in enumerate(drawn)}
        found = walk(in_order(points), lines)
        for point in points:
            if point.id in found:
                assert all(found.get(before, 99) <= found[point.id] for before in point.after)
            elif all(before in found for before in point.after):
                latest = max((found[before] for before in point.after), default=-1)
                assert all(moment < latest for moment, _ in lines[point.id])


class TestMinefields:
    MINE: ClassVar = [{"id": "handed over", "when": {"check": "called", "name": "transfer_to_human_agents"}}]
    AWAY = a_call("transfer_to_human_agents", summary="?")

    def test_a_hit_takes_all_progress(self) -> None:
        reward = reached({"milestones": [called("looked", "get_users")], "minefields": self.MINE}, LOOK, self.AWAY)
        assert reward.progress == 0.0
        assert [(one.id, one.turn, one.mine) for one in reward.stations] == [
            ("looked", 0, False),
            ("handed over", 2, True),
        ]

    def test_passed_by(self) -> None:
        reward = reached({"milestones": [called("looked", "get_users")], "minefields": self.MINE}, LOOK)
        assert (reward.progress, turns(reward)) == (1.0, [0, None])

    def test_beside_the_gold_writes(self) -> None:
        criteria = {"actions": [action("create_task", **CREATE)], "minefields": self.MINE}
        assert reached(criteria, CREATED).progress == 1.0
        assert reached(criteria, CREATED, self.AWAY).progress == 0.0


class TestGoldWrites:
    """Where a task has no milestones."""

    GOLD: ClassVar = {
        "actions": [
            action("get_users"),
            action("create_task", **CREATE),
            action("update_task_status", task_id="task_1", status="completed"),
        ]
    }

    @pytest.mark.parametrize(
        ("calls", "progress"), [([], 0.0), ([CREATED], 0.5), ([DONE], 0.5), ([DONE, CREATED], 1.0)]
    )
    def test_in_any_order(self, calls: Sequence[Any], progress: float) -> None:
        assert reached(self.GOLD, *calls).progress == progress

    def test_one_call_is_one_step(self) -> None:
        twice = {"actions": [action("create_task", **CREATE), action("create_task", **CREATE)]}
        assert reached(twice, CREATED).progress == 0.5

    def test_the_name_is_the_call(self) -> None:
        assert reached(self.GOLD).stations[1].name == 'update_task_status(task_id="task_1", status="completed")'

    def test_null_is_as_good_as_nothing(self) -> None:
        assert reached(self.GOLD, a_call("create_task", **CREATE, description=None)).progress == 0.5

    def test_another_call_with_the_same_effect(self) -> None:
        done = {"actions": [action("update_task_status", task_id="task_1", status="completed", compare_args=None)]}
        assert reached(done, a_call("update_task_status", task_id="task_2", status="completed")).progress == 0.0
        other = {"actions": [action("create_task", **CREATE, description="")]}
        assert reached(other, CREATED).progress == 0.0
        padded = reached({"actions": [action("dismiss_notification", requestor="user", notification_id="n")]}, CREATED)
        assert padded.progress == 0.0  # a step that changes nothing has no effect to reach

    def test_a_call_that_fails_reaches_only_a_step_that_fails(self) -> None:
        unknown = {"task_id": "task_9", "status": "completed"}
        assert (
            reached(
                {"actions": [action("update_task_status", **unknown)]}, a_call("update_task_status", **unknown)
            ).progress
            == 1.0
        )
        late = {
            "actions": [
                action("create_task", **CREATE),
                action("update_task_status", task_id="task_4", status="completed"),
            ]
        }
        early = a_call("update_task_status", task_id="task_4", status="completed")
        assert turns(reached(late, early, CREATED)) == [2, None]

    def test_the_full_reward_is_all_of_it(self) -> None:
        basis = {**self.GOLD, "reward_basis": ["COMMUNICATE"]}
        assert (reached(basis).value, reached(basis).progress) == (1.0, 1.0)

    def test_nothing_to_change(self) -> None:
        nothing = {"actions": [action("get_users")]}
        assert reached(nothing).progress == 1.0
        assert reached(nothing, CREATED).progress == 0.0
        assert reached({**nothing, "reward_basis": ["NL_ASSERTION"], "nl_assertions": ["kind"]}).progress == 1.0

    def test_a_premature_end_keeps_its_progress(self) -> None:
        reward = reached(self.GOLD, CREATED, reason=Termination.MAX_STEPS)
        assert (reward.value, reward.progress, reward.partial) == (0.0, 0.5, 0.25)

    def test_what_was_cut_off_among_its_calls(self) -> None:
        cut = [*played_calls(mock(), CREATED), says(None, DONE)]
        assert [one.turn for one in milestone_statuses(task(criteria=self.GOLD), cut, mock())] == [0, None]

    def test_the_history_is_not_the_agents_doing(self) -> None:
        past = [says("Hi"), asks("Hello"), *played_calls(mock(), DONE)]
        begun = {"message_history": [message.model_dump() for message in past]}
        played = task(criteria=self.GOLD, initial_state=begun)
        assert [one.turn for one in milestone_statuses(played, past, mock())] == [None, None]


def cut_off(played: Simulation, at: int) -> Simulation:
    """A conversation that ended with this message, for want of steps."""
    return played.model_copy(
        update={"messages": played.messages[: at + 1], "termination_reason": Termination.MAX_STEPS}
    )


def written(played: Simulation, writes: Callable[[str, str], bool]) -> list[int]:
    """The places of the results of writing calls."""
    spoken = [one for one in played.messages if not isinstance(one, ToolMessage)]
    names = {call.id: call.name for one in spoken for call in one.tool_calls or []}
    results = [(at, one) for at, one in enumerate(played.messages) if isinstance(one, ToolMessage)]
    return [at for at, one in results if writes(names[one.id], one.requestor)]


@pytest.mark.parametrize("suite", ["retail", "airline", "insurance", "mock"])
def test_an_oracle_that_is_cut_off_after_a_write_has_that_share(suite: str) -> None:
    domain = load_domain(suite)
    writes = domain.environment().writes
    for played in core(suite)[::4]:
        simulation = simulate(played, domain)
        due = sum(writes(step.name, step.requestor) for step in played.gold_actions)
        made = written(simulation, writes)
        for number, at in enumerate(made, start=1):
            reward = grade(played, cut_off(simulation, at), domain)
            assert (reward.value, reward.progress) == (0.0, number / due), played.id
        reward = grade(played, simulation, domain)
        assert reward.partial == 1.0
        again = Simulation.model_validate_json(simulation.model_dump_json())
        assert grade(played, again, domain).stations == reward.stations


class TestTaskFiles:
    def problem(self, **criteria: Any) -> str:
        content = {"id": "t", "user_scenario": {"instructions": "Hi"}, "evaluation_criteria": criteria}
        try:
            return "; ".join(task_problems(read_task(content, "f.json"), mock()))
        except TaskError as error:
            return str(error)

    def test_two_with_one_id(self) -> None:
        points = [called("a", "get_users")]
        assert "two milestones or minefields have the id 'a'" in self.problem(milestones=points, minefields=points)

    def test_a_predecessor_that_is_not_there(self) -> None:
        assert "the milestone 'a' comes after 'b', which does not exist" in self.problem(
            milestones=[called("a", "x", "b")]
        )

    def test_a_circle(self) -> None:
        points = [called("a", "x", "b"), called("b", "x", "a")]
        assert "the milestones a, b wait for each other" in self.problem(milestones=points)

    @pytest.mark.parametrize(
        ("when", "said"),
        [
            ({"check": "called", "name": "get_user"}, "milestones[0]: there is no assistant tool 'get_user'"),
            ({"check": "record", "table": "task"}, "there is no assistant table 'task' (did you mean 'tasks'?)"),
            ({"check": "count", "table": "tasks", "side": "user"}, "there is no user table 'tasks'"),
            ({"check": "assertion", "env_type": "user", "func_name": "nope"}, "user toolkit has no method 'nope'"),
            ({"check": "assertion", "env_type": "assistant", "func_name": "create_task"}, "create_task writes"),
        ],
    )
    def test_what_the_domain_does_not_have(self, when: dict[str, Any], said: str) -> None:
        for wrapped in (when, {"check": "not", "of": when}, {"check": "all", "of": [when]}):
            assert said in self.problem(milestones=[{"id": "a", "when": wrapped}])

    def test_an_unknown_check(self) -> None:
        assert "evaluation_criteria.milestones.0.when" in self.problem(milestones=[{"id": "a", "when": {"check": "x"}}])


def test_a_reward_as_json_has_its_progress() -> None:
    reward = Reward(value=0.0, stations=[MilestoneStatus(id="a", name="a", turn=3), MilestoneStatus(id="b", name="b")])
    assert reward.model_dump(mode="json")["progress"] == 0.5
    assert Reward.model_validate_json(reward.model_dump_json()) == reward


def test_nobody_has_looked() -> None:
    assert (Reward(value=1.0).progress, Reward(value=1.0).partial) == (None, None)


def test_a_task_as_it_is_written_can_be_read_back() -> None:
    played = task(
        criteria={
            "milestones": [called("a", "get_users")],
            "minefields": [{"id": "b", "when": {"check": "said", "texts": ["x"]}}],
        }
    )
    assert Task.model_validate_json(played.model_dump_json()) == played


def test_results_pair_with_calls() -> None:
    calls = [CREATED.model_copy(update={"id": "1"}), DONE.model_copy(update={"id": "2"})]
    env = mock().environment()
    results = [result_of(call, env.call(call.name, call.arguments).content) for call in calls]
    messages: list[AnyMessage] = [says(None, *calls), *results]
    assert [one.turn for one in milestone_statuses(task(criteria=TestGoldWrites.GOLD), messages, mock())] == [0, 0]
