"""The lines below the table about long episodes, and about what trials cost their customers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import fmean

from ..metrics.long_episodes import EPISODES, REMEMBERED, decay, mean_steps
from ..metrics.scores import measured
from ..metrics.totals import Totals

_MOST = 15  # steps of a curve that are shown


def episode_lines(totals: Totals) -> Iterator[str]:
    """Completion, steps and decay of each row's long episodes, where it has any."""
    for row in totals.domains():
        trials = [steps for task in totals.of(row) for steps in task.measured.get(EPISODES.name, [])]
        found, kept = measured(totals, EPISODES, row), measured(totals, REMEMBERED, row)
        if not trials or found is None:
            continue
        name = f"long episodes, {row}" if len(totals.domains()) > 1 else "long episodes"
        got, due = mean_steps(trials)
        lost = "" if kept is None or kept.value == 1.0 else f"; {_percent(1 - kept.value)} of trials forgot a fact"
        yield f"{name}: {_percent(found.value)} completed, {got:.1f} of {due:.1f} steps on the mean{lost}."
        curve = decay(trials)
        shown = "  ".join(f"{step} {_percent(good / all_)}" for step, (good, all_) in enumerate(curve[:_MOST], start=1))
        yield f"{name}: each step, of the trials that had reached the one before: {shown}"


def effort_lines(totals: Totals) -> Iterator[str]:
    """What trials cost their customers, on the mean; and the judge's rating, where there is one."""
    efforts = sum(task.efforts for task in totals.of())
    spent = sum((task.effort for task in totals.of()), Counter[str]())
    if efforts:
        turns, handle, wait = (spent[name] / efforts for name in ("turns", "handle_time", "wait_seconds"))
        parts = [f"{turns:.1f} turns of the customer", f"handle time {clock(handle)}, waiting {clock(wait)} of it"]
        counted = {
            "asked_twice": "questions asked twice",
            "asked_though_told": "facts asked though told",
            "apologies": "apologies without a deed",
            "handed_over": "handed over",
        }
        parts += [f"{spent[key] / efforts:.2f} {label}" for key, label in counted.items() if spent[key]]
        yield f"Effort, mean per trial: {'; '.join(parts)} (virtual time)."
    ratings = [rating for task in totals.of() for rating in task.ratings]
    if ratings:
        yield f"Satisfaction, as the judge rates it: {fmean(ratings):.2f} of 5 over {len(ratings)} trials."


def clock(seconds: float) -> str:
    """Seconds as minutes and seconds."""
    return f"{int(seconds // 60)}:{int(seconds % 60):02d}"


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"
