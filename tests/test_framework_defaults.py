"""Frameworks as their own first pages write them, streaming and Responses where that is their default, at the endpoint.

Each agent is the framework's documented snippet, with the endpoint as its address and nothing else changed. Those whose
package is not installed are skipped; ``.ci/frameworks`` installs them.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import load_journal
from tests.llm.server import Answer, ChatServer, raw_call, says

LOOK = raw_call("get_users", "{}", id="call_1")
CREATE = raw_call("create_task", '{"user_id": "user_1", "title": "Renew the parking permit"}', id="call_2")
WORK = [
    says("Who are you, and what is the task called?"),
    says(None, calls=[LOOK]),
    says("I will add the task. Shall I? (yes/no)"),
    says(None, calls=[CREATE]),
    says("Your task has been put on the list."),
]

AGENTS = '''
from pytest_tau import adapters


class AgentsSdk:
    """Responses, as it is by default."""

    streamed = False

    def __init__(self, context):
        from agents import Agent, set_default_openai_client, set_tracing_disabled
        from openai import AsyncOpenAI

        set_tracing_disabled(True)
        set_default_openai_client(AsyncOpenAI(base_url=context.endpoint, api_key="none"))
        tools = adapters.openai_agents_tools(context)
        self.agent = Agent(name="service", instructions=context.policy, model="openai/test", tools=tools)
        self.memory = []

    async def reply(self, messages):
        from agents import Runner, RunConfig
        from agents.models.openai_provider import OpenAIProvider

        said = [*self.memory, {"role": "user", "content": messages[-1].content}]
        # Its own router reads the part before the slash as a provider.
        config = RunConfig(model_provider=OpenAIProvider())
        if self.streamed:
            run = Runner.run_streamed(self.agent, said, run_config=config)
            async for _ in run.stream_events():
                pass
        else:
            run = await Runner.run(self.agent, said, run_config=config)
        self.memory = run.to_input_list()
        return run.final_output


class AgentsSdkStreamed(AgentsSdk):
    streamed = True


class Pydantic:
    """Responses, streamed."""

    def __init__(self, context):
        from pydantic_ai import Agent
        from pydantic_ai.models.openai import OpenAIResponsesModel
        from pydantic_ai.providers.openai import OpenAIProvider

        model = OpenAIResponsesModel("openai/test", provider=OpenAIProvider(base_url=context.endpoint, api_key="none"))
        self.agent = Agent(model, instructions=context.policy, tools=adapters.pydantic_ai_tools(context))
        self.memory = None

    async def reply(self, messages):
        async with self.agent.run_stream(messages[-1].content, message_history=self.memory) as run:
            text = await run.get_output()
        self.memory = run.all_messages()
        return text


class PydanticAnthropic(Pydantic):
    """Messages, as Anthropic's client speaks it."""

    def __init__(self, context):
        from anthropic import AsyncAnthropic
        from pydantic_ai import Agent
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        client = AsyncAnthropic(base_url=context.endpoint, api_key="none")
        model = AnthropicModel("openai/test", provider=AnthropicProvider(anthropic_client=client))
        self.agent = Agent(model, instructions=context.policy, tools=adapters.pydantic_ai_tools(context))
        self.memory = None


class LangChain:
    """Chat completions, streamed."""

    responses = False

    def __init__(self, context):
        from langchain.agents import create_agent
        from langchain_openai import ChatOpenAI

        model = ChatOpenAI(
            model="openai/test",
            base_url=context.endpoint,
            api_key="none",
            streaming=True,
            use_responses_api=self.responses,
        )
        self.agent = create_agent(model, adapters.langchain_tools(context), system_prompt=context.policy)
        self.memory = []

    def reply(self, messages):
        self.memory = self.agent.invoke({"messages": [*self.memory, ("user", messages[-1].content)]})["messages"]
        return self.memory[-1].text


class LangChainResponses(LangChain):
    responses = True


class AgentsSdkTeam(AgentsSdk):
    """Triage hands over to the one that has the tools."""

    def __init__(self, context):
        from agents import Agent

        super().__init__(context)
        self.agent.name = "keeper"
        self.agent = Agent(name="triage", instructions="Hand over.", model="openai/test", handoffs=[self.agent])
        self.hooks = adapters.openai_agents_hooks(context)

    async def reply(self, messages):
        from agents import Runner, RunConfig
        from agents.models.openai_provider import OpenAIProvider

        said = [*self.memory, {"role": "user", "content": messages[-1].content}]
        config = RunConfig(model_provider=OpenAIProvider())
        run = await Runner.run(self.agent, said, run_config=config, hooks=self.hooks)
        self.memory, self.agent = run.to_input_list(), run.last_agent
        return run.final_output


class GraphTeam:
    """A graph whose triage goes on to an agent with the tools."""

    def __init__(self, context):
        from langchain.agents import create_agent
        from langchain_openai import ChatOpenAI
        from langgraph.graph import START, MessagesState, StateGraph

        model = ChatOpenAI(model="openai/test", base_url=context.endpoint, api_key="none")
        graph = StateGraph(MessagesState)
        graph.add_node("triage", lambda state: {"messages": [model.invoke(state["messages"])]})
        graph.add_node("keeper", create_agent(model, adapters.langchain_tools(context), name="keeper"))
        graph.add_edge(START, "triage")
        graph.add_edge("triage", "keeper")
        self.graph, self.memory = graph.compile(), []
        self.config = {"callbacks": [adapters.langchain_callback(context)]}

    def reply(self, messages):
        said = {"messages": [*self.memory, ("user", messages[-1].content)]}
        self.memory = self.graph.invoke(said, self.config)["messages"]
        return self.memory[-1].text


class Llama:
    """Streams by default."""

    def __init__(self, context):
        from llama_index.core.agent.workflow import FunctionAgent
        from llama_index.core.workflow import Context
        from llama_index.llms.openai_like import OpenAILike

        model = OpenAILike(
            model="openai/test",
            api_base=context.endpoint,
            api_key="none",
            is_chat_model=True,
            is_function_calling_model=True,
        )
        tools = adapters.llama_index_tools(context)
        self.agent = FunctionAgent(tools=tools, llm=model, system_prompt=context.policy)
        self.memory = Context(self.agent)

    async def reply(self, messages):
        return str(await self.agent.run(messages[-1].content, ctx=self.memory))
'''
NEEDS = {
    "AgentsSdk": ["agents"],
    "AgentsSdkStreamed": ["agents"],
    "Pydantic": ["pydantic_ai", "openai"],
    "PydanticAnthropic": ["pydantic_ai", "anthropic"],
    "LangChain": ["langchain.agents", "langchain_openai"],
    "LangChainResponses": ["langchain.agents", "langchain_openai"],
    "Llama": ["llama_index.core.agent.workflow", "llama_index.llms.openai_like"],
}


def is_there(package: str) -> bool:
    """Whether a package is installed; it is not imported here, where its plugins and finders would stay."""
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


@pytest.fixture(params=NEEDS)
def agent(request: pytest.FixtureRequest) -> str:
    for package in NEEDS[request.param]:
        if not is_there(package):
            pytest.skip(f"{package} is not installed")
    return f"defaults:{request.param}"


def play(
    pytester: pytest.Pytester, agent: str | None, told: list[Answer], *options: str, apart: bool = True
) -> tuple[Any, ChatServer]:
    pytester.makepyfile(defaults=AGENTS)
    pytester.syspathinsert()
    with pytest.MonkeyPatch.context() as patch, ChatServer(told) as server:
        for name, value in {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-1"}.items():
            patch.setenv(name, value)
        options = ("--tau-domain=mock", "--tau-tasks=add_a_task", *options)
        options += (f"--tau-agent={agent}",) if agent else ()
        # In a process of its own: some packages replace the finder of what is installed, which a test puts back.
        run = pytester.runpytest_subprocess if apart else pytester.runpytest
        result = run(*options, "-p", "no:anyio", "-W", "ignore")
    return result, server


def test_it_plays_a_trial_and_its_recording(pytester: pytest.Pytester, agent: str) -> None:
    result, server = play(pytester, agent, WORK, "--tau-cassette=record")
    result.assert_outcomes(passed=1)
    assert len(server.requests) == len(WORK)
    (record,) = load_journal(pytester.path / ".tau")
    assert record.simulation is not None
    called = [
        call.name for message in record.simulation.messages for call in getattr(message, "tool_calls", None) or []
    ]
    assert called == ["get_users", "create_task"]
    replayed, silent = play(pytester, agent, WORK, "--tau-cassette=replay")
    replayed.assert_outcomes(passed=1)
    assert silent.requests == []


@pytest.mark.parametrize("name", ["vercel_agent.mjs", "openai_agent.mjs"])
@pytest.mark.parametrize("way", ["", " stream"])
def test_programs_in_node(pytester: pytest.Pytester, name: str, way: str) -> None:
    folder = Path(__file__).parents[1] / "examples" / "agents" / "node"
    if not (folder / "node_modules").exists():
        pytest.skip(f"npm install --prefix {folder}")
    pytest.importorskip("mcp.server.streamable_http_manager")  # a run forgets what it imports first
    program = ("--tau-agent-llm=openai/test", f"--tau-agent-command=node {folder / name}{way}")
    result, server = play(pytester, None, WORK, *program, "--tau-cassette=record", apart=False)
    result.assert_outcomes(passed=1)
    assert len(server.requests) == len(WORK)
    replayed, silent = play(pytester, None, WORK, *program, "--tau-cassette=replay", apart=False)
    replayed.assert_outcomes(passed=1)
    assert silent.requests == []


def test_calls_of_one_message_run_in_its_order(pytester: pytest.Pytester, agent: str) -> None:
    titles = ["tea", "milk", "salt"]
    calls = [
        raw_call("create_task", f'{{"user_id": "user_1", "title": "{title}"}}', id=f"call_{title}") for title in titles
    ]
    play(pytester, agent, [says(None, calls=calls), says("Done.")])
    (record,) = load_journal(pytester.path / ".tau")
    assert record.simulation is not None
    made = [getattr(message, "tool_calls", None) for message in record.simulation.messages]
    assert [call.arguments["title"] for calls in made for call in calls or []][:3] == titles
    assert max(len(calls) for calls in made if calls) == 3, "one message, and so one step"


@pytest.mark.parametrize(
    ("name", "package", "first"),
    [
        ("AgentsSdkTeam", "agents", says(None, calls=[raw_call("transfer_to_keeper", "{}", id="call_0")])),
        ("GraphTeam", "langgraph.graph", says("For the keeper.")),
    ],
)
def test_hand_overs_of_a_framework_are_steps(pytester: pytest.Pytester, name: str, package: str, first: Answer) -> None:
    if not is_there(package):
        pytest.skip(f"{package} is not installed")
    play(pytester, f"defaults:{name}", [first, says(None, calls=[LOOK]), says("Who are you?"), says("Bye.")])
    (record,) = load_journal(pytester.path / ".tau")
    assert record.simulation is not None
    spoken: list[Any] = [message for message in record.simulation.messages[1:] if message.role == "assistant"]
    assert [message.author for message in spoken[:2]] == ["keeper", "keeper"]
    (over,) = spoken[0].handoffs
    assert (over["from"], over["to"]) == ("triage", "keeper")
