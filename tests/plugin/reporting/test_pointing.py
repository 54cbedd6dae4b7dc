"""A run whose first trials all fail points to the doctor, once."""

import threading

import pytest

from tests.llm.server import by_turn, held, says
from tests.options.conftest import _litellm, serve  # noqa: F401 (fixtures)
from tests.options.models import AGENT, BOTH, ONE, USER, Serve


def said(result: pytest.RunResult) -> list[str]:
    return [
        line for line in result.outlines if "`pytest-tau doctor`" in line
    ]  # and not the forecast, which names it, too


def test_the_first_three_trials_that_fail_do(pytester: pytest.Pytester, serve: Serve) -> None:  # noqa: F811
    serve(says("Goodbye."))
    result = pytester.runpytest("--tau-domain=mock", "--tau-tasks=5", AGENT)
    assert len(said(result)) == 1
    result.stdout.fnmatch_lines(["tau: none of the first 3 trials passed: *"])


def test_a_single_trial_that_fails_does(pytester: pytest.Pytester, serve: Serve) -> None:  # noqa: F811
    serve(says("Goodbye."))
    result = pytester.runpytest("--tau-domain=mock", ONE, AGENT)
    result.stdout.fnmatch_lines(["tau: no trial passed: *"])


@pytest.mark.parametrize(("tasks", "who"), [(1, "the trial"), (3, "all of the first 3 trials")])
def test_trials_that_ran_out_of_time_say_so(
    pytester: pytest.Pytester,
    serve: Serve,  # noqa: F811
    tasks: int,
    who: str,
) -> None:
    over = threading.Event()
    serve(held(over, says("Goodbye.")))
    result = pytester.runpytest("--tau-domain=mock", f"--tau-tasks={tasks}", AGENT, "--tau-timeout=0.4")
    over.set()
    assert said(result) == []
    result.stdout.fnmatch_lines([f"tau: {who} ran out of time: raise --tau-timeout, or *"])


def test_an_agent_that_writes_its_calls_as_text_is_told_so(pytester: pytest.Pytester, serve: Serve) -> None:  # noqa: F811
    call = '{"name": "update_task_status", "arguments": {"task_id": "task_1", "status": "completed"}}'
    serve(by_turn([says(f"```json\n{call}\n```"), says("It is done.")], said_before=1))
    result = pytester.runpytest("--tau-domain=mock", ONE, AGENT)
    assert said(result) == []
    result.stdout.fnmatch_lines(["tau: no trial passed. Tool call as text: the agent wrote 1 call as text, not run: *"])


def test_a_trial_that_passes_does_not(pytester: pytest.Pytester, serve: Serve) -> None:  # noqa: F811
    serve(BOTH)
    assert said(pytester.runpytest("--tau-domain=mock", ONE, AGENT, USER)) == []


def test_a_run_without_models_does_not(pytester: pytest.Pytester) -> None:
    assert said(pytester.runpytest("--tau-domain=mock", "--tau-tasks=3", "--tau-agent=noop")) == []
