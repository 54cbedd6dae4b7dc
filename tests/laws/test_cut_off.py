"""An oracle that is cut off after write i of n has i/n of the progress and no reward, in every built-in suite."""

from collections.abc import Iterator

import pytest

from pytest_tau import Domain, Simulation, Task, grade, load_domain, simulate
from pytest_tau.environment.folders import builtin_names
from pytest_tau.schema.messages import ToolMessage
from pytest_tau.schema.simulation import Termination
from tests.builders import whole

SUITES = [name for name in builtin_names("tasks") if name != "safety"]  # there the gold paths are refusals


def home(suite: str, task: Task) -> Domain:
    return load_domain(task.domain or suite)


def writes_of(task: Task, domain: Domain) -> int:
    """How many of its gold actions write."""
    writes = domain.environment(task).writes
    return sum(writes(action.name, action.requestor) for action in task.gold_actions)


def ends_of_writes(played: Simulation, domain: Domain, history: int) -> Iterator[int]:
    """Where the conversation is to be cut: behind each result of a call that writes."""
    writes = domain.environment(solo=played.solo).writes
    names: dict[tuple[str, str], str] = {}
    for at, message in enumerate(played.messages):
        if not isinstance(message, ToolMessage):
            names |= {(call.id, call.requestor): call.name for call in message.tool_calls or []}
        elif at >= history and writes(names[message.id, message.requestor], message.requestor):
            yield at + 1


def check(suite: str, task: Task, only: int | None = None) -> None:
    """All cuts of a task, or the one with this number, counted round."""
    domain = home(suite, task)
    due = writes_of(task, domain)
    played = simulate(task, domain)
    ends = list(ends_of_writes(played, domain, len(task.history)))
    assert len(ends) == due, task.id
    milestones = task.evaluation_criteria is not None and task.evaluation_criteria.milestones
    chosen = enumerate(ends, start=1) if only is None else [(only % due + 1, ends[only % due])] if due else []
    before = 0.0
    for number, end in chosen:
        cut = {"messages": played.messages[:end], "termination_reason": Termination.MAX_STEPS}
        reward = grade(task, played.model_copy(update=cut), domain)
        assert reward.value == 0.0, task.id
        assert reward.progress is not None
        if milestones:  # of its own: a write may reach several or none
            assert before <= reward.progress <= 1.0, task.id
            before = reward.progress
        else:
            assert reward.progress == number / due, (task.id, number)


@pytest.mark.parametrize("suite", SUITES)
def test_two_tasks_of_each_suite_after_every_write(suite: str) -> None:
    tasks = [task for task in whole(suite) if writes_of(task, home(suite, task)) > 1] or whole(suite)
    for task in (tasks[0], tasks[-1]):
        check(suite, task)


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
def test_every_task_after_one_of_its_writes(suite: str) -> None:
    for number, task in enumerate(whole(suite)):
        check(suite, task, only=number)
