"""Asks the judge one word before the first trial: its wrong key would show only after conversations had been paid for.

The models that play show theirs at once: the first call of each goes alone, and the run ends where it fails for good.
The judge's would come after the first conversations, one for each that is played at once. So the process that prints
the report asks it for a word of at most 16 tokens, which the limits and the budget count.

No word is asked for where nothing is lost: of a single trial, whose conversation is kept and judged later, and where
recordings may answer (``--tau-cassette replay`` and ``auto``).
"""

from __future__ import annotations

import pytest

from ...errors import TauError
from ..playing.models import models
from ..run import Run

_ANSWERED = ("replay", "auto")


def probe(run: Run, trials: int) -> None:
    """Raise UsageError where the judge would fail for good, before any of so many trials is played."""
    chosen = run.settings
    if chosen.judge_llm is None or chosen.cassette in _ANSWERED or trials < 2:
        return
    from ..playing.loops import CallersLoop

    try:
        sentence = run.one(CallersLoop).for_a_trial()(models(run).why_no_judge())
    except TauError as error:
        sentence = str(error)
    if sentence is not None:
        raise pytest.UsageError(f"--tau-judge-llm: {sentence}. No trial was played.")
