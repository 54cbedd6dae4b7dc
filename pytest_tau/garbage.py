"""Spares the garbage collector what lives as long as the process: it would visit all of it again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
