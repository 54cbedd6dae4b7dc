"""Ten turns with tools by each client and framework on a real model, recorded, and replayed without the model.

What is not installed is skipped; ``.ci/frameworks --model`` installs each and prints the lines of the docs' table.
"""

import json
import shutil
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from .clients import SAYS
from .relay import calling
from .runs import NOBODY, Project

ROOT = Path(__file__).parents[2]
NODE = ROOT / "examples" / "agents" / "node"
CLIENTS = {
    "OpenAIChat": "openai",
    "OpenAIResponses": "openai",
    "AnthropicMessages": "anthropic",
    "LiteLLM": "litellm",
    "LangChain": "langchain-openai",
    "PydanticAI": "pydantic-ai-slim",
    "Llama": "llama-index-llms-openai-like",
}
FRAMEWORKS = {
    "openai_agents_sdk:SDKAgent": "openai-agents",
    "langgraph_agent:LangGraphAgent": "langgraph",
    "pydantic_ai_agent:PydanticAgent": "pydantic-ai-slim",
    "smolagents_agent:SmolAgent": "smolagents",
    "llamaindex_agent:LlamaAgent": "llama-index-core",
    "crewai_agent:CrewAgent": "crewai",
    "adk_agent:AdkAgent": "google-adk",
    "strands_agent:StrandsAgent": "strands-agents",
    "agent_framework_agent:FrameworkAgent": "agent-framework-core",
}
PROGRAMS = {"vercel_agent.mjs": "ai", "openai_agent.mjs": "openai"}
AGENTS = {
    **{
        f"tests.real_models.clients:{name}{way}": package
        for name, package in CLIENTS.items()
        for way in ("", "Streamed")
    },
    **{f"examples.agents.{name}": package for name, package in FRAMEWORKS.items()},
    **{f"{name}{way}": package for name, package in PROGRAMS.items() for way in ("", " stream")},
}
ALL = (
    "--tau-tasks=add_a_task", "--tau-user=tests.real_models.clients:Customer", "--tau-max-steps=150",
    "--tau-max-errors=100", "--tau-stall=off",
)  # fmt: skip


def release(agent: str, package: str) -> str:
    """The version of what the agent is made with; skips the test where it is not there."""
    if ".mjs" in agent:
        if not (NODE / "node_modules" / package).is_dir() or shutil.which("node") is None:
            pytest.skip(f"npm install --prefix {NODE.relative_to(ROOT)}")
        return str(json.loads((NODE / "node_modules" / package / "package.json").read_text())["version"])
    try:
        return version(package)
    except PackageNotFoundError:
        pytest.skip(f"{package} is not installed")


@pytest.fixture(scope="module")
def project(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """A project whose runs ask a model that calls its tools."""
    with calling(address) as relay:
        yield Project(tmp_path_factory.mktemp("project"), relay)


@pytest.mark.parametrize("agent", AGENTS)
def test_ten_turns_are_replayed_as_they_were_recorded(
    project: Project, model: str, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_with = release(agent, AGENTS[agent])
    for name, value in {
        "MODEL": f"openai/{model}",
        "PYTHONPATH": str(ROOT),
        "CREWAI_DISABLE_TELEMETRY": "true",
    }.items():
        monkeypatch.setenv(name, value)
    named = f"--tau-agent-command=node {NODE / agent}" if ".mjs" in agent else f"--tau-agent={agent}"
    results = "".join(letter if letter.isalnum() else "_" for letter in agent)
    options = (
        *ALL,
        named,
        f"--tau-agent-llm=openai/{model}",
        '--tau-agent-llm-args={"timeout": 600, "temperature": 0}',
    )
    shutil.rmtree(project.path / "cassettes", ignore_errors=True)
    played = project.run(*options, "--tau-cassette=record", f"--tau-results={results}")
    again = project.run(*options, "--tau-cassette=replay", f"--tau-results={results}_again", address=NOBODY)
    [first] = project.journal(results)
    [second] = project.journal(f"{results}_again")
    assert first.simulation is not None, played.text
    assert second.simulation is not None, again.text
    said, repeated = (
        [message.model_dump_json(exclude={"timestamp", "generation_time_seconds"}) for message in one.messages]
        for one in (first.simulation, second.simulation)
    )
    assert said == repeated
    turns = sum(message.role == "user" for message in first.simulation.messages)
    calls = [call for m in first.simulation.messages if m.role == "assistant" for call in m.tool_calls or []]
    simulation, package = first.simulation, AGENTS[agent]
    row = [agent, f"{package} {made_with}", turns - 1, len(calls), simulation.steps, f"{simulation.duration:.0f} s"]
    row += [f"{second.simulation.duration:.1f} s", simulation.termination_reason, simulation.note or ""]
    print("|", *(f"{cell} |" for cell in (model, *row)))  # noqa: T201 (what the docs' table is made of)
    assert turns == len(SAYS) or first.outcome == "missed", played.text
