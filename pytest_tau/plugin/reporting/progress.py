"""What a run says while it lasts: how far it is, and whom it waits for when nothing ends."""

from __future__ import annotations

import threading
import time

from ...metrics.totals import Totals
from ...printable import printable
from ...reports.terminal import duration, progress_line
from ..private import say
from ..run import Run


class Progress:
    """Says a line every so often, ``--tau-progress`` seconds apart.

    Args:
        run: this run.
        totals: what it tells.
    """

    def __init__(self, run: Run, totals: Totals) -> None:
        self._run = run
        self._totals = totals
        self._began = self._said = time.monotonic()
        self._waiting: dict[str, float] = {}  # tests that look at their trial, and since when
        self._is_watching = False
        self._over = threading.Event()

    def begins(self, nodeid: str) -> None:
        """A trial begins; with the first one begins watching, and the time that trials take."""
        if not self._is_watching:
            self._is_watching = True
            self._began = self._said = time.monotonic()  # other tests may have run for an hour before
            threading.Thread(target=self._watch, name="tau-progress", daemon=True).start()
        self._waiting[nodeid] = time.monotonic()

    def ended(self, nodeid: str) -> None:
        """A test has reported."""
        self._waiting.pop(nodeid, None)

    def tell(self, planned: int) -> None:
        """Say where the run stands, if it is time; ``planned``: how many trials there are to be."""
        now = time.monotonic()
        if now - self._said >= self._run.settings.progress:
            self._said = now
            say(self._run.config, [progress_line(self._totals, planned, now - self._began)])

    def stop(self) -> None:
        """The run is over."""
        self._over.set()

    def _watch(self) -> None:
        """Break the silence of a run in which no trial ends: say which one it waits for, and since when."""
        every = max(1.0, self._run.settings.progress)
        while not self._over.wait(min(1.0, every)):
            now, waiting = time.monotonic(), sorted(self._waiting.items(), key=lambda one: one[1])
            if waiting and now - max(self._said, waiting[0][1]) >= every:
                self._said = now
                others = f" and {len(waiting) - 1} more" if len(waiting) > 1 else ""
                nodeid, since = waiting[0]
                line = f"tau: waiting for {nodeid}, begun {duration(now - since)} ago{others}"
                say(self._run.config, [printable(line)])
