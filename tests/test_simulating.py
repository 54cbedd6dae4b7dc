"""Playing a trial from Python: names, factories and single objects as players."""

import asyncio
from functools import partial
from typing import Any

import pytest

from pytest_tau import AgentContext, asimulate, grade, load_tasks, simulate
from pytest_tau.errors import DomainError, SettingsError, TaskError
from pytest_tau.seeds import trial_seed
from pytest_tau.simulating import DEFAULT_SEED, player_name
from tests.builders import Lines, mock, task


def bot(context: AgentContext) -> Lines:
    return Lines(["Hm"])


def test_names_are_recorded_as_given() -> None:
    sim = simulate(load_tasks("mock")[0], mock())
    assert (sim.agent, sim.user) == ("oracle", "scripted")
    assert grade(load_tasks("mock")[0], sim, mock()).passed


def test_the_same_on_a_running_event_loop() -> None:
    played = load_tasks("mock")[0]
    sim = asyncio.run(asimulate(played, mock()))
    assert (sim.agent, sim.user) == ("oracle", "scripted")
    assert grade(played, sim, mock()).passed


def test_an_async_player_where_a_loop_runs_already_is_refused_with_what_helps() -> None:
    class Slow:
        async def reply(self, messages: object) -> str:
            raise AssertionError("never asked")

    async def in_a_notebook() -> None:
        assert simulate(task(), mock(), bot).steps
        with pytest.raises(SettingsError, match=r"^an async agent .* use await with asimulate\(\), areset\(\) or"):
            simulate(task(), mock(), Slow())

    asyncio.run(in_a_notebook())


@pytest.mark.parametrize("number", [0, -1, "1", 10**9 + 1])
def test_a_trial_that_no_record_could_hold_is_not_played(number: Any) -> None:
    with pytest.raises(SettingsError, match=f"^trial={number!r}: trials are counted from 1$"):
        simulate(task(), mock(), Lines([]), trial=number)


def test_options_of_another_kind_are_refused_before_anything_is_played() -> None:
    with pytest.raises(SettingsError, match=r"^images='x': use one of send, alt, drop$"):
        simulate(task(), mock(), images="x")
    with pytest.raises(SettingsError, match=r"^faults='timeout': give an object with answer\(\), such as ToolFaults"):
        simulate(task(), mock(), faults="timeout")


def test_a_factory_is_recorded_by_where_it_is() -> None:
    assert simulate(task(), mock(), bot).agent == f"{__name__}:bot"
    assert player_name(Lines(["Hm"])) == "tests.builders:Lines"
    assert player_name(partial(partial(bot), None)) == f"{__name__}:bot"


def test_a_name_of_code_is_imported() -> None:
    assert simulate(task(), mock(), f"{__name__}:bot").agent == f"{__name__}:bot"


def test_the_seed_is_the_trials() -> None:
    assert simulate(task(), mock(), bot, trial=2).seed == trial_seed(DEFAULT_SEED, "mock", "t", 2)
    assert simulate(task(), mock(), bot, seed=5).seed == trial_seed(5, "mock", "t", 1)


def test_what_is_no_player() -> None:
    with pytest.raises(SettingsError, match=r"there is no agent 'oracel': use llm, .*oracle, .*or module:factory"):
        simulate(task(), mock(), "oracel")
    with pytest.raises(
        SettingsError, match=r"there is no user 'script': use llm, .*scripted, scripted:people, or module:factory"
    ):
        simulate(task(), mock(), user="script")
    with pytest.raises(SettingsError, match="the agent is 7: it must be a callable"):
        simulate(task(), mock(), 7)


def test_a_task_that_cannot_be_set_up() -> None:
    broken = task(initial_state={"initialization_actions": [{"env_type": "user", "func_name": "nope"}]})
    with pytest.raises(TaskError, match=r"task 't': initialization_actions\[0\] \(nope\) failed"):
        simulate(broken, mock())


def test_a_mode_the_domain_does_not_have() -> None:
    from pytest_tau import load_domain

    with pytest.raises(DomainError, match="Retail domain does not support solo mode"):
        simulate(task(), load_domain("retail"), solo=True)
