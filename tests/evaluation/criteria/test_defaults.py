"""Which checks hold for a task: its own, and those that its domain makes by itself."""

from dataclasses import replace
from typing import Any

import pytest

from pytest_tau import load_domain
from pytest_tau.errors import DomainError
from pytest_tau.evaluation.criteria.defaults import checks_for, identifying
from pytest_tau.schema.checks import Confirmed, Identified
from tests.builders import mock, task

RETAIL = load_domain("retail")


def kinds(**criteria: Any) -> list[tuple[str, bool]]:
    return [(check.check, own) for check, own in checks_for(task(criteria=criteria), RETAIL)]


def test_those_of_the_domain() -> None:
    assert kinds() == [
        ("identified", True),
        ("confirmed", True),
        ("claims", True),
        ("own_records", True),
        ("no_needless_writes", True),
    ]


def test_a_task_switches_them_off_or_says_otherwise() -> None:
    own = {"check": "confirmed", "names": ["cancel_pending_order"]}
    found = kinds(trajectory=[own], without=["claims", "identified"])
    assert found == [("confirmed", False), ("own_records", True), ("no_needless_writes", True)]


def test_every_domain_looks_at_claims_and_needless_changes() -> None:
    found = [check.check for check, _ in checks_for(task(), mock())]
    assert found == ["claims", "no_needless_writes"]


def test_a_confirmed_without_names_is_about_what_the_policy_names() -> None:
    airline = load_domain("airline")
    (check, _), *_ = checks_for(task(criteria={"trajectory": [{"check": "confirmed"}]}), airline)
    assert isinstance(check, Confirmed)
    assert check.names
    assert "send_certificate" not in check.names


def test_a_confirmed_with_names_keeps_them_and_the_task_is_left_as_it_is() -> None:
    asked = task(criteria={"trajectory": [{"check": "confirmed"}, {"check": "confirmed", "names": ["update_user"]}]})
    checks = [check for check, by_domain in checks_for(asked, RETAIL) if not by_domain]
    assert [isinstance(check, Confirmed) and check.names for check in checks][1] == ["update_user"]
    assert asked.evaluation_criteria is not None
    (first, _) = asked.evaluation_criteria.trajectory or []
    assert isinstance(first, Confirmed)
    assert first.names is None


def test_what_is_no_check_is_refused_with_the_domain() -> None:
    with pytest.raises(DomainError, match=r"DomainSpec\.checks"):
        _ = replace(RETAIL.spec, checks=[{"check": "politeness"}]).default_checks


def test_the_first_identified_says_which_tools_tell_who_the_customer_is() -> None:
    first, second = Identified(check="identified", by=["find_user"]), Identified(check="identified", by=["other"])
    assert identifying([Confirmed(check="confirmed"), first, second]) == ["find_user"]
    assert identifying([Identified(check="identified")]) == []
    assert identifying([]) == []
