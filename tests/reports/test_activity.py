"""The lines that say what a run is doing."""

from pytest_tau.llm.meter import Activity, CallTotals
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Costs, TrialFacts
from pytest_tau.reports.activity import Standing, failure_lines, progress_line, status_line


def totals(*outcomes: str) -> Totals:
    made = Totals()
    for number, outcome in enumerate(outcomes):
        made.add(TrialFacts("mock", str(number), outcome, costs=Costs(0.25, 0.0, 0.0)))
    return made


BUSY = Activity(2, 14, CallTotals(120, 230_000, None)) + Activity(1, 3, CallTotals(30, 20_000, 0.5))


def test_trials_cost_and_time_left() -> None:
    made = totals("passed", "missed")
    line = "tau: 2/10 trials, 8 waiting, pass^1 50.0 % so far, cost $0.50, about 2 min left"
    assert progress_line(Standing(made, 10, 30.0)) == line
    assert progress_line(Standing(Totals(), 10, 5.0)) == "tau: 0/10 trials, 10 waiting"
    assert progress_line(Standing(made, 2, 5.0, BUSY)).endswith("price unknown")  # nothing is in play any more


def test_calls_tokens_and_the_longest_conversation() -> None:
    run = Standing(totals("passed", "passed"), 6, 120.0, BUSY, pace=14.2)
    assert progress_line(run) == (
        "tau: 2/6 trials, 3 in play, 1 waiting, pass^1 100.0 % so far, 150 model calls (14 a minute), 250,000 tokens, "
        "price unknown, longest conversation at turn 14, about 4 min left"
    )
    short = "tau: 2/6, 3 in play, 1 waiting · 150 calls, 14/min, 250k tokens, price unknown · turn 14 · 4 min left"
    assert status_line(run) == short


def test_before_any_trial_is_done_the_forecast_tells_the_time_left() -> None:
    now = Activity(1, 3, CallTotals(10, 100, 0.0))
    run = Standing(Totals(), 1, 30.0, now, expected=40)
    assert progress_line(run).endswith(
        "cost $0.00, longest conversation at turn 3, about 2 min left if the forecast holds"
    )
    assert (
        status_line(run) == "tau: 0/1, 1 in play, 0 waiting · 10 calls, 0/min, 100 tokens, $0.00 · turn 3 · 2 min left"
    )
    assert "left" not in progress_line(Standing(Totals(), 1, 30.0, now, expected=9))
    resumed = Standing(totals("passed"), 2, 30.0, now, expected=40, before=1)
    assert progress_line(resumed).endswith("about 2 min left if the forecast holds")


def test_a_first_call_that_is_not_answered_is_told() -> None:
    run = Standing(Totals(), 1, 30.0, Activity(1, 1, CallTotals(waiting=1)))
    line = "tau: 0/1 trial, 1 in play, 0 model calls, 1 unanswered, 0 tokens, longest conversation at turn 1"
    assert progress_line(run) == line


def test_calls_that_failed_and_are_tried_again_are_told_with_the_reason() -> None:
    down = Activity(asked=CallTotals(failing=2, failure="judge: server (HTTP 503): Overloaded"))
    run = Standing(Totals(), 3, 30.0, down)
    assert failure_lines(run) == [
        "tau: 2 model calls have failed and will be tried again: judge: server (HTTP 503): Overloaded"
    ]
    assert status_line(run) == "tau: 0/3, 0 in play, 3 waiting · 2 calls failing"
    assert failure_lines(Standing(Totals(), 3, 30.0, BUSY)) == []
