"""Points to ``pytest-tau doctor``, once, where the first trials of a run on models all fail: it may be the set-up.

Where the trials show themselves what is wrong it says that: they all ran out of time, or the agent writes its calls as
text.
"""

from __future__ import annotations

from ...metrics.totals import Totals
from ...reports.incidents import incidents_told
from ...schema.incidents import TEXT_CALL
from ..private import say
from ..run import Run

_AS_TEXT = f"agent: {TEXT_CALL}"
FIRST = 3
"""So many trials, or all there are."""
LINE = (
    "tau: {} passed: if that is not what you expect of these models, `pytest-tau doctor` with the "
    "options of this run says in a minute whether they are set up as it needs them"
)
TOLD = "tau: {} passed. {}"
LATE = "tau: {} ran out of time: raise --tau-timeout, or play fewer conversations at once (--tau-concurrency)"


def may_point(run: Run) -> bool:
    """Whether a run's first trials are looked at: models play in it, and not recordings of them."""
    chosen = run.settings
    live = chosen.cassette not in ("replay", "auto") and not chosen.rescore
    return live and bool(chosen.agent_llm or chosen.user_llm)


def point(run: Run, totals: Totals, planned: int) -> bool:
    """Say it, if now is the time; whether it may still come. ``planned`` trials are to be played in all."""
    if any(task.passed for task in totals.of()):
        return False
    done = totals.done()
    if done < FIRST and not 0 < planned <= done:
        return True
    none = "no trial" if done == 1 else f"none of the first {done} trials"
    written = totals.incidents[_AS_TEXT]
    if totals.endings["timeout"] == done:
        line = LATE.format("the trial" if done == 1 else f"all of the first {done} trials")
    elif written:
        line = TOLD.format(none, *incidents_told({_AS_TEXT: written}))
    else:
        line = LINE.format(none)
    say(run.config, [line])
    return False
