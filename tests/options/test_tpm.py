"""``--tau-tpm``."""

import pytest

from tests.options.models import AGENT, COMPETENT, COMPLETE, ONE, Serve, expensive, never_wait
from tests.options.usage import assert_refused
from tests.plugin.inner import mock_run
from tests.plugin.parts import mock_play


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    never_wait(monkeypatch)


def test_tokens_that_were_used_count(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(expensive(COMPLETE, 40_000))
    result = mock_play(pytester, ONE, AGENT, "--tau-tpm=90000")
    result.stdout.fnmatch_lines(["tau: limits over all workers: tpm 90000"])
    # A third call, of some thousand tokens, would fit in by what was used, a fourth not.
    assert len(server.requests) == 3


def test_what_fits_in_is_not_held_up(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    mock_run(pytester, ONE, AGENT, "--tau-tpm=90000").assert_outcomes(passed=1)


def test_bad_values_are_usage_errors() -> None:
    assert_refused("tpm", "0", "must be a whole number from 1 up, or such as '500 shared', not '0'")
    assert_refused("tpm", "many", "must be a whole number from 1 up, or such as '500 shared', not 'many'")
