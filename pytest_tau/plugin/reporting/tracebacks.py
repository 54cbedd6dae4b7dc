"""What a failed test shows: the verdict alone, or the part of a traceback that is the user's own code."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import pluggy
import pytest

import pytest_tau

from ...errors import TauError
from ...printable import printable
from ...scrub import conceal
from .. import private
from ..playing.outcomes import TauInfra, TauInvalid, TauMiss

_MACHINERY = (private.PYTEST_FOLDER, *(Path(str(module.__file__)).resolve().parent for module in (pluggy, pytest_tau)))
_LIBRARY = Path(functools.__file__).parent


def user_facing(error: BaseException) -> bool:
    """Whether an exception's own text is all that a reader needs, without a traceback of ours."""
    return isinstance(error, (TauMiss, TauInfra, TauInvalid, TauError))


def show_their_code(call: pytest.CallInfo[Any]) -> None:
    """Leave our frames out of a traceback, unless they are all there is: then the bug is ours."""
    if call.excinfo is None:
        return
    if user_facing(call.excinfo.value):
        # Its text will do; to look up the source of every frame takes longer than to play a trial.
        private.cut_traceback(call.excinfo, [])
        return
    theirs, frames, left_out = [], [], True
    for entry, frame in zip(call.excinfo.traceback, _frames(call.excinfo.tb), strict=False):
        folders = Path(entry.path).parents
        # What our code and pytest's call of the standard library goes with them.
        passing = left_out and _LIBRARY in folders and "site-packages" not in str(entry.path)
        left_out = passing or any(folder in folders for folder in _MACHINERY)
        if not left_out:
            theirs.append(entry)
            frames.append(frame)
    if theirs:
        private.cut_traceback(call.excinfo, theirs)
    if theirs and isinstance(call.excinfo.value, BaseExceptionGroup):  # which pytest shows by what it holds itself
        held: TracebackType | None = None
        for frame in reversed(frames):
            held = TracebackType(held, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
        call.excinfo.value.__traceback__ = held


def _frames(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def failure_repr(text: str, item: pytest.Item) -> Any:
    """Text for the failures; summaries and JUnit have its first line, where pytest on CI would cut nothing.

    With ``--tb=line`` it is left at that line.
    """
    shown = [] if getattr(item.config.option, "tbstyle", "auto") == "line" else [f"{text}\n"]
    where, line, _ = item.reportinfo()  # the function's file, which for a file of tasks is ours
    number = (line or 0) + 1 if Path(where) == item.path else 1
    return private.failure_text(shown, str(item.path), number, text.partition("\n")[0])


def safe(shown: Any) -> Any:
    """What pytest shows of an exception, safe to send, write and print: its texts, wherever they hang.

    They are without known keys, and without lone surrogates, which no worker can send.
    """
    if isinstance(shown, str):
        return printable(conceal(shown))
    if isinstance(shown, list | tuple):
        return type(shown)(map(safe, shown))
    if type(shown).__module__.startswith("_pytest."):
        for name, value in vars(shown).items():
            setattr(shown, name, safe(value))
    return shown
