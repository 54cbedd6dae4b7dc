"""What a domain folder says about itself."""

from dataclasses import replace

import pytest

from pytest_tau.environment.spec import DUAL, TeamRole
from pytest_tau.errors import DomainError
from tests.builders import mock, task

SPEC = mock().spec


def test_its_checks_are_read_as_those_of_tasks_are() -> None:
    made = replace(SPEC, checks=({"check": "claims"}, {"check": "confirmed"}))
    assert [check.check for check in made.default_checks] == ["claims", "confirmed"]
    assert replace(SPEC, checks=()).default_checks == ()
    assert made.default_checks is made.default_checks


def test_a_check_that_there_is_not_is_told_with_its_place() -> None:
    made = replace(SPEC, checks=({"check": "claims"}, {"check": "nosuch"}))
    with pytest.raises(DomainError, match=r"^DomainSpec\.checks: 1: .*nosuch"):
        _ = made.default_checks


def test_customers_act_everywhere_or_in_tasks_for_both_sides_alone() -> None:
    plain, dual = task(), task(tags=[DUAL])
    assert [replace(SPEC, dual_only=False).shows_both_sides(one) for one in (None, plain, dual)] == [True] * 3
    assert [replace(SPEC, dual_only=True).shows_both_sides(one) for one in (None, plain, dual)] == [False, False, True]


def test_a_domain_with_roles_holds_teams_to_them() -> None:
    made = replace(SPEC, checks=({"check": "claims"},), roles={"desk": TeamRole(["get_users"], ["policy.md"])})
    assert [check.check for check in made.default_checks] == ["claims", "own_role"]
