"""``--tau-satisfaction``: the judge rates how content the customer was, beside the reward."""

import asyncio
import threading
from typing import Any

import pytest

from tests.llm.server import Answer, Request, by_model, fails, says
from tests.options.models import AGENT, COMPETENT, ONE, Serve
from tests.options.usage import refused
from tests.plugin.inner import journal, mock_run

RATED = says('{"reasons": "It was done, but after one needless question.", "score": 4}')


def test_rates_a_trial_beside_its_reward(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(by_model({"agent": COMPETENT, "judge": RATED}))
    result = mock_run(pytester, AGENT, ONE, "--tau-judge-llm=openai/judge", "--tau-satisfaction")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["Satisfaction, as the judge rates it: 4.00 of 5 over 1 trial."])
    [record] = journal(pytester.path)
    assert record.reward is not None
    assert record.reward.satisfaction is not None
    assert (record.reward.value, record.reward.satisfaction.score) == (1.0, 4)
    assert "one needless question" in record.reward.satisfaction.reasons
    [asked] = [request for request in server.requests if request.model == "judge"]
    told = "\n".join(str(message["content"]) for message in asked.body["messages"])
    assert "It is done." in told
    assert "update_task_status" not in told  # the customer sees no calls


def test_who_gets_no_answer_is_told_so(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(by_model({"agent": COMPETENT, "judge": fails(500)}))
    given = ("--tau-judge-llm=openai/judge", "--tau-satisfaction", "--tau-retries=0")
    result = mock_run(pytester, AGENT, ONE, *given)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["Satisfaction, as the judge rates it: unknown; it gave no answer on 1 trial."])


def test_a_resumed_run_asks_again_what_nobody_answered_and_nothing_else(
    pytester: pytest.Pytester, serve: Serve
) -> None:
    given = ("--tau-judge-llm=openai/judge", "--tau-satisfaction", "--tau-retries=0")
    serve(by_model({"agent": COMPETENT, "judge": fails(500)}))
    mock_run(pytester, AGENT, ONE, *given)
    server = serve(by_model({"agent": COMPETENT, "judge": RATED}))
    for _ in range(2):
        result = mock_run(pytester, AGENT, ONE, *given, "--tau-resume")
        result.stdout.fnmatch_lines(["Satisfaction, as the judge rates it: 4.00 of 5 over 1 trial."])
    assert [request.model for request in server.requests] == ["judge"]


def test_needs_a_judge(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", "--tau-satisfaction").fnmatch_lines(["ERROR:*--tau-judge-llm*"])


def test_rates_a_trial_while_the_agent_of_another_one_blocks_the_loop_of_the_agents(
    pytester: pytest.Pytester, serve: Serve
) -> None:
    is_over, is_blocked, is_rated = threading.Event(), threading.Event(), threading.Event()
    waited = list[bool]()

    class Agent:
        def __init__(self, context: Any) -> None:
            self._task = context.task_id

        async def reply(self, messages: Any) -> str:
            if self._task == "complete_a_task":
                while not is_over.is_set():  # the conversation of the other one
                    await asyncio.sleep(0)
                is_blocked.set()
                waited.append(is_rated.wait(30))  # as clients do that were made for other threads
            return "Goodbye."

    class Plugin:
        @staticmethod
        def pytest_tau_make_agent() -> Any:
            return Agent

        @staticmethod
        def pytest_tau_grade() -> list[Any]:
            is_over.set()
            is_blocked.wait(30)
            return []

    def rate(request: Request) -> Answer:
        if "Goodbye." in str(request.messages):  # and not asked whether it is there
            is_rated.set()
        return RATED

    serve(by_model({"judge": rate}))
    given = ("--tau-tasks=add_a_task,complete_a_task", "--tau-concurrency=2", "--tau-timeout=600")
    judge = ("--tau-judge-llm=openai/judge", "--tau-satisfaction")
    mock_run(pytester, *given, *judge, plugins=[Plugin()])
    assert waited == [True]
