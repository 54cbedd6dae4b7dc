"""What a run says while it lasts: what it is doing, how far it is, and whom it waits for when nothing ends.

In a terminal it is one line that rewrites itself, elsewhere a line every so often. Both reach the screen while pytest
captures what a test prints (:mod:`.screen`).
"""

from __future__ import annotations

import os
import threading
from collections import deque
from contextlib import suppress
from typing import Any, TextIO

from ...clock import monotonic
from ...llm.meter import Activity
from ...metrics.totals import Totals
from ...printable import printable
from ...reports.activity import Standing, failure_lines, progress_line, status_line
from ...reports.terminal import duration
from ..private import print_through, say
from ..run import Run, uses_debugger
from ..workers.activity import monitor
from .screen import Screen

# Seconds until the first line at the latest, whatever --tau-progress says: nobody should wonder whether it works.
FIRST = 25.0
_TICK = 1.0
_MINUTE = 60.0


class ProgressReporter:
    """Says what the run is doing, ``--tau-progress`` seconds apart.

    Args:
        run: this run.
        totals: what it tells.
    """

    def __init__(self, run: Run, totals: Totals) -> None:
        self._run = run
        self._totals = totals
        self._began = self._said = monotonic()
        self._waiting: dict[str, float] = {}  # tests that look at their trial, and since when
        self._is_watching = False
        self._before = 0
        self._over = threading.Event()
        self._screen: Screen | None = None
        self._asked: deque[tuple[float, int]] = deque()  # in the last minute: when, and how many calls there were
        self.planned = 0
        self.is_debugging = False  # somebody stands in a debugger, whose screen this is
        self.expected_calls = 0.0

    def open(self) -> None:
        """Get hold of the terminal; to be called while nothing is captured."""
        if self._screen is not None:
            return
        capture = getattr(self._run.config.option, "capture", "no")
        debugs = uses_debugger(self._run.config)

        def stream(file: TextIO) -> Any:
            alone = capture in ("fd", "sys") and not debugs and os.environ.get("TERM") != "dumb"
            self._screen = Screen(file, captured=capture == "fd", rewrites=alone and file.isatty())
            return self._screen

        undo = print_through(self._run.config, stream)
        if self._screen is not None:
            self._run.config.add_cleanup(self._screen.close)
        self._run.config.add_cleanup(undo)

    def begins(self, nodeid: str) -> None:
        """A trial begins; with the first one begins watching, and the time that trials take."""
        if not self._is_watching:
            self._is_watching = True
            self._began = self._said = monotonic()  # other tests may have run for an hour before
            self._before = self._totals.done()  # of a run that is resumed
            threading.Thread(target=self._watch, name="tau-progress", daemon=True).start()
        self._waiting[nodeid] = monotonic()

    def end_test(self, nodeid: str) -> None:
        """A test has reported."""
        self._waiting.pop(nodeid, None)

    def tell(self) -> None:
        """Say where the run stands, if it is time."""
        now = monotonic()
        every = self._run.settings.progress
        if now - self._said >= every and not (self._rewrites and every):
            self._said = now
            standing = self._standing(now)
            say(self._run.config, [progress_line(standing), *failure_lines(standing)])

    def debugs(self, is_debugging: bool) -> None:
        """A debugger begins or ends."""
        self.is_debugging = is_debugging
        if self._screen is not None:
            self._screen.show("")

    def stop(self) -> None:
        """The run is over."""
        self._over.set()
        if self._screen is not None:
            self._screen.show("")
        monitor(self._run).forget()

    @property
    def _is_done(self) -> bool:
        """Whether all trials have ended, while other tests of the session may go on for an hour."""
        return 0 < self.planned <= self._totals.done() and not self._waiting

    @property
    def _rewrites(self) -> bool:
        return self._screen is not None and self._screen.rewrites

    def _watch(self) -> None:
        """Break the silence of a run in which no trial ends: say what it does, whom it waits for, and since when."""
        every = max(1.0, self._run.settings.progress)
        due = min(every, FIRST)
        while not self._over.wait(min(_TICK, every)):
            now = monotonic()
            if self.is_debugging or self._is_done:
                continue
            with suppress(OSError, ValueError):  # nobody reads any more, which pytest notices itself
                if self._screen is not None and self._screen.rewrites:
                    self._screen.show(status_line(self._standing(now)))
                elif now - self._said >= due:
                    due, self._said = every, now
                    standing = self._standing(now)
                    lines = [progress_line(standing), *self._whom(now, every), *failure_lines(standing)]
                    say(self._run.config, lines)
        with suppress(OSError, ValueError):  # the terminal may have been closed meanwhile
            if self._screen is not None:
                self._screen.show("")  # what was shown last, where the run ended meanwhile

    def _whom(self, now: float, every: float) -> list[str]:
        """Which trial the run waits for, where that takes long."""
        waiting = sorted(self._waiting.items(), key=lambda one: one[1])
        if not waiting or now - waiting[0][1] < every:
            return []
        nodeid, since = waiting[0]
        others = f" and {len(waiting) - 1} more" if len(waiting) > 1 else ""
        return [printable(f"tau: waiting for {nodeid}, begun {duration(now - since)} ago{others}")]

    def _standing(self, now: float) -> Standing:
        activity = monitor(self._run).of_run()
        pace, took = self._pace(now, activity), now - self._began
        return Standing(self._totals, self.planned, took, activity, pace, self.expected_calls, self._before)

    def _pace(self, now: float, activity: Activity) -> float:
        """Calls of models a minute, over the last one."""
        self._asked.append((now, activity.asked.calls))
        while self._asked[0][0] < now - _MINUTE:
            self._asked.popleft()
        then, calls = self._asked[0]
        if now - then < _MINUTE / 2:  # it has just begun
            then, calls = self._began, 0
        return (activity.asked.calls - calls) * _MINUTE / (now - then) if now > then else 0.0
