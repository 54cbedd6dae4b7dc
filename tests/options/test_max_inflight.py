"""``--tau-max-inflight``; over workers it is tested in test_budget.py, as a run with models in workers is dear."""

import pytest

from tests.options.models import AGENT, COMPETENT, ONE, Serve
from tests.options.usage import assert_refused
from tests.plugin.inner import mock_run


def test_is_told_above(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    result = mock_run(pytester, ONE, AGENT, "--tau-max-inflight=2")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["tau: limits over all workers: max_inflight 2"])


def test_bad_values_are_usage_errors() -> None:
    assert_refused("max_inflight", "0", "must be a whole number from 1 up, not '0'")
    assert_refused("max_inflight", "all", "must be a whole number from 1 up, not 'all'")
