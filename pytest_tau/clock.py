"""A clock that code under test cannot stop: libraries that freeze time replace the functions of the module ``time``.

Whatever measures a time limit, a pause or a rate reads :data:`monotonic`, and gives it to the event loops it makes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

# Held by a partial: those libraries also look through all modules for the functions that they replace.
monotonic: Callable[[], float] = (
    partial(time.clock_gettime, time.CLOCK_MONOTONIC) if hasattr(time, "clock_gettime") else partial(time.monotonic)
)
"""Seconds since some moment; never goes back."""


def keep_time(loop: Any) -> Any:
    """The event loop, with timers that follow this clock."""
    with suppress(AttributeError):  # a loop written in C has its own
        loop.time = monotonic
    return loop
