"""Which exceptions are the provider's fault, where the driver's tests do not say it already."""

import pytest

from pytest_tau.conversation.faults import is_infra, whose_fault
from pytest_tau.errors import AgentFault, InfraError


@pytest.mark.parametrize(
    ("status", "infra"), [(408, True), (429, True), (500, True), (599, True), (404, False), (600, False)]
)
def test_by_status(status: int, infra: bool) -> None:
    error = Exception("http")
    error.status_code = status  # type: ignore[attr-defined]
    assert is_infra(error) is infra


def test_the_class_counts_and_not_the_text() -> None:
    assert not is_infra(ValueError("RateLimitError"))


def test_what_an_error_was_raised_from_counts_too() -> None:
    wrapped, circle = RuntimeError("the agent failed"), ValueError("round")
    wrapped.__cause__ = ConnectionError("reset")
    circle.__cause__ = circle
    assert is_infra(wrapped)
    assert not is_infra(circle)
    wrapped.__cause__ = circle
    assert not is_infra(wrapped)


class MaxTurnsExceeded(Exception):
    """As a framework has it."""


class OfThisProject(MaxTurnsExceeded):
    """A class below it."""


@pytest.mark.parametrize("error", [MaxTurnsExceeded("10"), OfThisProject("10"), AgentFault("lost")])
def test_the_limits_of_frameworks_are_the_agents_miss(error: Exception) -> None:
    wrapped = RuntimeError("the workflow failed")
    wrapped.__cause__ = error
    assert [whose_fault(error), whose_fault(wrapped)] == ["miss", "miss"]


def test_a_limit_that_a_provider_caused_is_the_providers() -> None:
    error = MaxTurnsExceeded("gave up")
    error.__cause__ = InfraError("the provider is down")
    assert whose_fault(error) is True


def test_all_else_is_a_bug() -> None:
    assert whose_fault(KeyError("MaxTurnsExceeded")) is False
