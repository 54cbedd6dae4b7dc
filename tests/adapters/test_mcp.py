"""A trial's tools over MCP, asked by the official client and by hand."""

import json
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import pytest

from pytest_tau import AgentContext, Simulation, grade, simulate
from pytest_tau.adapters import mcp
from pytest_tau.adapters.mcp import McpServer
from pytest_tau.conversation.limits import Limits
from pytest_tau.errors import SettingsError
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.simulation import Termination
from tests.adapters.server import CALL, complete_a_task
from tests.agents.contexts import context_with
from tests.builders import mock

if find_spec("mcp") is None:  # importing it takes seconds, in each worker
    pytest.skip("mcp is not installed: pytest-tau[mcp]", allow_module_level=True)


class Calls:
    """Calls tools with the official client, then speaks."""

    seen: list[Any]

    def __init__(self, context: AgentContext) -> None:
        self.context = context
        self.asked = 0

    async def reply(self, messages: list[AnyMessage]) -> str:
        from mcp.client import Client

        self.asked += 1
        if self.asked > 1:
            return "Goodbye."
        async with Client(str(self.context.mcp)) as client:
            tools = (await client.list_tools()).tools
            done = await client.call_tool(CALL["name"], CALL["arguments"], progress_callback=self.hear_progress)
            odd = await client.call_tool("no_such_tool", {})
        type(self).seen = [tools, done, odd, self.context.mcp]
        return "It is done."

    async def hear_progress(self, progress: float, total: float | None, message: str | None) -> None:
        raise AssertionError("calls are answered at once: no progress is told of")


def posted(url: str, method: str, **params: Any) -> Any:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=30) as answer:  # noqa: S310
        return json.loads(answer.read())


def test_its_calls_are_steps_and_it_is_gone_with_the_trial() -> None:
    simulation = simulate(complete_a_task(), mock(), Calls)
    tools, done, odd, url = Calls.seen
    assert grade(complete_a_task(), simulation, mock()).value == 1.0
    offered = {tool.schema["function"]["name"]: tool for tool in mock().environment().tool_specs()}
    assert {tool.name for tool in tools} == set(offered)
    [update] = [tool for tool in tools if tool.name == CALL["name"]]
    function = offered[CALL["name"]].schema["function"]
    assert (update.input_schema, update.description) == (function["parameters"], function["description"])
    assert {tool.name: tool.annotations.read_only_hint for tool in tools} == {
        tool.name: not tool.writes for tool in mock().environment().tool_specs()
    }
    assert (done.structured_content, update.output_schema) == (None, None)
    assert (done.is_error, odd.is_error) == (False, True)
    results = [message for message in simulation.messages if message.role == "tool"]
    assert [result.content for result in results] == [done.content[0].text, odd.content[0].text]
    assert [result.error for result in results] == [False, True]
    with pytest.raises(urllib.error.HTTPError, match="404"):
        posted(url, "tools/list")


def test_a_limit_ends_the_conversation_inside_of_it() -> None:
    simulation = simulate(complete_a_task(), mock(), Calls, limits=Limits(max_errors=1))
    assert simulation.termination_reason is Termination.TOO_MANY_ERRORS
    assert Calls.seen[2].is_error


def test_each_trial_has_an_address_of_its_own() -> None:
    server = McpServer()
    try:
        urls = [server.open(context_with(name).tools) for name in ("a", "b")]
        names = [[tool["name"] for tool in posted(url, "tools/list")["result"]["tools"]] for url in urls]
        assert names == [["a"], ["b"]]
        answer = posted(urls[0], "tools/call", name="a", arguments={})["result"]
        assert answer["content"][0]["text"] == "ok"
        server.forget(urls[0])
        with pytest.raises(urllib.error.HTTPError, match="404"):
            posted(urls[0], "tools/list")
        with pytest.raises(urllib.error.HTTPError, match="404"):
            posted(urls[1].replace("/mcp", "/other"), "tools/list")
        assert posted(urls[1], "tools/list")["result"]["tools"][0]["name"] == "b"
    finally:
        server.close()


def test_any_number_of_calls_may_wait_for_each_other() -> None:
    """An executor has some threads: where tools that never return hold them all, no trial gets an answer any more."""
    all_of_them = threading.Barrier(40, timeout=20)

    def meet(name: str, arguments: dict[str, Any]) -> str:
        all_of_them.wait()
        return "met"

    (tool,) = context_with("a").tools
    server = McpServer()
    try:
        url = server.open([replace(tool, run=meet)])
        with ThreadPoolExecutor(all_of_them.parties) as clients:
            answers = clients.map(lambda _: posted(url, "tools/call", name="a", arguments={}), range(40))
            assert {answer["result"]["content"][0]["text"] for answer in answers} == {"met"}
    finally:
        server.close()


def test_a_call_when_it_is_not_its_turn_is_refused_and_no_step() -> None:
    seen: list[Any] = []

    class Opens(Calls):
        async def reply(self, messages: list[AnyMessage]) -> str:
            seen.append(self.context.mcp)
            return "Goodbye."

    def customer(context: Any) -> Any:
        def reply(messages: list[AnyMessage]) -> str:
            if not seen:
                return "Hello."
            seen.append(posted(seen[0], "tools/call", **CALL)["result"])
            return "###STOP###"

        return reply

    simulation: Simulation = simulate(complete_a_task(), mock(), Opens, customer)
    assert not any(message.role == "tool" for message in simulation.messages)
    assert seen[1]["isError"]
    assert seen[1]["content"][0]["text"] == "update_task_status was called when it was not the agent's turn"


def test_without_the_sdk_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    with pytest.raises(SettingsError, match=r"pip install 'pytest-tau\[mcp\]'"):
        McpServer().open([])


def test_an_sdk_of_another_api_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp, "version", lambda name: "1.30.0")
    with pytest.raises(
        SettingsError, match=r"install 'pytest-tau\[mcp\]' \(mcp 1\.30\.0 is installed, and 2\.3 is needed"
    ):
        McpServer().open([])
