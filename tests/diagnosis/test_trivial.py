"""The trivial agents do what they say, and pass no task of ours."""

from pathlib import Path

import pytest

from pytest_tau import Domain, Task, grade, load_domain, load_tasks, simulate
from pytest_tau.diagnosis.trivial import APOLOGY, TRIVIAL, trivial_passes
from pytest_tau.environment.folders import builtin_names
from pytest_tau.evaluation.grade import passes as passes_of
from pytest_tau.schema.messages import AssistantMessage
from tests.builders import action, mock, task, whole
from tests.shared import shared

LOOK = action("get_users")
HAND_OVER = action("transfer_to_human_agents", summary="x")
HAND_OVER["compare_args"] = []


def passes(**criteria: object) -> list[str]:
    return list(trivial_passes(task(criteria=dict(criteria)), mock()))


def said(name: str) -> list[str]:
    played = task(criteria={"actions": [LOOK]})
    messages = simulate(played, mock(), TRIVIAL[name](played)).messages
    return [m.text for m in messages if isinstance(m, AssistantMessage) and m.text][1:]


@pytest.mark.parametrize("number", [4, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize("suite", builtin_names("tasks"))
def test_the_floor_of_our_suites_is_zero(suite: str, number: int | None) -> None:
    tasks = whole(suite)
    tasks = tasks[:: -(-len(tasks) // (number or len(tasks)))]
    domains = {name: load_domain(name) for name in {played.domain_name or suite for played in tasks}}
    passed = {p.id: names for p in tasks if (names := list(trivial_passes(p, domains[p.domain_name or suite])))}
    assert passed == {}


def played_by_each(one: Task, domain: Domain) -> list[str]:
    return [name for name, maker in TRIVIAL.items() if passes_of(one, simulate(one, domain, maker(one)), domain)]


@pytest.mark.parametrize("suite", builtin_names("tasks"))
def test_none_is_left_out_that_would_pass(suite: str) -> None:
    for one in whole(suite)[::300]:
        domain = load_domain(one.domain_name or suite)
        assert [*trivial_passes(one, domain)] == played_by_each(one, domain)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["retail", "airline"])
def test_nor_of_public_tasks(name: str) -> None:
    data: Path = shared("tau2")
    domain = load_domain(name, data=data)
    for one in load_tasks(name, data=data)[::3]:
        assert [*trivial_passes(one, domain)] == played_by_each(one, domain)


def test_where_nothing_is_demanded_everybody_passes() -> None:
    assert passes(actions=[], reward_basis=["DB"]) == list(TRIVIAL)


def test_the_transfer_agent_passes_what_asks_for_nothing_else() -> None:
    assert passes(actions=[HAND_OVER], reward_basis=["ACTION"]) == ["transfer"]


def test_the_dump_passes_what_only_has_to_be_shown() -> None:
    assert passes(actions=[LOOK], communicate_info=["Tomas Okoye"], reward_basis=["COMMUNICATE"]) == ["dump"]


def test_the_apology_is_a_reason_for_everything() -> None:
    vague = {"check": "reason", "any_of": ["cannot"]}
    assert passes(actions=[], trajectory=[vague], reward_basis=["TRAJECTORY"]) == ["apologise"]


def test_who_repeats_says_what_the_customer_says() -> None:
    assert passes(actions=[], communicate_info=["help me"], reward_basis=["COMMUNICATE"]) == ["repeat"]
    assert said("repeat") == ["Please help me.", "OK.", "OK."]


def test_what_they_say() -> None:
    assert said("apologise") == [APOLOGY]
    assert "user_1" in said("dump")[0]
    assert "TRANSFERRED" in said("transfer")[0]


def test_what_the_public_tasks_let_pass() -> None:
    """Of airline it is held with its vectors."""
    data: Path = shared("tau2")
    domain, tasks = load_domain("retail", data=data), load_tasks("retail", data=data)
    assert sum(grade(one, simulate(one, domain, "noop"), domain).passed for one in tasks) == 6
