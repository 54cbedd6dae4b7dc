"""Sees that a run which code under test ends on its way never looks green.

``os._exit(0)`` and ``os.exec…`` end a process at once, with no word from pytest: the shell would read a success. While
a tau run is on, both end the process that prints the report with status 1, and say so. Another status of ``_exit``
stays as it is, and is said too. Processes that a player has forked may end as they like. Afterwards, a status other
than 0 stays: a function that an agent has left to ``atexit`` cannot turn it into a success.

``ctypes`` does not hand out the C library's functions of that kind meanwhile. Other code that is not Python is out of
reach here. With workers (``-n``) it ends a worker, which counts as a crash.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from ..run import Run

_PROGRAMS = ("pytest", "py.test", "__main__")
_IN_C = frozenset(("_exit", "_Exit", "exit", "quick_exit", "Py_Exit", "ExitProcess"))
_guards: set[_ExitGuard] = set()


class _ExitGuard:
    """Stands in for the functions that end this process, from the beginning of a run on.

    Attributes:
        is_done: whether there is nothing left to play or to decide, so that who ends the process may.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._process = os.getpid()
        self._is_over = False
        self.is_done: Callable[[], bool] = lambda: False
        self._exit = os._exit
        self._patched: list[tuple[Any, str, Any, Any]] = []
        system = sys.modules.get("posix") or sys.modules.get("nt")
        for module in (os, system):
            for name in ("_exit", "execv", "execve"):
                if (function := getattr(module, name, None)) is not None:
                    stand_in = self._stand_in(function)
                    setattr(module, name, stand_in)
                    self._patched.append((module, name, function, stand_in))
        _guards.add(self)
        _listen()
        run.config.add_cleanup(self._end)

    def refuse(self, name: str) -> None:
        """Raise PermissionError where somebody looks up a function of C that could end the run."""
        if os.getpid() == self._process and not self.is_done():
            raise PermissionError(
                f"ctypes does not give out {name}() while a tau run is on: it could end the run as a success; "
                "play this agent with --tau-isolate or -n 1"
            )

    def _stand_in(self, function: Any) -> Any:
        def leave(*args: Any, **options: Any) -> Any:
            status = (args[0] if args else options.get("status")) if function.__name__ == "_exit" else 0
            ours = str(sys._getframe(1).f_globals.get("__name__")).startswith("pytest_tau.")  # which says why
            if os.getpid() == self._process and not (status and ours):
                self._leave(function.__name__, status)
            return function(*args, **options)

        leave.__name__ = leave.__qualname__ = function.__name__
        return leave

    def _leave(self, name: str, asked: Any) -> None:
        """Look at who wants to end the process, with a success or not; returns where they may."""
        session = self._run.session
        status = int(session.exitstatus) if session is not None else 0
        if self._is_over or (self.is_done() and status == 0):
            if status and not asked:
                self._exit(status)
            return
        with suppress(Exception):  # else the sentence would go where prints are captured
            self._run.config.pluginmanager.getplugin("capturemanager").suspend_global_capture(in_=True)
        with suppress(Exception):
            # To the file itself: what is written to the stream within a trial is set aside for its test.
            success = "" if asked else ", which would have ended it as a success"
            sentence = (
                f"\npytest-tau: something in this run called os.{name} before its end{success}: it ends with status "
                f"{asked or 1}. What is finished is kept: go on with --tau-resume\n"
            )
            os.write(2, sentence.encode())
        if not asked:
            self._exit(1)

    def _end(self) -> None:
        """The session is over: leave things as they were, unless nothing but the process' end is to come."""
        self._is_over = True
        _guards.discard(self)
        if is_the_program() and self._run.session is not None and self._run.session.exitstatus:
            return
        for module, name, function, stand_in in self._patched:
            if getattr(module, name, None) is stand_in:
                setattr(module, name, function)


@cache
def _listen() -> None:
    """Hear of what ``ctypes`` looks up, once a process: an audit hook cannot be taken away."""
    sys.addaudithook(_refuse_in_c)


def _refuse_in_c(event: str, details: tuple[Any, ...]) -> None:
    if event.startswith("ctypes.dlsym") and details[1] in _IN_C:
        for guard in tuple(_guards):
            guard.refuse(details[1])


def is_the_program() -> bool:
    """Whether this process was started to run pytest, and this is its only session."""
    frame, running = sys._getframe(), False
    while frame is not None and not running:
        running = frame.f_globals.get("__name__") == "_pytest.runner"
        frame = frame.f_back  # type: ignore[assignment]
    return not running and Path(sys.argv[0]).stem in _PROGRAMS


def guard_exits(run: Run) -> _ExitGuard:
    """Guard this run's process, from the first call on."""
    return run.one(_ExitGuard)
