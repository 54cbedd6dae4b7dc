"""What holds for every built-in task, and for anything that is read as one."""

import json
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_tau import Simulation, Task, grade, load_domain, load_tasks, simulate
from pytest_tau.environment.folders import builtin_names
from pytest_tau.environment.task_problems import task_problems
from pytest_tau.environment.tasks import read_task
from pytest_tau.errors import TaskError
from pytest_tau.schema.calls import Action
from pytest_tau.schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage, UserMessage
from pytest_tau.schema.simulation import Termination
from tests.builders import whole
from tests.laws.strategies import JSON

# Suites with a name of their own, such as safety, are proven where they are made.
SUITES = builtin_names("tasks")


def gold_replay(task: Task, domain: Any) -> Simulation:
    """The gold path as a conversation: every action is a call, every write agreed, all that must be told is said."""
    env = domain.environment(task)
    messages: list[AnyMessage] = [*task.history, UserMessage(content=task.user_scenario.render())]
    read = [action.arguments.get("document_id") for action in task.gold_actions]
    unread = [one for one in task.required_documents or [] if one not in read]
    looked = [Action(action_id=one, name="read_document", arguments={"document_id": one}) for one in unread]
    for action in [*looked, *task.gold_actions]:
        call = ToolCall(id=action.action_id, name=action.name, arguments=action.arguments, requestor=action.requestor)
        result = env.call(call.name, call.arguments, call.requestor)
        if env.writes(call.name) and call.requestor == "assistant":
            messages += [AssistantMessage(content=f"Shall I do this: {action}?"), UserMessage(content="Yes, please.")]
        side = AssistantMessage if call.requestor == "assistant" else UserMessage
        messages.append(side(tool_calls=[call]))
        messages.append(ToolMessage(id=call.id, content=result.content, error=result.error, requestor=call.requestor))
    criteria = task.evaluation_criteria
    for check in (criteria.trajectory if criteria else None) or []:
        if check.check == "reason":
            phrasing = check.any_of[0]
            messages.append(AssistantMessage(content=phrasing if isinstance(phrasing, str) else " ".join(phrasing)))
    messages += [
        AssistantMessage(content=f"It is {info}.") for info in (criteria.communicate_info if criteria else None) or []
    ]
    return Simulation(
        id="gold", domain=domain.name, task_id=task.id, messages=messages, termination_reason=Termination.USER_STOP
    )


def some(suite: str, number: int | None) -> list[Task]:
    """So many tasks of a suite, spread over it; each one in the slow tests."""
    tasks = whole(suite)
    return tasks[:: -(-len(tasks) // (number or len(tasks)))]


# That the oracle passes each task is seen where the suites are played (tasks/ is among the test paths), and that no
# idle agent passes one in tests/diagnosis/test_trivial.py.
@pytest.mark.parametrize("number", [4, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize("suite", SUITES)
class TestBuiltIn:
    def test_the_gold_path_earns_everything(self, suite: str, number: int | None) -> None:
        for task in some(suite, number):
            domain = load_domain(task.domain or suite)
            # Where there are several conversations, each has its own yeses and its own identification.
            played = simulate(task, domain) if task.episodes else gold_replay(task, domain)
            reward = grade(task, played, domain)
            assert reward.passed, (task.id, reward)

    def test_grading_is_the_same_live_and_from_json(self, suite: str, number: int | None) -> None:
        for task, agent in zip(some(suite, number or 30), cycle(["faulty", "oracle", "noop"]), strict=False):
            domain = load_domain(task.domain or suite)
            live = simulate(task, domain, agent)
            stored = Simulation.model_validate_json(live.model_dump_json(exclude_none=True))
            again = Task.model_validate_json(task.model_dump_json())
            assert grade(task, live, domain) == grade(again, stored, domain), (task.id, agent)


@pytest.mark.parametrize("suite", SUITES)
def test_they_fit_their_domain(suite: str) -> None:
    tasks = whole(suite)
    assert [problem for task in tasks for problem in task_problems(task, load_domain(task.domain or suite))] == []


TASK = load_tasks("mock")[0].model_dump(mode="json")


@settings(max_examples=20)
@given(JSON | st.dictionaries(st.sampled_from([*TASK, "tag", "evaluation_criterai"]), JSON, max_size=4))
def test_anything_reads_as_a_task_or_as_one_sentence(item: Any) -> None:
    reads_or_says_why(item)


@settings(max_examples=40)
@given(st.data())
def test_a_task_with_anything_in_one_place(data: st.DataObject) -> None:
    item = json.loads(json.dumps(TASK))
    place: Any = item
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not (isinstance(place[key], (dict, list)) and place[key]) or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = data.draw(JSON)
    reads_or_says_why(item)


def reads_or_says_why(item: Any) -> None:
    try:
        task = read_task(item, "here.json")
    except TaskError as error:
        said = str(error)
    else:
        said = "here.json: " + "; ".join(task_problems(task, load_domain("mock")))
    assert said.startswith("here.json: ")
