"""Points to ``pytest-tau doctor``, once, where the first trials of a run on models all fail: it may be the set-up."""

from __future__ import annotations

from ...metrics.totals import Totals
from ..private import say
from ..run import Run

FIRST = 3
"""So many trials, or all there are."""
LINE = (
    "tau: {} passed: if that is not what you expect of these models, `pytest-tau doctor` with the "
    "options of this run says in a minute whether they are set up as it needs them"
)


class Pointer:
    """Looks at a run's first trials."""

    def __init__(self, run: Run) -> None:
        self._run = run
        chosen = run.settings
        live = chosen.cassette not in ("replay", "auto") and not chosen.rescore
        self._waits = live and bool(chosen.agent_llm or chosen.user_llm)

    def look(self, totals: Totals, planned: int) -> None:
        """Say it, if now is the time; ``planned`` trials are to be played in all."""
        if not self._waits:
            return
        tasks = list(totals.of())
        done = totals.done()
        if any(task.passed for task in tasks):
            self._waits = False
        elif done >= FIRST or 0 < planned <= done:
            self._waits = False
            none = "no trial" if done == 1 else f"none of the first {done} trials"
            say(self._run.config, [LINE.format(none)])
