"""``--tau-retries``."""

from functools import partial

import pytest

from pytest_tau.llm.retry import RetryPolicy
from tests.llm.server import cut, fails, rate_limited, says
from tests.options.models import AGENT, COMPLETE, ONE, Serve
from tests.options.usage import assert_refused
from tests.plugin.inner import journal, mock_run
from tests.plugin.parts import mock_play

BAD_DAY = [rate_limited("0"), cut(), COMPLETE, fails(503), rate_limited("0"), says("It is done.")]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the waits between attempts."""
    monkeypatch.setattr("pytest_tau.llm.retry.RetryPolicy", partial(RetryPolicy, base=0.0))


def outcomes(pytester: pytest.Pytester) -> list[str]:
    return [record.outcome.value for record in journal(pytester.path)]


def test_a_bad_day_of_the_provider_costs_nothing(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(BAD_DAY)
    mock_play(pytester, ONE, AGENT).assert_outcomes(passed=1)
    assert len(server.requests) == len(BAD_DAY)


def test_so_many_and_no_more(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(fails(503))
    result = mock_run(pytester, ONE, AGENT, "--tau-retries=2")
    assert outcomes(pytester) == ["infra_error"]
    assert len(server.requests) == 3
    result.stdout.fnmatch_lines(["*ProviderError: a call of openai/agent failed in 3 attempts: server (HTTP 503)*"])


def test_bad_values_are_usage_errors() -> None:
    assert_refused("retries", "-1", "must be a whole number from 0 to 1000, not '-1'")
    assert_refused("retries", "often", "must be a whole number from 0 to 1000, not 'often'")
