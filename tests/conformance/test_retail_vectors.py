"""retail on the public data against the recorded calls of the reference: results, errors, states and schemas."""

import json
import re
from typing import Any

import pytest

from pytest_tau import Domain, load_domain, load_tasks
from pytest_tau.environment.environment import Environment, ToolResult
from tests.conformance.hashes import dumped_hash, state_hash
from tests.shared import shared


def _vectors(name: str) -> Any:
    return json.loads(shared("vectors", name).read_text(encoding="utf-8"))


TASKS = {task["task_id"]: task for task in _vectors("retail.json")["tasks"]}
NEGATIVE = _vectors("negative_retail.json")["cases"]
READS = _vectors("reads_retail.json")["calls"]
SCHEMAS = _vectors("schemas_retail.json")
CATEGORIES = sorted({case["category"] for case in NEGATIVE})


@pytest.fixture(scope="module")
def retail() -> Domain:
    return load_domain("retail", data=shared("tau2"))


@pytest.fixture(scope="module")
def public_tasks() -> dict[str, Any]:
    return {task.id: task for task in load_tasks("retail", data=shared("tau2"))}


def _hash(env: Environment) -> str:
    return state_hash(env.domain.base, env.state().agent)


def _call(env: Environment, call: dict[str, Any]) -> ToolResult:
    return env.call(call["name"], call["arguments"], call["requestor"])


def _without_version(text: str) -> str:
    return re.sub(r"errors\.pydantic\.dev/[\d.]+/", "errors.pydantic.dev/X/", text)


def test_the_vectors_are_those_of_the_public_tasks(public_tasks: dict[str, Any]) -> None:
    assert list(TASKS) == list(public_tasks)


@pytest.mark.parametrize("task_id", TASKS)
def test_gold_path(retail: Domain, public_tasks: dict[str, Any], task_id: str) -> None:
    vector = TASKS[task_id]
    assert _hash(retail.environment()) == vector["hash_fresh"]["agent_db"]
    env = retail.environment(public_tasks[task_id])
    assert _hash(env) == vector["hash_after_init"]["agent_db"]
    for call in vector["gold_calls"]:
        assert _call(env, call) == ToolResult(call["content"], call["error"]), call["action_id"]
        assert _hash(env) == call["hashes"]["agent_db"], call["action_id"]
    assert _hash(env) == vector["hash_after_gold_live"]["agent_db"]


@pytest.mark.parametrize("category", CATEGORIES)
def test_negative_calls(retail: Domain, category: str) -> None:
    for case in (case for case in NEGATIVE if case["category"] == category):
        env = retail.environment()
        for call in case["setup"]:
            _call(env, call)
        assert _hash(env) == case["hash_before"]["agent_db"], case
        result = _call(env, case)
        if case["pydantic_message"]:
            assert _without_version(result.content) == _without_version(case["content"])
        else:
            assert result.content == case["content"]
        assert result.error == case["error"], case
        assert _hash(env) == case["hash_after"]["agent_db"], case
        assert (case["hash_before"] != case["hash_after"]) == case["db_changed"]


def test_reads(retail: Domain) -> None:
    env = retail.environment()
    for call in READS:
        assert _call(env, call) == ToolResult(call["content"], call["error"]), call
    assert not env.changes()


def test_hashes_are_those_of_the_dump(retail: Domain) -> None:
    """The vectors are compared with a hash built from the changes; here it meets its definition, dumps and all."""
    env = retail.environment()
    assert dumped_hash(env.dump()["agent"]) == _hash(env) == TASKS["0"]["hash_fresh"]["agent_db"]
    for task_id in list(TASKS)[::40]:
        env = retail.environment()
        for call in TASKS[task_id]["gold_calls"]:
            _call(env, call)
        assert dumped_hash(env.dump()["agent"]) == TASKS[task_id]["hash_after_gold_live"]["agent_db"]


def test_tools_have_the_reference_names_parameters_and_kinds(retail: Domain) -> None:
    specs = retail.environment().tool_specs()
    assert [spec.name for spec in specs] == [tool["function"]["name"] for tool in SCHEMAS["tools"]]
    for spec, tool in zip(specs, SCHEMAS["tools"], strict=True):
        assert _bare(spec.schema["function"]["parameters"]) == _bare(tool["function"]["parameters"]), spec.name
        kind = SCHEMAS["tool_types"][spec.name]
        assert (spec.kind, spec.writes) == (kind["type"], kind["mutates_state"]), spec.name


def _bare(schema: Any) -> Any:
    """A schema without its descriptions, which are ours."""
    if isinstance(schema, dict):
        return {key: _bare(value) for key, value in schema.items() if key != "description"}
    return [_bare(item) for item in schema] if isinstance(schema, list) else schema
