"""``--tau-rpm``."""

import pytest

from tests.options.models import AGENT, COMPETENT, NO_WAITING, ONE, Serve, never_wait
from tests.options.usage import assert_refused, refused
from tests.plugin.inner import apart, mock_run
from tests.plugin.parts import mock_play
from tests.plugin.remote import hosts


@pytest.mark.slow
def test_is_shared_out_to_hosts(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(COMPETENT)
    pytester.makeini("[pytest]")
    with hosts(pytester.path / "elsewhere") as machines:
        for machine in machines:
            (machine.project / "conftest.py").write_text(NO_WAITING, encoding="utf-8")
        workers = [machine.option for machine in machines]
        result = apart(pytester, "--tau-domain=mock", AGENT, "-d", *workers, "--tau-rpm=7")
        result.stdout.fnmatch_lines(["tau: limits over all workers of 2 hosts, each: rpm 3", "*the limit is reached*"])
        assert len(server.requests) == 6
        assert [machine.left() for machine in machines] == [[], []]


def test_too_little_for_the_hosts_is_refused(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    workers = ["--dist=load", "--tx=popen", "--tx=ssh=one", "--tx=ssh=two"]
    refused(pytester, "--tau-domain=mock", AGENT, *workers, "--tau-rpm=2").fnmatch_lines(
        ["ERROR: rpm is 2, too little to be shared by 3 hosts; raise it to at least 3*"]
    )


def test_the_limits_are_gone_with_the_run(
    pytester: pytest.Pytester, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(COMPETENT)
    folder = pytester.mkdir("temporary")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    mock_run(pytester, ONE, AGENT, "--tau-rpm=100").assert_outcomes(passed=1)
    assert list(folder.iterdir()) == []


def test_no_more_calls_are_made_in_a_minute(
    pytester: pytest.Pytester, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    never_wait(monkeypatch)
    server = serve(COMPETENT)
    mock_play(pytester, ONE, AGENT, "--tau-rpm=1")
    assert len(server.requests) == 1


def test_runs_with_one_key_share_a_rate_where_asked(
    pytester: pytest.Pytester, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    never_wait(monkeypatch)
    monkeypatch.setenv("XDG_CACHE_HOME", str(pytester.mkdir("cache")))
    server = serve(COMPETENT)
    result = mock_play(pytester, ONE, AGENT, "--tau-rpm=3 shared")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["tau: limits over all workers: rpm 3 shared with other runs"])
    mock_play(pytester, ONE, AGENT, "--tau-rpm=3 shared")  # the first has used two of three
    assert len(server.requests) == 3


def test_a_cache_that_cannot_be_used_is_refused(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(pytester.makefile(".txt", cache="a file")))
    refused(pytester, "--tau-domain=mock", AGENT, "--tau-rpm=3 shared").fnmatch_lines(
        ["ERROR: */cache.txt/pytest-tau/limits/*/limits.sqlite3: calls cannot be counted there: *; see that *"]
    )


@pytest.mark.parametrize("text", ["0", "1.5", "", "shared", "5 each"])
def test_bad_values_are_usage_errors(text: str) -> None:
    assert_refused("rpm", text, f"must be a whole number from 1 up, or such as '500 shared', not '{text}'")
