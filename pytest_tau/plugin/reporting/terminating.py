"""A run that is told to end (SIGTERM) or interrupted (Ctrl-C), also twice, comes to its end with what was done."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from types import FrameType

import pytest

from ..run import Run

_TRIES = 5
_INTERRUPTED = 130  # the exit status that a shell gives to what was interrupted


class Terminating:
    """Turns the first SIGTERM to this process into an interrupt, until the session is over.

    A second one ends the process at once, as does one to a process that was forked from it. A handler that somebody
    has set before stays.
    """

    def __init__(self, run: Run) -> None:
        self._process = os.getpid()
        self._is_set = False
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._interrupt)
            self._is_set = True
            run.config.add_cleanup(self._end)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._end()
        if os.getpid() != self._process:
            os.kill(os.getpid(), number)
            return
        raise KeyboardInterrupt("SIGTERM")

    def _end(self) -> None:
        if self._is_set:
            self._is_set = False
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


class Ending:
    """Lets an interrupted run come to its end, which takes a moment: who presses Ctrl-C again meanwhile is told so.

    Pressed once more, it ends the process at once, and not in the middle of a traceback.
    """

    def __init__(self, run: Run) -> None:
        self._presses = 0
        self._is_set = False
        self._descriptor = os.dup(2)  # while nothing is captured
        run.config.add_cleanup(self._end)
        run.config.pluginmanager.register(self, "tau-ending")

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self) -> None:
        """From now on, an interrupt does not cut off what is written."""
        for _ in range(_TRIES):  # the next one may come while this is being done
            with suppress(KeyboardInterrupt):
                self._set()
                break

    def _set(self) -> None:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._press)
            self._is_set = True

    def _press(self, number: int, frame: FrameType | None) -> None:
        self._presses += 1
        said = "it ends at once" if self._presses > 1 else "it is coming to its end; once more ends it at once"
        with suppress(OSError):
            os.write(self._descriptor, f"\npytest-tau: the run was interrupted and {said}\n".encode())
        if self._presses > 1:
            os._exit(_INTERRUPTED)

    def _end(self) -> None:
        os.close(self._descriptor)
        if self._is_set:
            signal.signal(signal.SIGINT, signal.default_int_handler)
