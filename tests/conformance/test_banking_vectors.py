"""banking_knowledge on the public data against the recorded calls of the reference: results, states, schemas, policies.

What a successful unlocking or giving says of a tool is ours to write; there the frame is compared.
"""

import gzip
import hashlib
import json
import re
import sys
from functools import cache
from typing import Any

import pytest

from pytest_tau import Domain, Environment, Task, grade, load_domain, load_tasks, simulate
from pytest_tau.environment.environment import ToolResult
from pytest_tau.environment.toolkit import ToolSpec, tools_of
from pytest_tau.errors import DomainError
from tests.conformance.hashes import dumped_hash, state_hash
from tests.shared import shared

DATA = shared("tau2")


def vectors(name: str) -> Any:
    raw = shared("vectors", name).read_bytes()
    return json.loads(gzip.decompress(raw) if name.endswith(".gz") else raw)


GOLD = {vector["task_id"]: vector for vector in vectors("banking.json")["tasks"]}
NEGATIVE = vectors("negative_banking.json")["cases"]
SCHEMAS = vectors("schemas_banking.json")
POLICIES = vectors("policy_banking.json")


def banking(knowledge: str = "no_knowledge") -> Domain:
    return load_domain("banking_knowledge", data=DATA, knowledge=knowledge)


@cache
def public_tasks() -> dict[str, Task]:
    return {task.id: task for task in load_tasks("banking_knowledge", data=DATA)}


def digest(env: Environment) -> str:
    return state_hash(env.domain.base, env.state().agent)


def call(env: Environment, one: dict[str, Any]) -> ToolResult:
    return env.call(one["name"], one["arguments"], one.get("requestor", "assistant"))


# A comma after the last value: the words are Python's, and others from 3.13 on, for the reference as well.
AFTER_THE_LAST, AS_OF_3_13 = 226, "Illegal trailing comma before end of object: line 1 column 28 (char 27)"


def is_recorded(result: ToolResult, recorded: dict[str, Any]) -> bool:
    if sys.version_info >= (3, 13) and recorded.get("idx") == AFTER_THE_LAST:
        recorded = {**recorded, "content": f"Error: Invalid JSON in arguments: {AS_OF_3_13}"}
    if recorded.get("loose"):
        frame = re.escape(recorded["content"]).replace("<text>", ".+?")
        return result.error == recorded["error"] and re.fullmatch(frame, result.content, re.DOTALL) is not None
    return result == ToolResult(recorded["content"], recorded["error"])


def test_the_tasks_are_those_of_the_folder_and_not_the_older_copy() -> None:
    assert list(GOLD) == list(public_tasks())
    assert public_tasks()["task_048"].gold_actions != []
    for task_id, vector in GOLD.items():
        assert public_tasks()[task_id].user_tools == vector["user_tools"]


@pytest.mark.parametrize("part", range(4))
def test_gold_paths(part: int) -> None:
    for task_id in list(GOLD)[part::4]:
        vector, env = GOLD[task_id], banking().environment(public_tasks()[task_id])
        assert digest(env) == vector["hash_after_init"]["agent_db"]
        for one in vector["gold_calls"]:
            assert is_recorded(call(env, one), one), one
            assert digest(env) == one["hashes"]["agent_db"], one
        assert digest(env) == vector["hash_after_gold_live"]["agent_db"]


@pytest.mark.parametrize("category", sorted({case["category"] for case in NEGATIVE}))
def test_negative_calls(category: str) -> None:
    for case in (case for case in NEGATIVE if case["category"] == category):
        env = banking().environment()
        for one in case["setup"]:
            call(env, one)
        assert digest(env) == case["hash_before"]["agent_db"], case
        assert is_recorded(call(env, case), case), case
        assert digest(env) == case["hash_after"]["agent_db"], case


def test_reads() -> None:
    env = banking().environment()
    for one in vectors("reads_banking.json")["calls"]:
        assert is_recorded(call(env, one), one), one
    assert not env.changes()


def test_both_sides_have_one_database_and_the_hash_is_that_of_its_dump() -> None:
    for task_id in ["task_001", "task_048", "task_087"]:
        env = banking().environment(public_tasks()[task_id])
        for one in GOLD[task_id]["gold_calls"]:
            call(env, one)
        dump = env.dump()
        assert dump["agent"] == dump["user"]
        assert dumped_hash(dump["agent"]) == digest(env) == GOLD[task_id]["hash_after_gold_live"]["agent_db"]


def bare(schema: Any) -> Any:
    """A schema without its descriptions, which are ours."""
    if isinstance(schema, dict):
        return {key: bare(value) for key, value in schema.items() if key != "description"}
    return [bare(item) for item in schema] if isinstance(schema, list) else schema


def is_the_recorded_tool(spec: ToolSpec, schema: dict[str, Any], kind: dict[str, Any]) -> bool:
    same = bare(spec.schema["function"]["parameters"]) == bare(schema["function"]["parameters"])
    return same and (spec.kind, spec.writes) == (kind["type"], kind["mutates_state"])


@pytest.mark.parametrize("name", SCHEMAS["tool_order"])
def test_the_tools_and_the_policy_of_each_setting(name: str) -> None:
    domain = banking(name)
    schemas = {tool["function"]["name"]: tool for tool in SCHEMAS["tools"]} | SCHEMAS["retrieval_tools"]
    specs = domain.environment().tool_specs()
    assert [spec.name for spec in specs] == SCHEMAS["tool_order"][name]
    for spec in specs:
        assert is_the_recorded_tool(spec, schemas[spec.name], SCHEMAS["tool_types"][spec.name]), spec.name
    assert hashlib.sha256(domain.policy.encode()).hexdigest() == POLICIES["configs"][name]["sha256"]


def test_the_customer_s_tools() -> None:
    specs = banking().environment().tool_specs("user")
    for spec, schema in zip(specs, SCHEMAS["user_tools"], strict=True):
        assert spec.name == schema["function"]["name"]
        assert is_the_recorded_tool(spec, schema, SCHEMAS["user_tool_types"][spec.name]), spec.name


@pytest.mark.parametrize("side", ["agent", "user"])
def test_the_hidden_tools(side: str) -> None:
    spec, recorded = banking().spec, SCHEMAS[f"{side}_discoverable"]
    toolkit = spec.tools if side == "agent" else spec.user_tools
    assert toolkit is not None
    hidden = {name: tool for name, tool in tools_of(toolkit).items() if tool.hidden}
    assert hidden.keys() == recorded.keys()
    for name, tool in hidden.items():
        parameters = tool.schema["function"]["parameters"]
        found = [
            {"name": key, "type": facts["type"], "required": key in parameters.get("required", [])}
            for key, facts in parameters["properties"].items()
        ]
        assert found == recorded[name]["parameters"], name
        assert (tool.kind, tool.writes) == (recorded[name]["type"], recorded[name]["mutates_state"]), name
        assert all(facts["description"] for facts in parameters["properties"].values())


def test_the_golden_policy_of_each_task() -> None:
    domain = banking("golden")
    for task_id, recorded in POLICIES["golden_retrieval_per_task"].items():
        policy = domain.policy_for(task=public_tasks()[task_id])
        assert hashlib.sha256(policy.encode()).hexdigest() == recorded["sha256"], task_id


def test_what_is_found() -> None:
    for one in vectors("retrieval_banking.json.gz")["calls"]:
        options = "".join(f",{name}={json.dumps(value)}" for name, value in one["kwargs"].items())
        result = call(banking(one["config"] + options).environment(), one)
        assert (result.content.split("\n\n[Timing: ")[0], result.error) == (one["content"], one["error"]), one


@pytest.mark.parametrize("part", range(4))
def test_the_oracle_passes_every_task(part: int) -> None:
    domain = banking("golden")
    for task in list(public_tasks().values())[part::4]:
        reward = grade(task, simulate(task, domain), domain)
        judged = task.evaluation_criteria is not None and "NL_ASSERTION" in task.evaluation_criteria.reward_basis
        assert reward.ungraded if judged else reward.passed, task.id


def test_a_read_is_written_down_when_the_gold_path_makes_it() -> None:
    name = "get_all_user_accounts_by_user_id_3847"
    asking = next(task for task in public_tasks().values() if name in GOLD[task.id]["read_log_allowlist"])
    for env, logged in ((banking().environment(asking), [name]), (banking().environment(), [])):
        before = env.state()
        env.call("unlock_discoverable_agent_tool", {"agent_tool_name": name})
        env.call("call_discoverable_agent_tool", {"agent_tool_name": name, "arguments": '{"user_id": "x"}'})
        found = [change for _, change in env.domain.compare(before, env.state())]
        assert [change.after["tool_name"] for change in found] == logged


@pytest.mark.parametrize(("knowledge", "name", "said"), [
    ("terminal_use", "shell", "pytest-tau runs no commands of a model"),
    ("alltools", "KB_search_dense", "asks a model, and there is none"),
    ("bm25_reranker", "KB_search", "searching with openai/gpt-5.2 asks a model, and there is none"),
])  # fmt: skip
def test_what_needs_more_than_the_machine_is_refused(knowledge: str, name: str, said: str) -> None:
    arguments = {"command": "ls"} if name == "shell" else {"query": "gold"}
    with pytest.raises(DomainError, match=said):
        banking(knowledge).environment().call(name, arguments)


def test_unknown_settings_and_no_data_are_refused() -> None:
    with pytest.raises(DomainError, match=r"Unknown retrieval variant: 'nope'. Available: \['alltools', "):
        banking("nope")
    with pytest.raises(
        DomainError, match="'banking_knowledge' has no data of its own; name the folder of the public data"
    ):
        load_domain("banking_knowledge")
    with pytest.raises(DomainError, match=r"^banking_knowledge domain does not support solo mode$"):
        banking().environment(solo=True)
