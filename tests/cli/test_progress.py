"""``--tau-progress``."""

import pytest

from tests.cli.usage import assert_refused
from tests.plugin.inner import mock_run


def test_running_totals_after_every_trial(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, "--tau-progress=0")
    result.stdout.fnmatch_lines(
        [
            "tau: 1/6 trials, pass^1 100.0 % so far, cost $0.00, about * left",
            "tau: 5/6 trials, *",
            "tau: 6/6 trials, pass^1 100.0 % so far, cost $0.00",
        ]
    )


def test_no_line_stands_behind_the_dots(pytester: pytest.Pytester) -> None:
    lines = mock_run(pytester, "--tau-progress=0", "-q").stdout.lines
    assert [line[:5] for line in lines if "trials, pass^1" in line] == ["tau: "] * 6


def test_a_short_run_says_nothing_in_between(pytester: pytest.Pytester) -> None:
    mock_run(pytester).stdout.no_fnmatch_line("tau: */6 trials*")


@pytest.mark.parametrize("value", ["-1", "often", "inf"])
def test_a_bad_value_is_a_usage_error(value: str) -> None:
    assert_refused("progress", value, f"must be a number from 0 up, not '{value}'")
