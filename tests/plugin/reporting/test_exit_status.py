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


def test_with_workers(pytester: pytest.Pytester) -> None:
    assert workers(pytester, "--tau-domain=mock", "--tau-agent=noop").ret == pytest.ExitCode.TESTS_FAILED
