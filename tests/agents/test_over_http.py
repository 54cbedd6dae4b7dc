"""Agents, customers and the judge with a real client, against a server on loopback."""

import asyncio
import json
from importlib.util import find_spec
from typing import Any

import pytest

from pytest_tau import Task, grade, load_tasks, simulate
from pytest_tau.agents.act import act_agent
from pytest_tau.agents.llm import llm_agent
from pytest_tau.agents.prompts import PROMPT_VERSION
from pytest_tau.evaluation.judges.nl_assertions import Judge
from pytest_tau.llm.client import LiteLLMClient
from pytest_tau.llm.pricing import Price, Prices
from pytest_tau.schema.messages import AssistantMessage, ToolMessage
from pytest_tau.schema.simulation import Termination
from pytest_tau.users.llm import llm_user
from pytest_tau.users.scripted import CONFIRM_CUE
from tests.builders import Lines, mock, task
from tests.llm.server import ChatServer, bad_json_arguments, by_model, by_turn, calls, says

# Not importorskip: imported by itself, litellm fetches its price map from the network.
pytestmark = pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed: pytest-tau[llm]")

TITLE = "Renew the parking permit"
CREATE = ("create_task", {"user_id": "user_1", "title": TITLE})
# 10 tokens in, 5 out, as the server says: 0.002 USD a reply.
PRICES = Prices({"test": Price(input=100, output=200)})
A_REPLY = 0.002

COMPETENT = [
    says("Who are you, and what is the task called?"),
    calls(("get_users", {}), text="Let me look."),
    says(f"I will add the task. Shall I? {CONFIRM_CUE}"),
    calls(CREATE),
    says("Your task has been put on the list."),
]


def client(server: ChatServer, model: str = "test") -> LiteLLMClient:
    given = {"api_base": server.url, "api_key": "sk-test-1", "temperature": 0.0}
    return LiteLLMClient(f"openai/{model}", given, prices=PRICES)


@pytest.fixture
def played() -> Task:
    return next(task for task in load_tasks("mock") if task.id == "add_a_task")


def test_a_competent_agent_earns_the_reward(played: Task) -> None:
    with ChatServer(by_turn(COMPETENT, said_before=1)) as server:
        sim = simulate(played, mock(), llm_agent(client(server)), "scripted")
    assert grade(played, sim, mock()).value == 1.0
    assert sim.agent_cost == pytest.approx(len(COMPETENT) * A_REPLY)
    spoken = [m for m in sim.messages if isinstance(m, AssistantMessage)][1:]
    assert [m.usage and m.usage.prompt_tokens for m in spoken] == [10] * len(COMPETENT)
    assert sim.agent_parameters["model"] == "openai/test"
    assert sim.agent_parameters["prompts"] == PROMPT_VERSION
    assert sim.agent_parameters["temperature"] == 0.0
    assert "sk-test-1" not in sim.model_dump_json()
    (last,) = server.requests[-1:]
    assert last.tools == [tool.name for tool in mock().environment().tool_specs()]
    assert [m["role"] for m in last.messages[-3:]] == ["user", "assistant", "tool"]
    assert played.user_scenario.render() not in str(server.requests)


def test_arguments_that_are_no_json_are_asked_for_again(played: Task) -> None:
    told = [bad_json_arguments(), says("Who are you?"), bad_json_arguments(), *COMPETENT[1:]]
    with ChatServer(told) as server:
        sim = simulate(played, mock(), llm_agent(client(server)), "scripted")
    assert grade(played, sim, mock()).value == 1.0
    assert sim.agent_cost == pytest.approx(len(told) * A_REPLY)


def test_arguments_that_never_become_json(played: Task) -> None:
    with ChatServer(bad_json_arguments()) as server:
        sim = simulate(played, mock(), llm_agent(client(server)), "scripted")
    assert sim.termination_reason is Termination.AGENT_ERROR
    assert sim.agent_cost == pytest.approx(3 * A_REPLY)
    assert len({request.body["seed"] for request in server.requests}) == 3


def test_alone_on_a_ticket(played: Task) -> None:
    told = [calls(("get_users", {}), CREATE), says("Well done, me."), calls(("done", {}))]
    with ChatServer(told) as server:
        sim = simulate(played, mock(), llm_agent(client(server)), solo=True)
    assert grade(played, sim, mock()).value == 1.0
    assert {request.body["tool_choice"] for request in server.requests} == {"required"}
    assert played.ticket in server.requests[0].messages[0]["content"]


def test_actions_as_text(played: Task) -> None:
    def action(name: str, **arguments: Any) -> Any:
        return says(f"Action:\n```json\n{json.dumps({'name': name, 'arguments': arguments})}\n```")

    told = [action("create_task", **CREATE[1]), action("respond", content="It is on the list.")]
    with ChatServer(by_turn(told, said_before=1)) as server:
        sim = simulate(played, mock(), act_agent(client(server)), "scripted")
    assert grade(played, sim, mock()).value == 1.0
    assert all("tools" not in request.body for request in server.requests)


def test_a_model_as_the_customer_and_one_as_the_judge() -> None:
    played = task(criteria={"nl_assertions": ["The agent says thanks."], "reward_basis": ["NL_ASSERTION"]})
    customer = [
        says("Make it go away."),
        calls(("dismiss_notification", {"notification_id": "notif_1"})),
        says("It is gone."),
        says("###STOP###"),
    ]
    verdict = {"results": [{"number": 1, "reasoning": "It does.", "met": True}]}
    with ChatServer(by_model({"customer": by_turn(customer), "judge": says(json.dumps(verdict))})) as server:
        sim = simulate(played, mock(), Lines(["Please dismiss it.", "Thanks."]), llm_user(client(server, "customer")))
        assert grade(played, sim, mock()).ungraded
        nl = asyncio.run(Judge(client(server, "judge"), votes=3).verdict(played, sim))
    assert grade(played, sim, mock(), nl=nl).value == 1.0
    assert [m.error for m in sim.messages if isinstance(m, ToolMessage)] == [False]
    assert (sim.user_cost, nl.judgement and nl.judgement.cost) == (None, None)  # no price: unknown, never zero
    assert len({request.body["seed"] for request in server.requests if request.model == "judge"}) == 3
