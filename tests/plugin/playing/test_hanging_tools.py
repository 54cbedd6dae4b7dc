"""A tool that never returns costs its own trial, or the grade of one: the run goes on, and the process ends."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau import AssistantMessage, Task, ToolCall
from pytest_tau.conversation.limits import Limits
from pytest_tau.conversation.run import converse
from pytest_tau.conversation.trial import Trial
from pytest_tau.environment.domain import Domain
from pytest_tau.plugin.playing import guarding, loops
from pytest_tau.schema.simulation import Simulation, Termination
from tests.builders import mock
from tests.plugin.inner import SHOP, apart, journal, make_shop, shop_task, write
from tests.plugin.playing.hanging import SOON

# No test waits for a time limit: a tool that is about to hang puts the beginning of what it is called for in the past.
STUCK = """
        if item_id == "stuck":
            import threading
            from pytest_tau.plugin.playing import guarding
            watched = guarding._guards[-1]._trial
            (watched._clock if hasattr(watched, "_clock") else watched.clock).began -= 200
            threading.Event().wait(120)
        item ="""
released = threading.Event()


@pytest.fixture
def _soon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(guarding, "LOOK", 0.1)  # far more than it takes to end a trial
    monkeypatch.setattr(guarding, "PATIENCE", 0.02)
    monkeypatch.setattr(loops, "GRACE", 0.01)
    released.clear()
    yield
    released.set()


def hang(*_: Any, **__: Any) -> Any:
    guarding._guards[-1]._trial.clock.began -= 200  # type: ignore[union-attr]
    released.wait(120)


def through_the_trial(context: Any) -> Callable[[Any], Any]:
    call = ToolCall(id="1", name="get_users", arguments={})
    return lambda messages: AssistantMessage(tool_calls=[call])


def in_its_own_loop(context: Any) -> Callable[[Any], Any]:
    [users] = [tool for tool in context.tools if tool.name == "get_users"]
    return lambda messages: users()


def in_a_thread(context: Any) -> Callable[[Any], Any]:
    [users] = [tool for tool in context.tools if tool.name == "get_users"]

    async def reply(messages: Any) -> str:
        return await asyncio.to_thread(users)

    return reply


def played(domain: Domain, task: Task, agent: Any) -> Simulation:
    limits = Limits(timeout=100.0)
    request: Any = SimpleNamespace(limits=limits, run=SimpleNamespace(is_worker=False))
    guard = guarding.Guard(request)

    def user(context: Any) -> Any:
        return lambda messages: "Hello?"

    with ExitStack() as ending:
        ending.callback(guard.end)
        environment = domain.environment()
        trial = Trial(task, environment, agent, user, trial=1, seed=1, limits=limits)
        guard.begin(trial)
        run: Any = SimpleNamespace(ending=ending)
        converse(trial, loops.CallersLoop(run).for_a_trial())
    return trial.simulation()


def task(**changes: Any) -> Task:
    return Task.model_validate({**shop_task(), "domain": "mock", "evaluation_criteria": None, **changes})


@pytest.mark.usefixtures("_soon")
@pytest.mark.parametrize("agent", [through_the_trial, in_its_own_loop, in_a_thread])
def test_its_trial_ends_and_names_it(monkeypatch: pytest.MonkeyPatch, agent: Any) -> None:
    domain = mock()
    monkeypatch.setattr(domain.spec.tools, "get_users", hang)
    simulation = played(domain, task(), agent)
    assert simulation.termination_reason is Termination.TIMEOUT
    assert simulation.note == "the tool get_users of domain 'mock' had not returned after the time limit"


@pytest.mark.usefixtures("_soon")
def test_an_initial_state_that_is_never_set_up_ends_its_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = mock()
    monkeypatch.setattr(domain.spec.tools, "get_users", hang)
    begins = {"initialization_actions": [{"env_type": "assistant", "func_name": "get_users", "arguments": {}}]}
    simulation = played(domain, task(initial_state=begins), in_its_own_loop)
    assert simulation.termination_reason is Termination.TIMEOUT
    assert simulation.note == "the initial state of task 'sell_one' had not returned after the time limit"


@pytest.mark.usefixtures("_soon")
@pytest.mark.parametrize("audit", [(), ("--tau-audit",)])
def test_a_run_goes_on_where_a_grading_does_not_come_back(pytester: pytest.Pytester, audit: tuple[str, ...]) -> None:
    make_shop(pytester.path)
    write(pytester.path, "domains/shop/domain.py", SHOP.replace("\n        item =", STUCK))
    stuck = [{"action_id": "a", "name": "sell", "arguments": {"item_id": "stuck"}}]
    write(pytester.path, "tasks/shop/a.json", shop_task("a", evaluation_criteria={"actions": stuck}))
    one_by_one = ("--tau-domain=shop", "--tau-timeout=100", "--tau-concurrency=1", *audit)
    result = pytester.runpytest(*one_by_one)
    assert {record.task_id: record.outcome.value for record in journal(pytester.path)} == {
        "a": "infra_error",
        "sell_one": "passed",
    }
    assert "the tool sell of domain 'shop' had not returned after the time limit" in result.stdout.str()
    result = pytester.runpytest("--tau-agent=noop", *one_by_one)
    assert {record.task_id: record.outcome.value for record in journal(pytester.path)} == {
        "a": "error",
        "sell_one": "missed",
    }
    assert "the grading of task 'a' had not come to its end 100 s after the time limit" in result.stdout.str()


@pytest.mark.usefixtures("_soon")
def test_a_recording_whose_grading_does_not_come_back_is_an_error_of_its_own(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    write(pytester.path, "domains/shop/domain.py", SHOP.replace("\n        item =", STUCK))
    write(pytester.path, "tasks/shop/a.json", shop_task("a"))
    pytester.runpytest("--tau-domain=shop", "--tau-agent=noop").assert_outcomes(failed=2)
    stuck = [{"action_id": "a", "name": "sell", "arguments": {"item_id": "stuck"}}]
    write(pytester.path, "tasks/shop/a.json", shop_task("a", evaluation_criteria={"actions": stuck}))
    result = pytester.runpytest("--tau-rescore=.tau", "--tau-timeout=100")
    assert {record.task_id: record.outcome.value for record in journal(pytester.path)} == {
        "a": "error",
        "sell_one": "missed",
    }
    assert "the grading of task 'a' had not come to its end 100 s after the time limit" in result.stdout.str()


@pytest.mark.usefixtures("_soon")
def test_a_file_whose_gold_actions_do_not_come_back_is_graded_as_far_as_that_goes(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    told = "with open('watched', 'a') as file: print(watched._what, file=file)"
    tells = STUCK.replace("            (watched", f"            {told}\n            (watched")  # before an interrupt
    write(pytester.path, "domains/shop/domain.py", SHOP.replace("\n        item =", tells))
    write(pytester.path, "tasks/shop/a.json", shop_task("a"))
    exported = "--tau-export=run.json"
    pytester.runpytest("--tau-domain=shop", "--tau-agent=noop", exported).assert_outcomes(failed=2)
    content = json.loads((pytester.path / "run.json").read_text("utf-8"))
    [stuck] = [task for task in content["tasks"] if task["id"] == "a"]
    stuck["evaluation_criteria"]["actions"] = [{"action_id": "a", "name": "sell", "arguments": {"item_id": "stuck"}}]
    write(pytester.path, "run.json", content)
    pytester.runpytest("--tau-rescore=run.json", "--tau-timeout=100").assert_outcomes(failed=2)
    outcomes = {record.task_id: record.outcome.value for record in journal(pytester.path)}
    assert outcomes == {"a": "error", "sell_one": "missed"}
    watched = (pytester.path / "watched").read_text("utf-8").splitlines()
    assert watched[:2] == ["trying the gold actions of task 'a'", "the grading of task 'a'"]


AGENT = """
import asyncio

class Threads:
    def __init__(self, context):
        self.item = "stuck" if context.task_id == "a" else "kettle"
        [self.sell] = context.tools

    async def reply(self, messages):
        await asyncio.to_thread(self.sell, item_id=self.item)
        return "Done, it is sold."
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", ["1", "2"])
def test_the_process_ends_though_a_thread_of_the_agent_does_not(pytester: pytest.Pytester, number: str) -> None:
    make_shop(pytester.path)
    waits = """
        if item_id == "stuck":
            import threading
            threading.Event().wait(120)
        item ="""
    write(pytester.path, "domains/shop/domain.py", SHOP.replace("\n        item =", waits))
    write(pytester.path, "tasks/shop/a.json", shop_task("a"))
    pytester.makepyfile(agents=AGENT)
    pytester.makeconftest(SOON)
    how = ("--tau-timeout=2", f"--tau-concurrency={number}")
    result = apart(pytester, "--tau-domain=shop", "--tau-agent=agents:Threads", *how)
    outcomes = Counter(record.outcome.value for record in journal(pytester.path))
    assert outcomes == {"passed": 1, "infra_error": 1}
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    left = "the tool sell of domain 'shop' had not returned *; it is still at work in a thread: the process ends *"
    result.stderr.fnmatch_lines([f"pytest-tau: {left}"])
