"""The bank beyond what its recorded calls show: injected constraints, odd arguments, the rules of the logs."""

import sys
from typing import Any

import pytest

from pytest_tau import Environment, load_domain
from pytest_tau.errors import DomainError
from tests.shared import shared


@pytest.fixture
def env() -> Environment:
    return load_domain("banking_knowledge", data=shared("tau2"), knowledge="none").environment()


def unlocked(env: Environment, name: str, arguments: str) -> Any:
    env.call("unlock_discoverable_agent_tool", {"agent_tool_name": name})
    return env.call("call_discoverable_agent_tool", {"agent_tool_name": name, "arguments": arguments})


@pytest.mark.parametrize(("value", "said"), [
    ('x", "limit": 1, "user_id__ne": "', "Found 1 record(s)"),
    ('x", "db": "', "query_db() got multiple values for keyword argument 'db'"),
    ('x", "db_name": "', "Error querying database: query_db() got multiple values for argument 'db_name'"),
    ('x", "limit": "a', "No records found"),
    ('6680a37184", "limit": "a', "Error querying database: '>=' not supported"),
    ('6680a37184", "name__contains": 5, "x__ne": "', "Error querying database: 'in <string>' requires string"),
    ('6680a37184", "name__gt": 5, "x__ne": "', "No records found in 'users'."),
    ('6680a37184", "user_id__nope": "6680a37184', "Found 1 record(s)"),
    ('"', "Error: Invalid JSON: Expecting ',' delimiter"),
])  # fmt: skip
def test_a_quotation_mark_in_a_value_reaches_the_query(env: Environment, value: str, said: str) -> None:
    # Of two equal keys the last one counts.
    value = value.replace('x", "limit": 1, "user_id__ne', 'x", "limit": 1, "user_id": "6680a37184", "user_id__ne')
    result = env.call("get_user_information_by_id", {"user_id": value})
    assert said in result.content
    assert not result.error


def test_refused_writes_are_logged_and_type_errors_are_not(env: Environment) -> None:
    unlocked(env, "close_debit_card_4721", '{"card_id": "nope", "reason": "lost"}')
    unlocked(env, "freeze_debit_card_3892", '{"wrong": 1}')
    assert [change.after["tool_name"] for change in env.changes()] == ["close_debit_card_4721"]


def test_whole_numbers_and_fractions_leave_the_same_records(env: Environment) -> None:
    name, other = "transfer_funds_between_bank_accounts_7291", load_domain("banking_knowledge", data=shared("tau2"))
    accounts = list(env.dump()["agent"]["accounts"]["data"])[:2]
    call = f'{{"source_account_id": "{accounts[0]}", "destination_account_id": "{accounts[1]}", "amount": %s}}'
    twin = other.environment()
    assert unlocked(env, name, call % "5").content == unlocked(twin, name, call % "5.0").content
    assert env.state() == twin.state()


def test_an_unlocking_is_forgotten_by_a_new_world_and_replayed_by_grading(env: Environment) -> None:
    call = {"agent_tool_name": "example_agent_tool_0000", "arguments": "{}"}
    assert "has not been unlocked" in env.call("call_discoverable_agent_tool", call).content
    env.call("unlock_discoverable_agent_tool", {"agent_tool_name": call["agent_tool_name"]})
    assert env.call("call_discoverable_agent_tool", call).content == "Example tool executed successfully."
    assert env.writes("unlock_discoverable_agent_tool")


def test_every_hidden_tool_tells_what_it_takes(env: Environment) -> None:
    told = env.call("unlock_discoverable_agent_tool", {"agent_tool_name": "close_bank_account_7392"}).content
    assert "  - account_id: string (required) - " in told
    assert "  - waive_early_closure_fee: boolean (optional) - " in told
    assert "  (no parameters)" in env.call(
        "unlock_discoverable_agent_tool", {"agent_tool_name": "initial_transfer_to_human_agent_0218"}
    ).content  # fmt: skip


@pytest.mark.parametrize(("setting", "said"), [
    ("bm25,topk=3", "unknown option 'topk'; use one of top_k, grep_top_k, case_sensitive, reranker_min_score"),
    ("bm25_reranker,reranker=false", "unknown option 'reranker'"),
    ("bm25,top_k=0", "top_k must be a whole number from 1"),
    ('bm25,top_k="3"', "top_k must be a whole number from 1"),
    ('grep,case_sensitive="no"', "case_sensitive must be true or false"),
    ("bm25_reranker,reranker_min_score=true", "reranker_min_score must be a number"),
])  # fmt: skip
def test_an_option_of_a_setting_that_means_nothing_is_refused(setting: str, said: str) -> None:
    with pytest.raises(DomainError, match=said):
        load_domain("banking_knowledge", data=shared("tau2"), knowledge=setting)


def test_options_reach_the_tools() -> None:
    setting = "bm25_reranker_grep,top_k=2,case_sensitive=true,reranker_min_score=7"
    knowledge = load_domain("banking_knowledge", data=shared("tau2"), knowledge=setting).knowledge
    assert knowledge is not None
    assert knowledge.options == {
        "top_k": 2,
        "grep_top_k": 10,
        "case_sensitive": True,
        "reranker_min_score": 7,
        "reranker": True,
    }


def test_a_pattern_that_takes_for_ever_is_told_so(env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    domain = load_domain("banking_knowledge", data=shared("tau2"), knowledge="grep_only")
    patterns = sys.modules[domain.spec.tools.__module__.rpartition(".")[0] + ".patterns"]
    monkeypatch.setattr(patterns, "SECONDS", 0.3)
    slow = domain.environment().call("grep", {"pattern": r"(\w+\s?)+\x00"})
    assert (slow.content, slow.error) == ("Error: The pattern takes longer than 0.3 seconds; use a simpler one.", True)


def test_a_pattern_in_a_process_of_its_own_counts_the_same() -> None:
    domain = load_domain("banking_knowledge", data=shared("tau2"), knowledge="grep_only")
    plain, grouped = (
        domain.environment().call("grep", {"pattern": pattern}).content
        for pattern in ("gold rewards card|ecocard", "(?:gold rewards card|ecocard){1}")
    )
    assert plain == grouped
