"""The to-do list on the public data: every recorded call of the reference, with its result and both states."""

import hashlib
import json
import re
from functools import cache
from typing import Any

import pytest

from pytest_tau import Domain, Environment, Task, load_domain, load_tasks
from pytest_tau.environment.environment import ToolResult
from pytest_tau.environment.toolkit import Toolkit
from tests.conformance.hashes import dumped_hash
from tests.shared import shared

DATA = shared("tau2")
# The reference lets both sides share one database after initialization data; we never do (so only the user's differs).
SHARED_DATABASE = "update_task_with_initialization_data"


def vectors(name: str) -> Any:
    return json.loads(shared("vectors", f"{name}.json").read_text(encoding="utf-8"))


TASKS = {vector["task_id"]: vector for vector in vectors("mock")["tasks"]}
NEGATIVE = vectors("negative_mock")["cases"]
READS = vectors("reads_mock")["calls"]
SCHEMAS = vectors("schemas_mock")


@cache
def mock() -> Domain:
    return load_domain("mock", data=DATA)


@cache
def public_tasks() -> dict[str, Task]:
    return {task.id: task for task in load_tasks("mock", data=DATA)}


def digests(env: Environment) -> dict[str, str]:
    dump = env.dump()
    return {"agent_db": dumped_hash(dump["agent"]), "user_db": dumped_hash(dump["user"])}


def wanted(hashes: dict[str, str], task_id: str = "") -> dict[str, str]:
    """The recorded hashes of both sides; where the reference shares one database, the user's is still fresh."""
    user = TASKS[task_id]["hash_fresh"]["user_db"] if task_id == SHARED_DATABASE else hashes["user_db"]
    return {"agent_db": hashes["agent_db"], "user_db": user}


def call(env: Environment, recorded: dict[str, Any]) -> ToolResult:
    return env.call(recorded["name"], recorded["arguments"], recorded["requestor"])


def any_version(text: str) -> str:
    return re.sub(r"errors\.pydantic\.dev/[\d.]+/", "errors.pydantic.dev/X/", text)


def met(env: Environment, task: Task) -> list[tuple[bool | None, str | None]]:
    """Each assertion of a task as the vectors note it: whether it is met, or the exception."""
    found: list[tuple[bool | None, str | None]] = []
    criteria = task.evaluation_criteria
    for assertion in (criteria.env_assertions if criteria else None) or []:
        try:
            found.append((env.check(assertion), None))
        except Exception as error:
            found.append((None, f"{type(error).__name__}: {error}"))
    return found


def noted(assertions: list[dict[str, Any]]) -> list[tuple[bool | None, str | None]]:
    return [(assertion["met"], assertion["exception"]) for assertion in assertions]


def test_the_vectors_are_those_of_the_public_tasks() -> None:
    assert list(TASKS) == list(public_tasks())


@pytest.mark.parametrize("task_id", TASKS)
def test_gold_path(task_id: str) -> None:
    vector, task = TASKS[task_id], public_tasks()[task_id]
    assert digests(mock().environment()) == wanted(vector["hash_fresh"])
    env = mock().environment(task)
    assert digests(env) == wanted(vector["hash_after_init"], task_id)
    assert met(env, task) == noted(vector["env_assertions_before"])
    for recorded in vector["gold_calls"]:
        assert call(env, recorded) == ToolResult(recorded["content"], recorded["error"]), recorded["action_id"]
        assert digests(env) == wanted(recorded["hashes"], task_id), recorded["action_id"]
    assert digests(env) == wanted(vector["hash_after_gold_live"], task_id)
    assert met(env, task) == noted(vector["env_assertions_after"])


@pytest.mark.parametrize("category", sorted({case["category"] for case in NEGATIVE}))
def test_calls_in_unusual_ways(category: str) -> None:
    for case in (case for case in NEGATIVE if case["category"] == category):
        env = mock().environment()
        for before in case["setup"]:
            call(env, before)
        assert digests(env) == wanted(case["hash_before"]), case["idx"]
        result = call(env, case)
        if case["pydantic_message"]:
            assert any_version(result.content) == any_version(case["content"]), case["idx"]
        else:
            assert result.content == case["content"], case["idx"]
        assert result.error == case["error"], case["idx"]
        assert digests(env) == wanted(case["hash_after"]), case["idx"]
        assert (case["hash_before"] != case["hash_after"]) == case["db_changed"], case["idx"]


def test_reads() -> None:
    for recorded in READS:
        env = mock().environment()
        for step in [*recorded["setup"], recorded["call"]]:
            assert call(env, step) == ToolResult(step["content"], step["error"]), recorded


@pytest.mark.parametrize(("side", "prefix"), [("assistant", ""), ("user", "user_")])
def test_tools_have_the_reference_names_parameters_and_kinds(side: Any, prefix: str) -> None:
    specs = mock().environment().tool_specs(side)
    tools, kinds = SCHEMAS[f"{prefix}tools"], SCHEMAS[f"{prefix}tool_types"]
    assert [spec.name for spec in specs] == [tool["function"]["name"] for tool in tools]
    for spec, tool in zip(specs, tools, strict=True):
        assert bare(spec.schema["function"]["parameters"]) == tool["function"]["parameters"], spec.name
        assert (spec.kind, spec.writes) == (kinds[spec.name]["type"], kinds[spec.name]["mutates_state"])


def bare(schema: Any) -> Any:
    """A schema without its descriptions, which are ours."""
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: bare(prop) for name, prop in value.items()} if key == "properties" else value
        for key, value in schema.items()
        if key != "description"
    }


def test_helpers_and_policy() -> None:
    env = mock().environment()
    sides: list[tuple[Toolkit | None, str]] = [(env.tools, "agent"), (env.user_tools, "user")]
    for toolkit, side in sides:
        for name in SCHEMAS[f"{side}_non_tool_functions"]:
            assert callable(getattr(toolkit, name))
            assert call(
                env, {"name": name, "arguments": {}, "requestor": "user" if side == "user" else "assistant"}
            ) == (ToolResult(f"Error: Tool '{name}' not found.", error=True))
    assert hashlib.sha256(env.policy.encode()).hexdigest() == SCHEMAS["policy_sha256"]
