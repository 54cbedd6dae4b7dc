"""What a trial prints and logs while it runs ahead: set aside, and given out when its own test comes up."""

from __future__ import annotations

import logging
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from typing import Any, Self

import pytest

from ...printable import printable
from ...scrub import conceal
from ..private import log_handlers, log_level
from ..run import Run

_STREAMS = ("stdout", "stderr")


class _Output:
    """What one trial has printed and logged so far."""

    def __init__(self, router: OutputRouter) -> None:
        self._router = router
        self.records: list[logging.LogRecord] = []
        self.printed: list[tuple[str, str]] = []

    def begin(self) -> None:
        """From now on, what this context prints and logs is this trial's."""
        _CURRENT.set(self)

    def release(self) -> None:
        """Give it out to the test that runs now."""
        for stream, text in self.printed:
            getattr(sys, stream).write(printable(conceal(text)))
        for record in self.records:
            self._router.give(record)
        self.printed, self.records = [], []


_CURRENT: ContextVar[_Output | None] = ContextVar("tau_output", default=None)


class _Concealing(logging.Formatter):
    """Formats as another formatter does, without keys and escape sequences in what was logged."""

    def __init__(self, inner: logging.Formatter) -> None:
        super().__init__()
        self._inner = inner

    def format(self, record: logging.LogRecord) -> str:
        """The text of a record."""
        shown = copy(record)
        shown.msg, shown.args = printable(conceal(record.getMessage())), None
        if record.exc_info:
            shown.exc_text = printable(conceal(self._inner.formatException(record.exc_info)))
        return self._inner.format(shown)


def conceal_logs(run: Run) -> None:
    """From now on, write no key and no escape sequence of a record to --log-file, or live to the terminal."""
    for handler in log_handlers(run.config, shown=True):
        if handler.formatter is not None and not isinstance(handler.formatter, _Concealing):
            handler.setFormatter(_Concealing(handler.formatter))


class OutputRouter(logging.Handler):
    """Tells the trials' output from that of the test that is running; installed as long as trials run ahead."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self._run = run
        self._handlers = log_handlers(run.config)
        for handler in self._handlers:
            handler.addFilter(_is_of_the_test)
        root = logging.getLogger()
        self._level = root.level
        if (
            wanted := log_level(run.config)
        ) is not None:  # pytest lowers it while a test runs; trials go on between tests
            root.setLevel(min(root.level, wanted))
        root.addHandler(self)
        run.config.pluginmanager.register(self, "tau-output")
        self._doors: list[_Door] = []
        self._route(sys.__stdout__, sys.__stderr__)
        self._kept_open = _keep_open(sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)

    def collect(self) -> _Output:
        """A place for one trial's output."""
        return _Output(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Set a trial's record aside."""
        trial = _CURRENT.get()
        if trial is not None:
            trial.records.append(record)

    def give(self, record: logging.LogRecord) -> None:
        """Let the test that runs now have a record."""
        for handler in self._handlers:
            if record.levelno >= handler.level:
                handler.handle(record)

    def uninstall(self) -> None:
        """Leave things as they were."""
        for handler in self._handlers:
            handler.removeFilter(_is_of_the_test)
        for door in self._doors:
            door.leave()
        _let_close(self._kept_open)
        logging.getLogger().removeHandler(self)
        logging.getLogger().setLevel(self._level)
        self._run.config.pluginmanager.unregister(self)

    def _route(self, *streams: Any) -> None:
        """Set aside what trials print to the standard output and to the standard error, from now on."""
        doors = map(_Door, streams, _STREAMS)
        self._doors += [door for door in doors if door.is_there]

    # Innermost: pytest puts its own streams in place just before.
    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_setup(self) -> Generator[None, Any, Any]:
        """Route what is printed, and let no trial close or write to pytest's streams in the moments before and after.

        Only here: those of a test's own fixtures, such as ``capfd``, are in place in its call and are closed after it.
        """
        self._kept_open += _keep_open(sys.stdout, sys.stderr)
        self._route(sys.stdout, sys.stderr)
        with _route_streams():
            return (yield)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self) -> Generator[None, Any, Any]:
        """Route what is printed."""
        with _route_streams():
            return (yield)

    pytest_runtest_teardown = pytest_runtest_call


def _is_of_the_test(record: logging.LogRecord) -> bool:
    return _CURRENT.get() is None


@contextmanager
def _route_streams() -> Generator[None, None, None]:
    """Put something in the place of the standard streams that tells trials from the test."""
    route = {name: _Stream(name, getattr(sys, name)) for name in _STREAMS}
    for name, stream in route.items():
        setattr(sys, name, stream)
    try:
        yield
    finally:
        for name, stream in route.items():
            if getattr(sys, name) is stream:
                setattr(sys, name, stream.inner)


def _write(text: str, stream: str, write: Any) -> int:
    """Write, as a text stream does; what a trial prints is set aside."""
    trial = _CURRENT.get()
    if trial is None:
        written: int = write(text)
        return written
    trial.printed.append((stream, text))
    return len(text)


def _stay_open() -> None:
    """Close nothing: pytest reads from its own streams, and prints to them, after the trial that closes them."""


def _keep_open(*streams: Any) -> list[Any]:
    """See that nobody closes these; those for which that was not so yet."""
    ours = [one for one in streams if hasattr(one, "__dict__") and getattr(one, "close", None) is not _stay_open]
    for one in ours:
        one.close = _stay_open
    return ours


def _let_close(streams: list[Any]) -> None:
    for one in streams:
        vars(one).pop("close", None)


@contextmanager
def streams_kept_open() -> Generator[None, None, None]:
    """Let nobody close the standard streams who plays in the calling thread."""
    ours = _keep_open(sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)
    try:
        yield
    finally:
        _let_close(ours)


class _Door:
    """A stream of the process or of pytest, which is in place between two tests: what trials print is set aside."""

    def __init__(self, stream: Any, name: str) -> None:
        self._stream = stream
        write = getattr(stream, "write", None)

        def route(text: str) -> int:
            return _write(text, name, write)

        self.is_there = write is not None and "write" not in getattr(stream, "__dict__", {"write": None})
        if self.is_there:
            stream.write = route

    def leave(self) -> None:
        """Let the stream be as it was."""
        self._stream.__dict__.pop("write", None)


class _Stream:
    """A standard stream that sets aside what trials write to it."""

    def __init__(self, name: str, inner: Any) -> None:
        self._name = name
        self.inner = inner

    def write(self, text: str) -> int:
        """Write, as a text stream does."""
        return _write(text, self._name, self.inner.write)

    def writelines(self, texts: Iterable[str]) -> None:
        """Write one after the other."""
        for text in texts:
            self.write(text)

    close = staticmethod(_stay_open)

    def __enter__(self) -> Self:
        """As of any stream: `with sys.stdout:`."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close nothing."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)
