"""The exit status, as a pipeline sees it; what decides it is in test_controller.py and test_gates.py.

A run in which all pass has OK, here and everywhere; what fails a test of pytest fails the run.
"""

import pytest

from tests.plugin.inner import mock_run, workers, write


def test_a_file_that_is_no_task_ends_the_run(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tasks/mock/broken.json", "{")
    result = mock_run(pytester)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "no task was collected" not in result.stdout.str()  # the file's own sentence says what is wrong


@pytest.mark.slow
def test_with_workers(pytester: pytest.Pytester) -> None:
    assert workers(pytester, "--tau-domain=mock", "--tau-agent=noop").ret == pytest.ExitCode.TESTS_FAILED


def test_without_a_terminal_a_miss_is_no_internal_error(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, "--tau-agent=noop", "--tau-tasks=complete_a_task", "-p", "no:terminal")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()


def test_options_without_anything_to_play_say_what_is_missing(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--tau-k=3")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    nothing = "tau: no task was collected: name a domain with --tau-domain, or mark tests with @pytest.mark.tau"
    assert [line for line in result.outlines if line.startswith("tau: no task")] == [nothing]
