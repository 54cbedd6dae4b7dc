"""``--tau-max-inflight``."""

import threading
from dataclasses import replace

import pytest

from tests.cli.models import AGENT, COMPETENT, NO_WAITING, ONE, Serve
from tests.cli.usage import assert_refused
from tests.llm.server import Answer, Request
from tests.plugin.inner import apart, journal, mock_run


class Moment(threading.Event):
    """Holds an answer long enough to meet another request."""

    def wait(self, timeout: float | None = None) -> bool:
        return super().wait(0.03)


def slowly(request: Request) -> Answer:
    assert callable(COMPETENT)
    return replace(COMPETENT(request), hold=Moment())


def test_holds_over_all_workers_as_rpm_does(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(slowly)
    pytester.makeconftest(NO_WAITING)
    result = apart(pytester, "--tau-domain=mock", AGENT, "-n2", "--tau-max-inflight=1", "--tau-rpm=4")
    result.stdout.fnmatch_lines(["tau: limits over all workers: rpm 4, max_inflight 1", "*the limit is reached*"])
    assert "infra_error" in {record.outcome for record in journal(pytester.path)}
    assert len(server.requests) == 4
    assert server.peak == 1


def test_ini_twin(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    pytester.makeini("[pytest]\ntau_max_inflight = 3")
    result = mock_run(pytester, ONE, AGENT)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["tau: limits over all workers: max_inflight 3"])
    result = mock_run(pytester, ONE, AGENT, "--tau-max-inflight=2")
    result.stdout.fnmatch_lines(["tau: limits over all workers: max_inflight 2"])


def test_bad_values_are_usage_errors(pytester: pytest.Pytester) -> None:
    assert_refused(pytester, "max_inflight", "0", "must be a whole number from 1 up, not '0'")
    assert_refused(pytester, "max_inflight", "all", "must be a whole number from 1 up, not 'all'")
