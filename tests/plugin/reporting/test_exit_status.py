"""The exit status, as a pipeline sees it."""

import pytest

from tests.plugin.inner import AGENTS, workers, write


@pytest.mark.parametrize(
    ("args", "status"),
    [
        ((), pytest.ExitCode.OK),
        (("--tau-agent=noop",), pytest.ExitCode.TESTS_FAILED),
        (("--tau-agent=agents:Provider",), pytest.ExitCode.TESTS_FAILED),
        (("--tau-agent=agents:Raises",), pytest.ExitCode.TESTS_FAILED),
        (("--tau-k=0",), pytest.ExitCode.USAGE_ERROR),
        (("-k", "nothing_like_it"), pytest.ExitCode.NO_TESTS_COLLECTED),
        (("--tau-tasks=0",), pytest.ExitCode.NO_TESTS_COLLECTED),
        (("tasks/broken.json",), pytest.ExitCode.INTERRUPTED),
    ],
)
def test_in_one_process(pytester: pytest.Pytester, args: tuple[str, ...], status: pytest.ExitCode) -> None:
    pytester.makepyfile(agents=AGENTS)
    write(pytester.path, "tasks/broken.json", "{")
    assert pytester.runpytest("--tau-domain=mock", *args).ret == status


@pytest.mark.slow
def test_with_workers(pytester: pytest.Pytester) -> None:
    assert workers(pytester, "--tau-domain=mock", "--tau-agent=noop").ret == pytest.ExitCode.TESTS_FAILED


def test_without_a_terminal_a_miss_is_no_internal_error(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--tau-domain=mock", "--tau-agent=noop", "-p", "no:terminal")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()


def test_options_without_anything_to_play_say_what_is_missing(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--tau-k=3")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(["tau: no task was collected: name a domain with --tau-domain, *"])
    result.stdout.no_fnmatch_line("tau: no task*no task*")
