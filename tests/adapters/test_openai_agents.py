"""A trial's tools as those of the OpenAI Agents SDK: arguments come as JSON text, and calls run in the trial."""

import asyncio
import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau.adapters import openai_agents_hooks, openai_agents_tools
from tests.adapters.frameworks import Kept, schema_of, stands_in, with_tools
from tests.builders import CREATE


def test_each_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    stands_in(monkeypatch, "agents", FunctionTool=Kept)
    tools: dict[str, Any] = {tool.args[0]: tool for tool in openai_agents_tools(with_tools())}
    _, description, parameters, invoke = tools["create_task"].args
    assert {"description": description, "parameters": parameters}.items() <= schema_of("create_task").items()
    assert tools["create_task"].strict_json_schema is False  # optional arguments may be left out
    assert "Buy stamps" in asyncio.run(invoke(None, json.dumps(CREATE)))
    assert "user_1" in asyncio.run(tools["get_users"].args[3](None, ""))
    for broken in ('{"user_id":', "[1]", "null", '{"user_id": NaN}'):
        told = asyncio.run(invoke(None, broken))
        assert told == f"Error: the arguments of create_task must be a JSON object, and are {broken}"


def test_the_agent_of_a_run_that_starts_is_the_author(monkeypatch: pytest.MonkeyPatch) -> None:
    class RunHooks(list[Any]):
        """A class that takes a type, as the SDK's."""

    stands_in(monkeypatch, "agents", RunHooks=RunHooks)
    spoke: list[Any] = []
    context = replace(with_tools(), speak=lambda name, reason: spoke.append(name))
    asyncio.run(openai_agents_hooks(context).on_agent_start(None, SimpleNamespace(name="refunds")))
    assert spoke == ["refunds"]
