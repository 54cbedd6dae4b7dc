"""``--tau-tpm``."""

import pytest

from tests.cli.models import AGENT, COMPETENT, COMPLETE, ONE, Serve, expensive, never_wait
from tests.cli.usage import assert_refused
from tests.plugin.inner import mock_run


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    never_wait(monkeypatch)


def test_tokens_that_were_used_count(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(expensive(COMPLETE, 40_000))
    result = mock_run(pytester, ONE, AGENT, "--tau-tpm=90000")
    result.stdout.fnmatch_lines(["tau: limits over all workers: tpm 90000"])
    # A third call, of some thousand tokens, would fit in by what was used, a fourth not.
    assert len(server.requests) == 3


def test_ini_twin(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(expensive(COMPLETE, 40_000))
    pytester.makeini("[pytest]\ntau_tpm = 20000")
    mock_run(pytester, ONE, AGENT)
    assert len(server.requests) == 1
    server = serve(COMPETENT)
    mock_run(pytester, ONE, AGENT, "--tau-tpm=90000").assert_outcomes(passed=1)


def test_bad_values_are_usage_errors(pytester: pytest.Pytester) -> None:
    assert_refused(pytester, "tpm", "0", "must be a whole number from 1 up, not '0'")
    assert_refused(pytester, "tpm", "many", "must be a whole number from 1 up, not 'many'")
