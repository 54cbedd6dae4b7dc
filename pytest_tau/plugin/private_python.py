"""What Python does not tell openly of the main thread to another one: one small function each, as in private.py."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from types import FrameType


def waits_for_threads() -> bool:
    """Whether this process is at its end, and Python waits for its threads.

    Needs the flag that is set before those of executors are waited for. Without it: of these nothing is known.
    """
    return bool(getattr(threading, "_SHUTTING_DOWN", False)) or not threading.main_thread().is_alive()


def frame_of_main() -> FrameType | None:
    """What the main thread is at, for another thread to look at.

    Needs ``sys._current_frames``. Without: None. Until 3.12, a collection of garbage that begins in it and takes a
    ``threading.local`` apart waits for ever, and with it all threads: so none may begin.
    """
    frames: Callable[[], dict[int, FrameType]] = getattr(sys, "_current_frames", dict)
    collects = gc.isenabled()
    gc.disable()
    try:
        frame = frames().get(threading.main_thread().ident or 0)
    finally:
        if collects:
            gc.enable()
    return frame
