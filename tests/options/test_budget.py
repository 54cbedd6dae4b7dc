"""``--tau-budget``: in USD or in tokens, over all workers; what it leaves out is not run."""

import threading
from collections import Counter
from dataclasses import replace

import pytest

from tests.llm.server import by_turn, says
from tests.options.models import AGENT, COMPETENT, COMPLETE, ONE, PRICES, USER, Serve, expensive
from tests.options.usage import assert_refused, refused
from tests.plugin.inner import apart, journal, mock_run, rows, write
from tests.plugin.parts import mock_play

SENTENCE = "must be more than 0: USD such as 5 or $5, or tokens such as '200000 tokens', not '*'"
# A trial of one call, and of more tokens than were reserved for it.
DEAR = expensive(says("Goodbye."), 10_000)


def outcomes(pytester: pytest.Pytester) -> Counter[str]:
    return Counter(record.outcome.value for record in journal(pytester.path))


def test_no_trial_is_started_when_it_is_used_up(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(DEAR)
    result = mock_run(pytester, AGENT, "--tau-budget=15000 tokens", "--tau-concurrency=1", "-rs")
    # The second call still fits in by what is used so far.
    assert len(server.requests) == 2
    assert rows(result)["mock"]["trials"] == "2 of 6 (!)"
    result.stdout.fnmatch_lines(
        [
            "tau: limits over all workers: budget 15000 tokens",
            "SKIPPED * NotRun: the budget of 15000 tokens is used up",
            "(!) The table leaves out 4 not run; *",
            "4 trials not run: the budget of 15000 tokens is used up.",
        ]
    )
    assert outcomes(pytester) == {"missed": 2}


def test_a_trial_that_it_cuts_short_is_no_miss(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(expensive(COMPLETE, 10_000))
    result = mock_play(pytester, AGENT, "--tau-budget=15000 tokens", "--tau-concurrency=1")
    assert outcomes(pytester) == {"infra_error": 1}
    result.stdout.fnmatch_lines(
        [
            "*BudgetReached: the budget of 15000 tokens is reached: 20000 used, *",
            "  fault: budget reached: the budget of 15000 tokens is reached: 20000 used, *",
            "(!) The table leaves out 1 infra, 5 not run; *",
        ]
    )


# A trial that passes, and leaves no budget for another.
DEAR_AND_RIGHT = by_turn([COMPLETE, expensive(says("It is done."), 10_000)], said_before=1)
ROOM_FOR_ONE = "--tau-budget=10000 tokens"


def test_a_run_that_it_cut_off_is_no_success(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(DEAR_AND_RIGHT)
    result = mock_play(pytester, ONE, AGENT, "--tau-k=3", "--tau-concurrency=1", ROOM_FOR_ONE)
    result.assert_outcomes(passed=1, skipped=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "2 trials not run: the budget of 10000 tokens is used up.",
            "*ended early, as the budget of 10000 tokens is used up, after 1 of 3 trials*",
        ]
    )


@pytest.mark.parametrize(("coverage", "status"), [("1", pytest.ExitCode.TESTS_FAILED), ("0.3", pytest.ExitCode.OK)])
def test_a_gate_decides_whether_what_it_left_is_enough(
    pytester: pytest.Pytester, serve: Serve, coverage: str, status: pytest.ExitCode
) -> None:
    serve(DEAR_AND_RIGHT)
    gate = ["--tau-gate=pass^1 >= 0.3", f"--tau-min-coverage={coverage}"]
    assert mock_play(pytester, ONE, AGENT, "--tau-k=3", "--tau-concurrency=1", ROOM_FOR_ONE, *gate).ret == status


def test_a_test_that_somebody_skips_is_none_of_its_business(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("import pytest\n@pytest.fixture(autouse=True)\ndef no():\n    pytest.skip('not today')")
    assert mock_run(pytester, ONE).ret == pytest.ExitCode.OK


class Moment(threading.Event):
    """Holds an answer long enough to meet another request."""

    def wait(self, timeout: float | None = None) -> bool:
        return super().wait(0.03)


@pytest.mark.slow
def test_holds_over_all_workers_as_max_inflight_does(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(replace(DEAR, hold=Moment()))
    limits = ("--tau-concurrency=1", "--tau-budget=35000 tokens", "--tau-max-inflight=1")
    result = apart(pytester, "--tau-domain=mock", AGENT, "-n2", "--tau-k=2", *limits)
    assert server.peak == 1
    assert result.stdout.str().count("tau: forecast: 12 trials") == 1
    # Each worker alone could make four calls; together they make four, and one that was under way at most.
    left = 12 - int(rows(result)["mock"]["trials"].split()[0])
    result.stdout.fnmatch_lines([f"{left} trials not run: the budget of 35000 tokens is used up."])
    assert 4 <= len(server.requests) <= 5
    assert rows(result)["mock"]["trials"] in ("4 of 12 (!)", "5 of 12 (!)")
    assert set(outcomes(pytester)) <= {"missed", "infra_error"}


@pytest.mark.parametrize("budget", ["1", "$1.0"])
def test_in_usd(pytester: pytest.Pytester, serve: Serve, budget: str) -> None:
    server = serve(COMPETENT)
    cheap = {"agent": {"input": 10_000, "output": 0}}  # 0.1 USD a call of 10 tokens; a cent a token
    write(pytester.path, "prices.json", cheap)
    result = mock_play(pytester, ONE, AGENT, f"--tau-budget={budget}", "--tau-prices=prices.json")
    result.stdout.fnmatch_lines(["tau: limits over all workers: budget $1"])
    # Prompts of more than a hundred tokens: nobody can say that the first call will fit.
    assert server.requests == []
    assert outcomes(pytester) == {"infra_error": 1}
    result.stdout.fnmatch_lines(["*BudgetReached: the budget of 1 USD is reached: 0 used, and a call may take *"])


def test_in_usd_as_long_as_it_lasts(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(COMPETENT)
    write(pytester.path, "prices.json", PRICES)
    mock_play(pytester, ONE, AGENT, "--tau-budget=200", "--tau-prices=prices.json").assert_outcomes(passed=1)
    assert len(server.requests) == 2


def test_in_usd_needs_the_price_of_every_model(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(COMPETENT)
    write(pytester.path, "prices.json", PRICES)
    refused(pytester, "--tau-domain=mock", AGENT, USER, "--tau-budget=5", "--tau-prices=prices.json").fnmatch_lines(
        ["ERROR: the price of openai/user is unknown, so a budget in USD cannot be enforced; *"]
    )
    assert server.requests == []


@pytest.mark.parametrize(
    "value", ["cheap", "-5", "5 EUR", "1.5 tokens", "0", "$0.00", "0 tokens", "9" * 20 + " tokens"]
)
def test_a_bad_value_is_a_usage_error(value: str) -> None:
    assert_refused("budget", value, SENTENCE.replace("*", value))
