"""The example agents, each as its own text says it is used; those whose package is not installed are skipped."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_tau import Simulation, Task, grade, load_journal, load_tasks, simulate
from pytest_tau.schema.messages import AssistantMessage
from pytest_tau.schema.simulation import Termination
from pytest_tau.users.scripted import CONFIRM_CUE
from tests.builders import Lines, mock
from tests.llm.server import Answer, ChatServer, bad_json_arguments, fails, raw_call, says

LOOK = raw_call("get_users", "{}", id="call_1")
CREATE = raw_call("create_task", '{"user_id": "user_1", "title": "Renew the parking permit"}', id="call_2")
WORK = [
    says("Who are you, and what is the task called?"),
    says(None, calls=[LOOK]),
    says(f"I will add the task. Shall I? {CONFIRM_CUE}"),
    says(None, calls=[CREATE]),
    says("Your task has been put on the list."),
]

MODELS = {
    "openai_compatible:OpenAICompatible": ["openai"],
    "langgraph_agent:LangGraphAgent": ["langgraph", "langchain_openai"],
    "openai_agents_sdk:SDKAgent": ["agents"],
    "pydantic_ai_agent:PydanticAgent": ["pydantic_ai"],
    "smolagents_agent:SmolAgent": ["smolagents"],
    "llamaindex_agent:LlamaAgent": ["llama_index.core", "llama_index.llms.openai_like"],
    "litellm_agent:LiteLLMAgent": ["litellm"],
    "strands_agent:StrandsAgent": ["strands"],
    "agent_framework_agent:FrameworkAgent": ["agent_framework.openai"],
    "adk_agent:AdkAgent": ["google.adk"],
    "crewai_agent:CrewAgent": ["crewai"],
}


SMOL = "examples.agents.smolagents_agent:SmolAgent"
"""Its models speak by a tool of its own, and get results as words of the user."""


def spoken(agent: str, told: list[Answer]) -> list[Answer]:
    """What the model is to say, in the way of the framework."""
    if agent != SMOL:
        return told
    texts = [answer.body["choices"][0]["message"].get("content") for answer in told]  # type: ignore[call-overload]
    said = [raw_call("final_answer", json.dumps({"answer": text}), id=f"f{n}") for n, text in enumerate(texts)]
    return [says(None, calls=[call]) if text else one for text, call, one in zip(texts, said, told, strict=True)]


@pytest.fixture(params=MODELS)
def agent(request: pytest.FixtureRequest) -> str:
    for package in MODELS[request.param]:
        pytest.importorskip(package)
    return f"examples.agents.{request.param}"


@pytest.fixture
def played() -> Task:
    return next(task for task in load_tasks("mock") if task.id == "add_a_task")


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """What those packages warn about is their business."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def run(
    monkeypatch: pytest.MonkeyPatch, told: list[Answer], *players: Any, played: Task
) -> tuple[Simulation, ChatServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-1")
    monkeypatch.setenv("MODEL", "openai/test")  # as litellm calls it; others take any name
    with ChatServer(told) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        return simulate(played, mock(), *players), server


def test_it_earns_the_reward(agent: str, played: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    sim, server = run(monkeypatch, spoken(agent, WORK), agent, played=played)
    assert grade(played, sim, mock()).value == 1.0
    assert [m.role for m in sim.messages if m.role != "user"].count("tool") == 2
    assert len(server.requests) == len(WORK)
    told = server.requests[0].messages[0]["content"]
    told = told if isinstance(told, str) else "".join(part["text"] for part in told)
    assert mock().environment().policy.strip() in told  # some frameworks strip the end
    assert agent == SMOL or [m["role"] for m in server.requests[-1].messages].count("tool") == 2


def test_a_provider_that_is_down_is_not_the_agents_fault(
    agent: str, played: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    down = fails(503)
    sim, _ = run(monkeypatch, [Answer(down.body, 503, {"x-should-retry": "false"})], agent, played=played)
    assert sim.termination_reason is Termination.INFRASTRUCTURE_ERROR


def test_malformed_calls_are_a_miss(played: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    named = "examples.agents.openai_compatible:OpenAICompatible"
    sim, _ = run(monkeypatch, [bad_json_arguments()], named, played=played)
    assert sim.termination_reason is Termination.AGENT_ERROR


def test_a_plain_function(played: Task) -> None:
    told = Lines(["How many tasks do I have?", "###STOP###"])
    sim = simulate(played, mock(), "examples.agents.plain_function:agent", told)
    assert [m.role for m in sim.messages] == ["assistant", "user", "assistant", "tool", "assistant", "user"]
    last = [m for m in sim.messages if isinstance(m, AssistantMessage)][-1]
    assert "Nadia" in (last.content or "")


def in_a_run(pytester: pytest.Pytester, agent: str, told: list[Answer]) -> tuple[Any, ChatServer, Simulation]:
    (price := pytester.path / "prices.json").write_text('{"openai/test": {"input": 1000, "output": 1000}}')
    with pytest.MonkeyPatch.context() as patch, ChatServer(told) as server:
        for name, value in {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-1", "MODEL": "openai/test"}.items():
            patch.setenv(name, value)
        options = ["--tau-domain=mock", "--tau-tasks=add_a_task", f"--tau-agent={agent}", f"--tau-prices={price}"]
        options.append("--tau-agent-llm=openai/test")
        result = pytester.runpytest(*options, "--tau-cassette=record", "-p", "no:anyio", "-W", "ignore")
    (record,) = load_journal(pytester.path / ".tau")
    assert record.simulation is not None
    return result, server, record.simulation


def test_in_a_run_its_calls_are_limited_billed_and_recorded(agent: str, pytester: pytest.Pytester) -> None:
    result, _, sim = in_a_run(pytester, agent, spoken(agent, WORK))
    result.assert_outcomes(passed=1)
    assert sim.agent_cost == pytest.approx(0.015 * len(WORK))
    assert list((pytester.path / "cassettes").rglob("add_a_task.trial1.jsonl"))


def test_a_conversation_that_ends_inside_its_tool_loop_costs_nothing_more(
    agent: str, pytester: pytest.Pytester
) -> None:
    """Half of the frameworks take the end for an error of the tool, and would ask their model again and again."""
    wrong = [f'{{"user_id": "nobody", "title": "x{n}"}}' for n in range(20)]
    told = [says(None, calls=[raw_call("create_task", one, id=f"call_{n}")]) for n, one in enumerate(wrong)]
    _, server, sim = in_a_run(pytester, agent, told)
    assert sim.termination_reason is Termination.TOO_MANY_ERRORS
    assert len(server.requests) == sim.errors
