"""How far a run is, said from time to time; that it says whom it waits for is seen in test_hanging_players.py."""

from collections.abc import Iterator
from io import StringIO

import pytest
from _pytest.terminal import TerminalReporter

from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from pytest_tau.plugin.reporting.progress import ProgressReporter
from pytest_tau.plugin.workers.activity import monitor
from tests.plugin.conftest import MakeRun


@pytest.fixture
def terminal(config: pytest.Config) -> Iterator[StringIO]:
    """What is printed."""
    printed = StringIO()
    config.pluginmanager.register(TerminalReporter(config, printed), "terminalreporter")
    yield printed
    config.pluginmanager.unregister(name="terminalreporter")


def totals() -> Totals:
    made = Totals()
    made.plan("mock", "a", 3)
    made.add(TrialFacts("mock", "a", "passed"))
    return made


def test_at_once_where_no_time_is_to_pass(make_run: MakeRun, terminal: StringIO) -> None:
    known = totals()
    progress = ProgressReporter(make_run(progress=0.0), known)
    progress.planned = 3
    progress.tell()
    known.add(TrialFacts("mock", "a", "missed"))
    progress.tell()
    first, second = (line for line in terminal.getvalue().splitlines() if line)
    assert "1/3 trials" in first
    assert "2/3 trials" in second


def test_silent_until_it_is_time_and_then_for_as_long_again(
    make_run: MakeRun, terminal: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("pytest_tau.plugin.reporting.progress.monotonic", lambda: now[0])
    progress = ProgressReporter(make_run(progress=30.0), totals())
    progress.planned = 3
    said = []
    for seconds in (29.0, 1.0, 29.0, 2.0):
        now[0] += seconds
        progress.tell()
        said.append(len([line for line in terminal.getvalue().splitlines() if line]))
    assert said == [0, 1, 1, 2]


def test_neither_tests_nor_trials_before_the_first_one_of_this_run_count_for_the_time_that_trials_take(
    make_run: MakeRun, terminal: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, known = [0.0], totals()  # as a resumed run has it
    monkeypatch.setattr("pytest_tau.plugin.reporting.progress.monotonic", lambda: now[0])
    progress = ProgressReporter(make_run(progress=30.0), known)
    progress.planned = 3
    now[0] = 3600.0
    progress.begins("mock/a")
    now[0] += 10.0
    progress.tell()
    assert terminal.getvalue().strip() == ""
    now[0] += 20.0
    progress.tell()
    known.add(TrialFacts("mock", "a", "passed"))
    now[0] += 30.0
    progress.tell()
    progress.stop()
    first, second = terminal.getvalue().strip().splitlines()
    assert "left" not in first  # nothing of this run has ended yet
    assert "2/3 trials" in second
    assert "about 60 s left" in second


def test_without_a_terminal_nothing_is_said(make_run: MakeRun) -> None:
    ProgressReporter(make_run(progress=0.0), totals()).tell()


def test_calls_that_fail_are_told_with_the_reason(make_run: MakeRun, terminal: StringIO) -> None:
    run = make_run(progress=0.0)
    progress = ProgressReporter(run, totals())
    with monitor(run).meter.trying() as failed:
        failed("openai/judge: server (HTTP 503): Overloaded")
        progress.tell()
    assert "failed and will be tried again: openai/judge: server (HTTP 503): Overloaded" in terminal.getvalue()


class Ticks:
    """What the watching thread waits for: so many ticks of a second, and then the run is over."""

    def __init__(self, number: int, now: list[float]) -> None:
        self._left, self._now = number, now

    def wait(self, seconds: float) -> bool:
        self._now[0] += seconds
        self._left -= 1
        return self._left < 0


@pytest.mark.parametrize(("is_debugging", "lines"), [(False, 2), (True, 0)])
def test_the_first_line_comes_soon_the_next_when_it_is_time_and_none_into_a_debugger(
    make_run: MakeRun, terminal: StringIO, monkeypatch: pytest.MonkeyPatch, is_debugging: bool, lines: int
) -> None:
    now = [0.0]
    monkeypatch.setattr("pytest_tau.plugin.reporting.progress.monotonic", lambda: now[0])
    progress = ProgressReporter(make_run(progress=60.0), totals())
    progress.debugs(is_debugging)
    progress._over = Ticks(100, now)  # type: ignore[assignment]  # so no thread and no time is needed
    progress._watch()
    assert len([line for line in terminal.getvalue().splitlines() if line]) == lines
