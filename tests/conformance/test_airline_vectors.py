"""The airline on the public data: every call the reference recorded, with its result and the state it leaves."""

import hashlib
import json
import re
from functools import cache
from typing import Any

import pytest

from pytest_tau import Domain, Environment, Task, grade, load_domain, load_tasks, simulate
from pytest_tau.environment.toolkit import tools_of
from pytest_tau.errors import DomainError
from tests.conformance.hashes import dumped_hash, state_hash
from tests.shared import shared

DATA = shared("tau2")
_PYDANTIC_VERSION = re.compile(r"(errors\.pydantic\.dev)/\d+\.\d+/")


def vectors(name: str) -> Any:
    return json.loads(shared("vectors", f"{name}.json").read_text(encoding="utf-8"))


@cache
def airline() -> Domain:
    return load_domain("airline", data=DATA)


@cache
def public_tasks() -> dict[str, Task]:
    return {task.id: task for task in load_tasks("airline", data=DATA)}


def digest(env: Environment) -> str:
    return state_hash(env.domain.base, env.state().agent)


def result(env: Environment, call: dict[str, Any]) -> tuple[str, bool]:
    found = env.call(call["name"], call["arguments"], requestor=call["requestor"])
    return found.content, found.error


def any_version(text: str) -> str:
    return _PYDANTIC_VERSION.sub(r"\1/X.Y/", text)


def test_the_fresh_database_is_the_reference_s() -> None:
    env = airline().environment()
    dump = env.dump()
    assert dumped_hash(dump["agent"]) == digest(env) == vectors("airline")["tasks"][0]["hash_fresh"]["agent_db"]
    assert dump["user"] is None


@pytest.mark.parametrize("vector", vectors("airline")["tasks"], ids=lambda vector: f"task{vector['task_id']}")
def test_gold_calls(vector: dict[str, Any]) -> None:
    env = airline().environment(public_tasks()[vector["task_id"]])
    assert digest(env) == vector["hash_after_init"]["agent_db"]
    for call in vector["gold_calls"]:
        assert result(env, call) == (call["content"], call["error"])
        assert digest(env) == call["hashes"]["agent_db"]
    assert digest(env) == vector["hash_after_gold_live"]["agent_db"]
    if int(vector["task_id"]) % 10 == 0:
        assert dumped_hash(env.dump()["agent"]) == digest(env)


def test_the_public_tasks_are_the_recorded_ones() -> None:
    recorded = {
        v["task_id"]: [(c["name"], c["arguments"]) for c in v["gold_calls"]] for v in vectors("airline")["tasks"]
    }
    assert len(recorded) == 50
    assert {t.id: [(a.name, a.arguments) for a in t.gold_actions] for t in public_tasks().values()} == recorded


NEGATIVE = vectors("negative_airline")["cases"]


@pytest.mark.parametrize("category", sorted({case["category"] for case in NEGATIVE}))
def test_calls_that_go_wrong(category: str) -> None:
    for case in (case for case in NEGATIVE if case["category"] == category):
        env = airline().environment()
        for call in case["setup"]:
            env.call(call["name"], call["arguments"], requestor=call.get("requestor", "assistant"))
        assert digest(env) == case["hash_before"]["agent_db"], case["idx"]
        content, error = result(env, case)
        expected = case["content"]
        if case["pydantic_message"]:
            content, expected = any_version(content), any_version(expected)
        assert (content, error) == (expected, case["error"]), case["idx"]
        assert digest(env) == case["hash_after"]["agent_db"], case["idx"]


def test_reads() -> None:
    env = airline().environment()
    calls = vectors("reads_airline")["calls"]
    assert len(calls) == 562
    for call in calls:
        assert result(env, call) == (call["content"], False), call["name"]
    assert env.changes() == []


def test_schemas() -> None:
    recorded = vectors("schemas_airline")
    specs = airline().environment().tool_specs()
    assert [spec.name for spec in specs] == [tool["function"]["name"] for tool in recorded["tools"]]
    assert {spec.name: {"type": spec.kind, "mutates_state": spec.writes} for spec in specs} == recorded["tool_types"]
    for spec, tool in zip(specs, recorded["tools"], strict=True):
        assert without_descriptions(spec.schema["function"]["parameters"]) == tool["function"]["parameters"]


def without_descriptions(schema: Any) -> Any:
    """A schema without its texts, which are ours."""
    if isinstance(schema, dict):
        return {key: without_descriptions(value) for key, value in schema.items() if key != "description"}
    return [without_descriptions(item) for item in schema] if isinstance(schema, list) else schema


def test_every_tool_and_argument_is_described() -> None:
    for spec in tools_of(airline().spec.tools).values():
        function = spec.schema["function"]
        assert len(function["description"]) > 20
        assert all(prop.get("description") for prop in function["parameters"]["properties"].values()), spec.name


def test_the_policy_is_the_public_one() -> None:
    recorded = vectors("schemas_airline")
    assert hashlib.sha256(airline().policy.encode()).hexdigest() == recorded["policy_sha256"]


def test_there_is_no_solo_mode() -> None:
    with pytest.raises(DomainError, match=r"^Airline domain does not support solo mode$"):
        airline().environment(solo=True)


@pytest.mark.parametrize(("agent", "passing"), [("oracle", 50), ("noop", 23)])
def test_the_published_weakness_is_reproduced(agent: str, passing: int) -> None:
    passed = 0
    for task in public_tasks().values():
        simulation = simulate(task, airline(), agent=agent, user="scripted")
        passed += bool(grade(task, simulation, airline()).passed)
    assert passed == passing
