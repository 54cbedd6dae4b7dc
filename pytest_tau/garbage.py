"""Spares objects that live as long as the process.

The garbage collector would visit them again and again, and at its end Python would take each of them apart.
"""

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


# How many objects are made before the youngest are visited: as Python has it, by release, and while trials are played.
_USUAL, _SELDOM = (700, 2000), 20_000


@contextmanager
def seldom_visited() -> Iterator[None]:
    """Visit young objects less often: those of hundreds of conversations all live, and to visit them stops them all.

    Where somebody has chosen how often, it stays as it is.
    """
    before = gc.get_threshold()
    if before[0] not in _USUAL:
        yield
        return
    gc.set_threshold(_SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def leave_at_once() -> None:
    """End this process without taking its objects apart, when it comes to its end; its status is 0 then.

    To be called before anybody else uses ``atexit``: of those who do, the first comes last. A copy of another process
    shares its memory as long as nobody writes to it, and to take an object apart is to write to it.
    """
    atexit.register(_leave)


def _leave() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError, OSError):  # it is closed, or none
            stream.flush()
    _leave_process(0)
