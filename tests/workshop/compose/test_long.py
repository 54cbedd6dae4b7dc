"""Long episodes of short tasks: what they keep of each, what they forbid no more, and what is no long task."""

import random
from dataclasses import replace
from functools import cache, partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau import Task, grade, simulate
from pytest_tau.errors import TaskError
from pytest_tau.schema.calls import EnvFunctionCall
from pytest_tau.schema.checks import Confirmed, Identified, NotCalled
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.scenario import Instructions
from tau_workshop.compose import ComposeOptions, Reference, compose_tasks, look_up
from tau_workshop.compose import long as module
from tau_workshop.compose.long import ASIDES, HURRIED, Length, compose_long, join, proven_long, turns_of
from tests.builders import a_call, asks, finished, mock, result_of, says

from .families import ADD, DELETE, TICK, family


@cache
def short(*names: str, mind: str = "kept", writes: int = 1) -> Task:
    """A short task of these wishes."""
    atoms = [{"tick": TICK, "add": ADD, "delete": DELETE}[name] for name in names]
    options: Any = {"refusals": "none" if writes else "only", "mind": mind, "writes": (writes, writes)}
    return compose_tasks(family(*atoms), mock(), 1, 1, ComposeOptions(**options))[0]


TICKED, ADDED = partial(short, "tick"), partial(short, "add")


def both(order: str = "others") -> Task:
    return join([TICKED(), ADDED()], order=order)


class TestJoined:
    def test_it_is_solved_by_the_oracle_and_not_by_half(self) -> None:
        task = both()
        played = simulate(task, mock())
        assert grade(task, played, mock()).passed
        assert len(played.episodes) == 1
        half = simulate(TICKED(), mock()).model_copy(update={"task_id": task.id})
        assert not grade(task, half, mock()).passed

    def test_gold_actions_are_named_by_their_conversation_and_each_begins_with_its_first(self) -> None:
        task = both()
        ids = [action.action_id for action in task.gold_actions]
        assert len(set(ids)) == len(ids)
        assert [id[:3] for id in ids] == ["v1_", "v1_", "v2_", "v2_"]
        names = [action.name for action in task.gold_actions]
        assert names == ["get_users", "update_task_status", "get_users", "create_task"]
        (visit,) = task.episodes or []
        assert visit.before == ids[2]
        assert visit.user_scenario.render() == ADDED().user_scenario.render()
        assert task.user_scenario.render() == TICKED().user_scenario.render()

    def test_what_is_said_later_stays_before_its_own_action(self) -> None:
        revised = short("add", mind="revised")
        task = join([TICKED(), revised], order="others")
        (visit,) = task.episodes or []
        (before,), (after,) = (
            [moment.before for moment in scenario.later] for scenario in (revised.user_scenario, visit.user_scenario)
        )
        assert after == f"v2_{before}"
        assert after in [action.action_id for action in task.gold_actions]
        assert isinstance(revised.user_scenario.instructions, Instructions)

    def test_name_tags_and_purpose_tell_of_both(self) -> None:
        task = both("again")
        assert task.id == f"{TICKED().id}.then.{ADDED().id}"
        assert task.tags[:2] == ["long", "way_again"]
        assert len(set(task.tags)) == len(task.tags)
        assert not [tag for tag in task.tags if tag.startswith("writes_")]
        assert task.description is not None
        assert " Then: " in (task.description.purpose or "")

    def test_checks_of_both_are_asked_once_and_nothing_is_forbidden_that_another_part_does(self) -> None:
        refused = short("delete", writes=0)
        forbidden = NotCalled(check="not_called", name="update_task_status", arguments={"task_id": "task_2"})
        assert forbidden in trajectory(join([TICKED(), refused], order="others"))
        done = look_up("update_task_status", task_id="task_2", status="pending")
        assert forbidden not in module._checks([forbidden], [done])
        confirmed = [check for check in trajectory(both()) if isinstance(check, Confirmed)]
        assert len(confirmed) == 1

    def test_who_called_is_asked_of_each_conversation(self) -> None:
        one, other = (Identified(check="identified", by=["get_users"], shows=name) for name in ("user_1", "user_2"))
        kept = module._checks([one, other], [])
        assert kept == [Identified(check="identified", by=["get_users"])]

    def test_worlds_are_set_up_one_after_the_other(self) -> None:
        call = EnvFunctionCall(env_type="assistant", func_name="update_task_status", arguments={"task_id": "task_2"})
        state = {"initialization_actions": [call]}
        parts = [
            one.model_copy(update={"initial_state": module._initial(one).model_copy(update=state)})
            for one in (TICKED(), ADDED())
        ]
        made = join(parts, order="others").initial_state
        assert made is not None
        assert made.initialization_actions == [call, call]
        assert both().initial_state is None


def trajectory(task: Task) -> list[Any]:
    assert task.evaluation_criteria is not None
    return list(task.evaluation_criteria.trajectory or [])


class TestProven:
    def test_the_number_of_changes_is_a_tag(self) -> None:
        task = proven_long(both(), mock(), Length(writes=(2, 2), turns=(2, 60)))
        assert task.tags[-1] == "writes_2"

    @pytest.mark.parametrize(
        ("length", "why"),
        [
            (Length(writes=(3, 15), turns=(1, 60)), ": 2 changes"),
            (Length(writes=(0, 1), turns=(1, 60)), ": 2 changes"),
            (Length(writes=(2, 2), turns=(1, 2)), r": \d+ turns"),
            (Length(writes=(2, 2), turns=(50, 60)), r": \d+ turns"),
        ],
    )
    def test_another_length_than_was_asked_for_is_refused(self, length: Length, why: str) -> None:
        with pytest.raises(TaskError, match=f"task '{both().id}'{why}"):
            proven_long(both(), mock(), length)

    def test_gold_actions_that_share_an_id_are_refused(self) -> None:
        long = both()
        criteria = long.evaluation_criteria
        assert criteria is not None
        twice = criteria.model_copy(update={"actions": [*long.gold_actions, long.gold_actions[-1]]})
        with pytest.raises(TaskError, match=r"two gold actions share an id, and ids say where a conversation begins$"):
            proven_long(long.model_copy(update={"evaluation_criteria": twice}), mock(), Length((2, 3), (2, 60)))

    def test_turns_are_what_the_two_sides_say(self) -> None:
        call = a_call()
        spoken: list[AnyMessage] = [says("Hi!"), asks("Hello"), says("Done.", call)]
        silent: list[AnyMessage] = [says(None, call), result_of(call), says("")]
        assert turns_of(finished([*spoken, *silent])) == 3

    def test_more_than_can_be_composed_is_refused_with_how_many_there_are(self) -> None:
        none = "no wishes that are left come to 6 to 15 changes together"
        with pytest.raises(TaskError, match=f"^1 long tasks were asked for, but only 0 can be composed; {none}$"):
            compose_long(family(TICK, ADD), mock(), 1, 1)
        with pytest.raises(
            TaskError, match=r"^2 long tasks were asked for, but only 0 can be composed; .* 1 to 2 changes"
        ):
            compose_long(family(TICK, ADD), mock(), 2, 1, Length(writes=(1, 2)))


class TestAside:
    def test_it_comes_after_a_step_between_the_first_and_the_last(self) -> None:
        task = join([short("tick", "add", writes=2), ADDED()], order="others")
        task = task.model_copy(update={"tags": ["calm"]})
        names = [action.name for action in task.in_episode(1).gold_actions]
        for seed in range(10):
            changed = module._with_aside(task, random.Random(seed))
            (aside,) = changed.user_scenario.interrupts or []
            assert aside.after_call in names[1:-1]
            assert aside.say in ASIDES
            assert changed.tags == [*task.tags, "interrupted"]
        hurried = module._with_aside(task.model_copy(update={"tags": ["persona_impatient"]}), random.Random(1))
        assert (hurried.user_scenario.interrupts or [])[0].say in HURRIED

    def test_there_is_none_where_nothing_lies_between(self) -> None:
        assert module._with_aside(both(), random.Random(1)) == both()


@given(st.sets(st.sampled_from("abc")), st.sets(st.sampled_from("abc")), st.booleans())
def test_wishes_meet_in_a_record_or_in_their_kind(one: set[str], other: set[str], alike: bool) -> None:
    first = replace(TICK, touches=frozenset(one))
    second = replace(TICK if alike else ADD, touches=frozenset(other))
    assert module._meets(first, second) == module._meets(second, first) == (alike or bool(one & other))


@pytest.mark.parametrize(
    ("refers", "needs"),
    [
        (None, False),
        ({"a": Reference("#W1", "my lamp")}, False),
        ({"a": Reference("#W1", "my lamp"), "b": Reference("#W2")}, True),
    ],
)
def test_a_record_without_other_words_needs_its_number(refers: Any, needs: bool) -> None:
    assert module._needs_its_number(replace(TICK, refers=refers)) == needs
