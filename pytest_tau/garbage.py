"""Spares what lives as long as the process: the garbage collector would visit it again and again, its end all of it."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# Held here: code under test may replace it.
_leave_process = os._exit


@contextmanager
def lasting() -> Iterator[None]:
    """Make many objects that stay: none of them is visited while they are made, nor later.

    A full collection stops all threads, and with litellm's objects it takes as long as a model's reply.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def leave_at_once() -> None:
    """At its end, let go of this process as a whole, whatever its status; to be called before others ask for the end.

    Python would take every object apart. In a copy of another process all of its memory is copied for that.
    """
    atexit.register(_leave)  # of those that are registered, the first is called last


def _leave() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError, OSError):  # it is closed, or none
            stream.flush()
    _leave_process(0)
