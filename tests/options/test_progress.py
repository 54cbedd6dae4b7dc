"""``--tau-progress``."""

import os
import subprocess
import sys

import pytest

from tests.options.usage import assert_refused
from tests.plugin.inner import mock_run

WAITS = """
import os
import threading

def make(context):
    def reply(messages):
        while not os.path.exists("seen"):
            threading.Event().wait(0.05)
        return "Goodbye."
    return reply
"""


def test_running_totals_after_every_trial(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, "--tau-progress=0")
    result.stdout.fnmatch_lines(
        [
            "tau: 1/6 trials, 5 waiting, pass^1 100.0 % so far, cost $0.00, about * left",
            "tau: 5/6 trials, *",
            "tau: 6/6 trials, pass^1 100.0 % so far, cost $0.00",
        ]
    )


def test_no_line_stands_behind_the_dots(pytester: pytest.Pytester) -> None:
    lines = mock_run(pytester, "--tau-progress=0", "-q").stdout.lines
    assert [line[:5] for line in lines if "/6 trials, " in line] == ["tau: "] * 6


def test_a_short_run_says_nothing_in_between(pytester: pytest.Pytester) -> None:
    mock_run(pytester).stdout.no_fnmatch_line("tau: */6 trials*")


@pytest.mark.parametrize("value", ["-1", "often", "inf"])
def test_a_bad_value_is_a_usage_error(value: str) -> None:
    assert_refused("progress", value, f"must be a number from 0 up, not '{value}'")


@pytest.mark.slow
@pytest.mark.parametrize("how", [("-n0",), ("-n0", "-s"), ("-n0", "-q", "--capture=sys"), ("-n1",)])
def test_a_line_reaches_the_pipe_while_a_trial_is_played(pytester: pytest.Pytester, how: tuple[str, ...]) -> None:
    pytester.makepyfile(agents=WAITS)
    command = (sys.executable, "-m", "pytest", *how, "--tau-domain=mock", "--tau-tasks=1", "--tau-progress=1")
    with subprocess.Popen(
        [*command, "--tau-agent=agents:make"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=pytester.path,
        env={**os.environ, "PYTHONPATH": str(pytester.path)},
    ) as run:
        assert run.stdout is not None
        lines = iter(run.stdout.readline, "")
        line = next(line for line in lines if "1 in play" in line)
        (pytester.path / "seen").touch()
        rest = list(lines)
    assert line.startswith("tau: 0/1 trial, 1 in play")
    assert "longest conversation at turn" in line
    assert not any("tau: 0/1 trial" in line for line in rest if "Captured" in line)
    assert run.returncode == 1
