"""A run that is told to end (SIGTERM) or interrupted (Ctrl-C), also twice, comes to its end with what was done."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import suppress
from time import monotonic
from types import FrameType
from typing import Any

import pytest

from ..run import RECEIVER, Run, is_played, uses_debugger
from .exits import is_the_program

_TRIES = 5
_ONE = 2.0  # seconds in which a second SIGTERM is the first one's: `timeout` tells the process, and then its group
_INTERRUPTED = 130  # the exit status that a shell gives to what was interrupted


class Terminating:
    """Turns the first SIGTERM to this process into an interrupt, until the session is over.

    A later one ends the process at once, as does one to a process that was forked from it. A handler that somebody has
    set before stays. Once the run comes to its end, ``instead`` is called in place of the interrupt.
    """

    instead: Callable[[int, FrameType | None], None] | None = None

    def __init__(self, run: Run) -> None:
        self._process = os.getpid()
        self._is_set = False
        self._first: float | None = None
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._interrupt)
            self._is_set = True
            run.config.add_cleanup(self._end)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() == self._process:
            if self._first is None:
                self._first = monotonic()
                if self.instead is None:
                    raise KeyboardInterrupt("SIGTERM")
                self.instead(number, frame)
            if monotonic() - self._first < _ONE:
                return
        self._end()
        os.kill(os.getpid(), number)

    def _end(self) -> None:
        if self._is_set:
            self._is_set = False
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def is_interrupt(error: BaseException) -> bool:
    """Whether it is an interrupt, and not pytest's own for an error in collection, or ``pytest.exit()``."""
    return isinstance(error, KeyboardInterrupt) and not isinstance(error, pytest.Session.Interrupted)


def _has_line(entry: Any) -> bool:
    """Whether Python knows the line: not at each moment does it, and pytest fails for want of it (Python 3.11)."""
    try:
        return bool(entry.lineno >= 0)
    except TypeError:
        return False


class Ending:
    """Lets an interrupted run come to its end with a sentence, wherever the interrupt falls.

    What is written in C may make another exception of a KeyboardInterrupt (a SystemError, an error of pydantic's),
    which would pass for a failure of the test or file that it cut off: there the run is interrupted all the same. Who
    presses Ctrl-C while the run comes to its end, which takes a moment, is told so; pressed once more, it ends the
    process at once, and not in the middle of a traceback.
    """

    def __init__(self, run: Run) -> None:
        self._run, self._config = run, run.config
        self._presses = 0
        self._came = self._is_interrupted = False
        self._descriptor = os.dup(2)  # while nothing is captured
        self._main = threading.current_thread() is threading.main_thread()
        self._is_set = self._main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self._is_set:
            signal.signal(signal.SIGINT, self._interrupt)
        run.config.add_cleanup(self._end)
        run.config.pluginmanager.register(self)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        __tracebackhide__ = True
        self._came = True
        raise KeyboardInterrupt

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionstart(self) -> Generator[None, Any, Any]:
        """See an interrupt in what it was made into."""
        return (yield from self._interrupted_if_failing())

    pytest_collection = pytest_sessionstart

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, Any, Any]:
        """See an interrupt in what it was made into; from then on, none cuts off what is written."""
        done = yield from self._interrupted_if_failing()
        self._let_end()
        return done

    def _interrupted_if_failing(self) -> Generator[None, Any, Any]:
        try:
            return (yield)
        except Exception:
            if self._came:
                raise KeyboardInterrupt from None
            raise

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(self) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Take no interrupt for an error in a file."""
        self._came = False
        report = yield
        if self._came and report.failed:
            raise KeyboardInterrupt
        return report

    def pytest_runtest_logstart(self) -> None:
        """What came before, some test has dealt with as it liked."""
        self._came = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Take no interrupt for a failure of a test, or for a tool's error; at the debugger's prompt it is none."""
        report = yield
        if self._came and (call.excinfo is not None or is_played(item)) and not uses_debugger(self._config):
            raise KeyboardInterrupt
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """From now on, an interrupt does not cut off what is written."""
        self._is_interrupted = is_interrupt(excinfo.value)
        self._let_end()
        excinfo.traceback = excinfo.traceback.filter(_has_line)

    def _let_end(self) -> None:
        if (terminating := self._run.existing(Terminating)) is not None:
            terminating.instead = self._press
        for _ in range(_TRIES):  # the next one may come while this is being done
            with suppress(KeyboardInterrupt):
                if self._main and signal.getsignal(signal.SIGINT) == self._interrupt:
                    signal.signal(signal.SIGINT, self._press)
                break

    def _press(self, number: int, frame: FrameType | None) -> None:
        self._presses += 1
        said = "it ends at once" if self._presses > 1 else "it is coming to its end; once more ends it at once"
        self._say(f"\npytest-tau: the run was interrupted and {said}\n")
        if self._presses > 1:
            os._exit(_INTERRUPTED)

    def _say(self, text: str) -> None:
        with suppress(OSError):
            os.write(self._descriptor, text.encode())

    def _end(self) -> None:
        if self._is_interrupted and not self._config.pluginmanager.hasplugin(RECEIVER):  # which says what is kept
            self._say("pytest-tau: interrupted before the tests were known: nothing was played\n")
        os.close(self._descriptor)
        if self._is_set:
            # Whoever interrupts a program that has nothing left to do but end wants no traceback.
            signal.signal(signal.SIGINT, signal.SIG_DFL if is_the_program() else signal.default_int_handler)
