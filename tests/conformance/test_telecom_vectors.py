"""telecom on the public data against the recorded calls of the reference: results, errors, both states and schemas."""

import gzip
import hashlib
import json
import re
from functools import cache
from typing import Any

import pytest

from pytest_tau import Domain, load_domain, load_tasks
from pytest_tau.environment.environment import Environment, ToolResult
from pytest_tau.environment.toolkit import Toolkit, ToolSpec, tools_of
from pytest_tau.schema.calls import EnvAssertion, EnvFunctionCall
from pytest_tau.schema.task import Task
from tests.conformance.hashes import dumped_hash
from tests.shared import shared

Hashes = dict[str, str]


def _vectors(name: str) -> Any:
    raw = shared("vectors", name).read_bytes()
    return json.loads(gzip.decompress(raw) if name.endswith(".gz") else raw)


TASKS = {task["task_id"]: task for task in _vectors("telecom.json")["tasks"]}
NEGATIVE = _vectors("negative_telecom.json")["cases"]
READS = _vectors("reads_telecom.json")
SCHEMAS = _vectors("schemas_telecom.json")
CATEGORIES = sorted({case["category"] for case in NEGATIVE})


@cache
def _full() -> dict[str, Any]:
    return {task["task_id"]: task for task in _vectors("telecom_full.json.gz")["tasks"]}


@pytest.fixture(scope="module")
def telecom() -> Domain:
    return load_domain("telecom", data=shared("tau2"))


@cache
def _public_tasks(split: str) -> dict[str, Task]:
    return {task.id: task for task in load_tasks("telecom", data=shared("tau2"), split=split)}


_memo: dict[str, Hashes] = {}


def _hashes(env: Environment) -> Hashes:
    """The hashes of both dumps; states that differ from the base in the same way are dumped once."""
    differs = repr(env.changes())
    if differs not in _memo:
        dump = env.dump()
        _memo[differs] = {"agent_db": dumped_hash(dump["agent"]), "user_db": dumped_hash(dump["user"])}
    return _memo[differs]


def _ours(recorded: Hashes) -> Hashes:
    return {side: recorded[side] for side in ("agent_db", "user_db")}


def _call(env: Environment, call: dict[str, Any]) -> ToolResult:
    return env.call(call["name"], call["arguments"], call["requestor"])


def _without_version(text: str) -> str:
    return re.sub(r"errors\.pydantic\.dev/[\d.]+/", "errors.pydantic.dev/X/", text)


def _replay(telecom: Domain, task: Task, vector: dict[str, Any]) -> None:
    """The gold calls one after the other, each followed by a synchronisation, as in a live conversation."""
    env = telecom.environment(task)
    assert _hashes(env) == _ours(vector["hash_after_init"])
    assert _met(env, vector["env_assertions_before"]) == [a["met"] for a in vector["env_assertions_before"]]
    for call in vector["gold_calls"]:
        assert _call(env, call) == ToolResult(call["content"], call["error"]), call["action_id"]
        assert _hashes(env) == _ours(call["hashes"]), call["action_id"]
    assert _hashes(env) == _ours(vector["hash_after_gold_live"])
    assert _met(env, vector["env_assertions_after"]) == [a["met"] for a in vector["env_assertions_after"]]


def _met(env: Environment, recorded: list[dict[str, Any]]) -> list[bool]:
    fields = EnvAssertion.model_fields
    return [env.check(EnvAssertion(**{key: a[key] for key in a if key in fields})) for a in recorded]


@pytest.mark.parametrize("task_id", TASKS)
def test_gold_path(telecom: Domain, task_id: str) -> None:
    assert _hashes(telecom.environment()) == _ours(TASKS[task_id]["hash_fresh"])
    _replay(telecom, _public_tasks("base")[task_id], TASKS[task_id])


@pytest.mark.slow
@pytest.mark.parametrize("half", range(2))
def test_gold_paths_of_all_tasks(telecom: Domain, half: int) -> None:
    tasks = _public_tasks("full")
    assert list(tasks) == list(_full())
    for task_id in list(tasks)[half::2]:
        _replay(telecom, tasks[task_id], _full()[task_id])


def test_splits() -> None:
    numbers = {"small": 20, "train": 74, "test": 40, "base": 114}
    assert {split: len(_public_tasks(split)) for split in numbers} == numbers


@pytest.mark.parametrize("category", CATEGORIES)
def test_negative_calls(telecom: Domain, category: str) -> None:
    for case in (case for case in NEGATIVE if case["category"] == category):
        env = telecom.environment()
        for call in case["setup"]:
            _call(env, call)
        assert _hashes(env) == _ours(case["hash_before"]), case
        result = _call(env, case)
        if case["pydantic_message"]:
            assert _without_version(result.content) == _without_version(case["content"])
        else:
            assert result.content == case["content"]
        assert result.error == case["error"], case
        assert _hashes(env) == _ours(case["hash_after"]), case
        assert (case["hash_before"] != case["hash_after"]) == case["db_changed"]


def test_reads(telecom: Domain) -> None:
    env = telecom.environment()
    for call in READS["calls"]:
        assert _call(env, call) == ToolResult(call["content"], call["error"]), call
    assert not env.changes()


@pytest.mark.parametrize("block", READS["state_blocks"], ids=lambda block: f"{len(block['setup'])}")
def test_reads_in_many_states(telecom: Domain, block: dict[str, Any]) -> None:
    env = telecom.environment(_starting_with(block["setup"]))
    assert _hashes(env) == _ours(block)
    for call in block["calls"]:
        assert _call(env, call) == ToolResult(call["content"], call["error"]), call
    for text, expected in block["user_assertion_functions"].items():
        name, arguments = text.removesuffix(")").split("(", 1)
        assertion = EnvAssertion(env_type="user", func_name=name, arguments=json.loads(arguments))
        assert env.check(assertion) == expected, text
    assert _hashes(env) == _ours(block)


def _starting_with(setup: list[dict[str, Any]]) -> Task:
    calls = [EnvFunctionCall(**call) for call in setup]
    return Task.model_validate(
        {"id": "state", "user_scenario": {"instructions": "-"}, "initial_state": {"initialization_actions": calls}}
    )


def _specs(telecom: Domain, side: str) -> list[ToolSpec]:
    toolkit = telecom.spec.tools if side == "agent" else telecom.spec.user_tools
    assert toolkit is not None
    return list(tools_of(toolkit).values())


@pytest.mark.parametrize(("side", "tools", "kinds"), [
    ("agent", "tools", "tool_types"),
    ("user", "user_tools", "user_tool_types"),
])  # fmt: skip
def test_tools_have_the_reference_names_parameters_and_kinds(
    telecom: Domain, side: str, tools: str, kinds: str
) -> None:
    specs = _specs(telecom, side)
    assert [spec.name for spec in specs] == [tool["function"]["name"] for tool in SCHEMAS[tools]]
    for spec, tool in zip(specs, SCHEMAS[tools], strict=True):
        assert _bare(spec.schema["function"]["parameters"]) == _bare(tool["function"]["parameters"]), spec.name
        kind = SCHEMAS[kinds][spec.name]
        assert (spec.kind, spec.writes) == (kind["type"], kind["mutates_state"]), spec.name


def _bare(schema: Any) -> Any:
    """A schema without its descriptions, which are ours."""
    if isinstance(schema, dict):
        return {key: _bare(value) for key, value in schema.items() if key != "description"}
    return [_bare(item) for item in schema] if isinstance(schema, list) else schema


def test_the_functions_for_initial_states_and_assertions_are_the_reference_ones(telecom: Domain) -> None:
    assert telecom.spec.user_tools is not None
    # Our tasks about safety plant a text in a bill; our long ones ask whether a line may roam.
    ours = ["assert_not_resumed_unpaid", "assert_roaming", "write_on_bill"]
    assert _functions(telecom.spec.tools) == sorted([*SCHEMAS["agent_non_tool_functions"], *ours])
    assert _functions(telecom.spec.user_tools) == SCHEMAS["user_non_tool_functions"]


def _functions(toolkit: type[Toolkit]) -> list[str]:
    inherited = set(dir(Toolkit)) | set(tools_of(toolkit))
    return sorted(name for name in dir(toolkit) if not name.startswith("_") and name not in inherited)


@pytest.mark.parametrize(("variant", "solo", "recorded"), [
    (None, False, "policy_sha256"),
    ("manual", True, "policy_solo_sha256"),
    ("workflow", False, "policy_workflow_sha256"),
    ("workflow", True, "policy_workflow_solo_sha256"),
])  # fmt: skip
def test_policies(variant: str | None, solo: bool, recorded: str) -> None:
    policy = load_domain("telecom", data=shared("tau2"), policy=variant).environment(solo=solo).policy
    assert hashlib.sha256(policy.encode()).hexdigest() == SCHEMAS[recorded]


def test_in_solo_mode_the_agent_holds_both_sets_of_tools(telecom: Domain) -> None:
    env = telecom.environment(solo=True)
    assert len(env.tool_specs()) == 43
    assert env.tool_specs("user") == []
    assert env.call("check_sim_status", {}).content == "Your SIM card is active and working."
    assert env.call("check_sim_status", {}, "user") == ToolResult(
        "Error: User tool calls are not allowed in solo mode", error=True
    )
