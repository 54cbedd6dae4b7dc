"""Each request of a conversation begins with all of the one before it, so that a provider's prompt cache can serve it.

The requests are those that reach a server on loopback, from the agents, the customers and the judge as a run has them.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_tau import Task, load_tasks, simulate
from pytest_tau.agents.act import act_agent
from pytest_tau.agents.llm import llm_agent
from pytest_tau.agents.react import react_agent
from pytest_tau.conversation.limits import Limits
from pytest_tau.evaluation.judges.nl_assertions import Judge
from pytest_tau.llm.client import LiteLLMClient
from pytest_tau.llm.protocol import ModelClient
from pytest_tau.schema.task import EvaluationCriteria
from pytest_tau.users.llm import llm_user
from pytest_tau.users.react import react_user
from tests.builders import mock
from tests.llm.server import Answer, ChatServer, Request, by_model, calls, says

pytestmark = pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed: pytest-tau[llm]")

ANSWERS: dict[str, Answer] = {
    "text": says("Which task do you mean, and who are you?"),
    "call": calls(("get_users", {})),
    "calls": calls(("get_users", {}), ("get_users", {})),
    "error": calls(("no_such_tool", {"b": 1, "a": [{"z": "é", "y": None}]})),
    "thoughts": says("<think>They sound upset.</think>One moment, please."),
    "written": says('Action:\n{"name": "get_users", "arguments": {}}'),
}
AGENTS: dict[str, Callable[[ModelClient], Any]] = {"llm": llm_agent, "act": act_agent, "react": react_agent}
USERS: dict[str, Callable[[ModelClient], Any]] = {"llm": llm_user, "react": react_user}


def client(server: ChatServer, model: str) -> LiteLLMClient:
    return LiteLLMClient(f"openai/{model}", {"api_base": server.url, "api_key": "sk-test-1"})


@cache
def a_task() -> Task:
    return next(task for task in load_tasks("mock") if task.id == "add_a_task")


def in_turn(kinds: Sequence[str]) -> Callable[[Request], Answer]:
    """An answer of each kind, one after the other and round again."""
    left = [*kinds]

    def answer(request: Request) -> Answer:
        left.append(left.pop(0))
        return ANSWERS[left[-1]]

    return answer


def assert_one_grows_out_of_the_other(requests: Sequence[Request]) -> None:
    """As bytes: keys in the same order, numbers and texts written alike."""
    for earlier, later in pairwise(requests):
        first, second = (json.dumps(one.messages)[:-1] for one in (earlier, later))
        assert second.startswith(first)
        assert json.dumps(earlier.body.get("tools")) == json.dumps(later.body.get("tools"))


@settings(max_examples=3)
@given(kinds=st.lists(st.sampled_from(sorted(ANSWERS)), min_size=2, max_size=6))
@pytest.mark.parametrize(("agent", "user"), [("llm", "llm"), ("act", "react"), ("react", "llm")])
def test_a_request_of_agent_or_customer_begins_with_the_one_before(agent: str, user: str, kinds: list[str]) -> None:
    with ChatServer(by_model({"agent": in_turn([*kinds, "text"]), "user": in_turn(["text", "thoughts"])})) as server:
        players = AGENTS[agent](client(server, "agent")), USERS[user](client(server, "user"))
        simulate(a_task(), mock(), *players, limits=Limits(max_steps=14))
    for model in ("agent", "user"):
        asked = [request for request in server.requests if request.model == model]
        assert asked
        assert_one_grows_out_of_the_other(asked)


def test_all_votes_of_a_judge_are_the_same_request() -> None:
    criteria = (a_task().evaluation_criteria or EvaluationCriteria()).model_copy(
        update={"nl_assertions": ["It is polite."]}
    )
    judged = a_task().model_copy(update={"evaluation_criteria": criteria})
    with ChatServer(says('{"results": [{"number": 1, "met": true, "reasoning": "so"}]}')) as server:
        asyncio.run(Judge(client(server, "judge"), votes=3).verdict(judged, simulate(judged, mock())))
    first, *others = [json.dumps([one.messages, one.body.get("tools")]) for one in server.requests]
    assert others == [first] * 2


SHOWS_PROMPTS = """
import hashlib, json
from pytest_tau import load_domain
for name in ("airline", "insurance", "mock", "retail", "telecom"):
    env = load_domain(name).environment()
    sides = [[tool.schema for tool in env.tool_specs(side)] for side in ("assistant", "user")]
    print(name, hashlib.sha256(json.dumps([env.policy, sides]).encode()).hexdigest())
"""


@pytest.mark.slow
def test_policies_and_tools_are_the_same_bytes_in_every_process() -> None:
    """Else each worker of a run would begin a cache of its own: sets come in another order in each process."""
    shown = {
        subprocess.run(
            [sys.executable, "-c", SHOWS_PROMPTS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(shown) == 1
    assert "retail" in shown.pop()
