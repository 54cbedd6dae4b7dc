"""``--tau-concurrency``; what it does is tested with look-ahead (tests/plugin/test_lookahead.py)."""

import pytest

from tests.llm.server import says
from tests.options.models import AGENT, Serve, expensive
from tests.options.usage import assert_refused
from tests.plugin.inner import journal, mock_run, rows
from tests.plugin.parts import mock_play
from tests.plugin.players import make_players


def test_is_told_above_and_one_at_a_time_is_not(pytester: pytest.Pytester) -> None:
    make_players(pytester)
    one = ("--tau-tasks=1", "--tau-agent=players:Agent")
    mock_play(pytester, *one, "--tau-concurrency=5").stdout.fnmatch_lines(["tau: 5 conversations at once"])
    mock_play(pytester, *one, "--tau-concurrency=1").stdout.no_fnmatch_line("*at once*")


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5"])
def test_a_bad_value_is_a_usage_error(value: str) -> None:
    assert_refused("concurrency", value, "*1*")


def test_more_than_there_are_trials_is_no_harm(pytester: pytest.Pytester) -> None:
    mock_run(pytester, "--tau-concurrency=1000").assert_outcomes(passed=6)


def test_a_budget_that_is_used_up_while_trials_run_ahead(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(expensive(says("Goodbye."), 10_000))
    result = mock_run(pytester, AGENT, "--tau-budget=15000 tokens", "--tau-concurrency=2", "--tau-k=2", "-rs")
    # Two at once: two that fit in and one that had begun when they had not been counted yet, at most.
    done = len(journal(pytester.path))
    assert 2 <= len(server.requests) <= 3
    assert result.parseoutcomes()["skipped"] == 12 - done
    assert rows(result)["mock"]["trials"].startswith(f"{done} of 12")
    result.stdout.fnmatch_lines(
        [
            "SKIPPED * the budget of 15000 tokens is used up",
            f"{12 - done} trials not run: the budget of 15000 tokens is used up.",
        ]
    )
