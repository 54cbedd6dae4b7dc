"""A player that never comes back costs its own trial: told as a time-out, and the run goes on."""

import asyncio
import signal
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau import load_domain, load_tasks
from pytest_tau.conversation.limits import Limits
from pytest_tau.conversation.run import converse
from pytest_tau.conversation.trial import Trial
from pytest_tau.plugin.playing import guarding, loops
from pytest_tau.schema.simulation import Termination
from tests.plugin.inner import apart, journal, mock_run
from tests.plugin.playing.hanging import SOON

AGENTS = """
import os
import signal
import threading

class Hangs:
    def __init__(self, context):
        self.context = context

    def reply(self, messages):
        if self.context.task_id == "complete_a_task":
            if "DEAF" in os.environ:  # as code is that never returns to Python
                signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            threading.Event().wait(120)
        return "Goodbye."
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [
        ("-n0", "--tau-concurrency=2"),
        ("-n2", "--tau-concurrency=2"),
        ("-n1", "--tau-concurrency=1"),
        ("-n1", "--tau-concurrency=1", "-p", "no:deaf"),
    ],
    ids=["ahead", "ahead in workers", "one at a time in workers", "deaf in workers"],
)
def test_a_reply_that_never_comes_ends_one_trial(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, how: tuple[str, ...]
) -> None:
    if "no:deaf" in how:
        monkeypatch.setenv("DEAF", "1")
    pytester.makepyfile(agents=AGENTS)
    pytester.makeconftest(SOON)
    result = apart(
        pytester, "--tau-domain=mock", "--tau-agent=agents:Hangs", "--tau-timeout=3", "--tau-progress=1", *how
    )
    outcomes = Counter(record.outcome.value for record in journal(pytester.path))
    assert outcomes == {"missed": 5, "infra_error": 1}
    [hanging] = [record.simulation for record in journal(pytester.path) if record.outcome == "infra_error"]
    assert hanging is not None
    assert hanging.termination_reason == "timeout"
    assert hanging.note is not None
    assert hanging.note.startswith("the agent was still answering ")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    if "--tau-concurrency=1" in how:  # else most of it was over before its test waited for it
        waiting = "tau: waiting for tau/mock/complete_a_task.json::test_task[[]trial1[]], begun * ago*"
        result.stdout.fnmatch_lines([waiting])


@pytest.mark.slow
def test_players_that_never_come_back_to_tests_that_are_over_keep_no_other_from_being_played(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        agents="""
        import threading

        hang = {task: threading.Event() for task in ("complete_a_task", "count_my_tasks")}

        class Hangs:
            def __init__(self, context):
                self.task = context.task_id

            def reply(self, messages):
                if self.task in hang:
                    hang[self.task].set()
                    threading.Event().wait(120)
                return "Goodbye."
        """
    )
    skips = """
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    import agents
    for task, begun in agents.hang.items():
        if task in item.nodeid:
            begun.wait(30)
            pytest.skip("its trial is under way")
"""
    pytester.makeconftest(SOON + skips)
    asked = ("--tau-domain=mock", "--tau-agent=agents:Hangs", "--tau-timeout=3", "--tau-concurrency=2")
    result = apart(pytester, *asked)
    result.assert_outcomes(failed=4, skipped=2)


@pytest.mark.slow
def test_an_agent_that_holds_the_event_loop_for_good_costs_no_later_trial(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS.replace("    def reply", "    async def reply"))
    pytester.makeconftest(SOON)
    asked = ("--tau-domain=mock", "--tau-agent=agents:Hangs", "--tau-timeout=3", "--tau-concurrency=2", "--tau-k=2")
    apart(pytester, *asked)
    outcomes = Counter(record.outcome.value for record in journal(pytester.path))
    assert outcomes["missed"] >= 12 - 2 * 2  # each of the two that hang may hold up another one
    assert outcomes["infra_error"] >= 2


# No test waits for a time limit: a player that is about to hang puts its trial's beginning into the past.
LATE = "from pytest_tau.plugin.playing import guarding\nguarding._guards[-1]._trial.clock.began -= 200\n"


def in_a_lock(messages: Any) -> str:
    exec(LATE)  # noqa: S102
    threading.Event().wait(120)
    return "Goodbye."


def in_a_loop(messages: Any) -> str:
    exec(LATE)  # noqa: S102
    while True:
        try:
            threading.Event().wait(0.01)
        except Exception:  # noqa: S112 (what agents do)
            continue


async def in_the_event_loop(messages: Any) -> str:
    return in_a_lock(messages)


async def stubbornly(messages: Any) -> str:
    exec(LATE)  # noqa: S102
    while True:
        try:
            await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            continue


def made(context: Any) -> Any:
    return in_a_lock([])


def in_a_loop_without_signals(messages: Any) -> str:
    exec(LATE)  # noqa: S102
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        pass


@pytest.fixture
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarding, "LOOK", 0.01)
    monkeypatch.setattr(guarding, "PATIENCE", 0.02)


@pytest.mark.usefixtures("_soon")
@pytest.mark.parametrize(
    "agent",
    [
        lambda _: in_a_lock,
        lambda _: in_a_loop,
        lambda _: in_the_event_loop,
        lambda _: stubbornly,
        made,
        lambda _: in_a_loop_without_signals,
    ],
)
def test_a_player_in_the_main_thread_is_interrupted(
    monkeypatch: pytest.MonkeyPatch, agent: Callable[[Any], Any]
) -> None:
    limits = Limits(timeout=100.0)
    request: Any = SimpleNamespace(limits=limits, run=SimpleNamespace(is_worker=False))
    domain, guard = load_domain("mock"), guarding.Guard(request)
    task = load_tasks("mock")[0]

    def user(context: Any) -> Any:
        return lambda messages: "Hello?"

    trial = Trial(task, domain.environment(), agent, user, trial=1, seed=1, limits=limits)
    guard.begin(trial)
    monkeypatch.setattr(loops, "GRACE", 0.01)
    with ExitStack() as ending:
        ending.callback(guard.end)
        run: Any = SimpleNamespace(ending=ending)
        ending.callback(signal.pthread_sigmask, signal.SIG_SETMASK, signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        converse(trial, loops.CallersLoop(run).for_a_trial())
    simulation = trial.simulation()
    assert simulation.termination_reason is Termination.TIMEOUT
    assert simulation.note == "the agent was still answering after the time limit"


@pytest.mark.usefixtures("_soon")
def test_interrupting_who_takes_no_player_for_long_raises_nothing() -> None:
    """A test that looks at its trial between two steps, and one that is in a debugger."""
    request: Any = SimpleNamespace(limits=Limits(timeout=0.0), run=SimpleNamespace(is_worker=False))
    guard, trial = guarding.Guard(request), SimpleNamespace(overdue=9.0, is_busy=False)
    guard.begin(trial)  # type: ignore[arg-type]
    try:
        guarding._interrupt(0, None)
        trial.is_busy = True
        debugger = SimpleNamespace(f_globals={"__name__": "pdb"}, f_back=None)
        guarding._interrupt(0, SimpleNamespace(f_globals={}, f_back=debugger))  # type: ignore[arg-type]
        trial.is_busy = False
    finally:
        guard.end()


@pytest.mark.usefixtures("_soon")
def test_one_at_a_time_a_reply_that_never_comes_ends_one_trial(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS.replace("threading.Event", f"exec({LATE!r}) or threading.Event"))
    result = mock_run(pytester, "--tau-agent=agents:Hangs", "--tau-timeout=100", "--tau-concurrency=1")
    outcomes = Counter(record.outcome.value for record in journal(pytester.path))
    assert outcomes == {"missed": 5, "infra_error": 1}
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "INTERNALERROR" not in result.stdout.str()


SPOILS = """
import signal
import threading
import time


class Base:
    def __init__(self, context):
        self.context = context

    def reply(self, messages):
        if self.context.task_id == "add_a_task":
            self.spoil()
        if self.context.task_id == "complete_a_task":
            threading.Event().wait(120)
        return "Goodbye."


class StopsClocks(Base):
    def spoil(self):
        for name in ("time", "monotonic", "perf_counter", "time_ns", "monotonic_ns"):
            setattr(time, name, lambda now=getattr(time, name)(): now)


class BlocksSignals(Base):
    def spoil(self):
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


class IgnoresSignals(Base):
    def spoil(self):
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGRTMAX):
            if threading.current_thread() is threading.main_thread():
                signal.signal(number, signal.SIG_IGN)
"""


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["StopsClocks", "BlocksSignals", "IgnoresSignals"])
@pytest.mark.parametrize("how", [("--tau-concurrency=1",), ("--tau-concurrency=2",)], ids=["one", "two"])
def test_what_an_agent_does_to_clocks_and_signals_ends_no_later_time_limit(
    pytester: pytest.Pytester, agent: str, how: tuple[str, ...]
) -> None:
    pytester.makepyfile(agents=SPOILS)
    pytester.makeconftest(SOON)
    result = apart(pytester, "--tau-domain=mock", f"--tau-agent=agents:{agent}", "--tau-timeout=1", *how)
    result.assert_outcomes(failed=6)
    assert Counter(record.outcome.value for record in journal(pytester.path)) == {"missed": 5, "infra_error": 1}
