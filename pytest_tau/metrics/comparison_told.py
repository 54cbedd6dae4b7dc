"""A comparison of two runs in a sentence or three: the numbers, and what they mean."""

from __future__ import annotations

from ..printable import count_of
from .compare import ALPHA, GUARD_SHARE, Comparison, Verdict
from .wording import p_value, percent, some

LIKE_THESE = "tasks like these"


def describe(found: Comparison) -> str:
    """A comparison in a sentence or three."""
    points = f"{100 * found.difference:+.1f} points [{100 * found.low:+.1f} … {100 * found.high:+.1f}]"
    common = count_of(found.tasks, "common tasks")
    change = f"pass^{found.k} {percent(found.before)} → {percent(found.after)} over {common}"
    numbers = f"{_chance(found)}, P(drop > {100 * found.margin:g} points) {100 * found.p_drop:.1f} %"
    means = {
        Verdict.UNCHANGED: "each task passed as often as before",
        Verdict.SAME: f"which leaves no room for {100 * found.margin:g} points ({numbers})",
        Verdict.INCONCLUSIVE: f"which chance may explain ({numbers})",
    }.get(found.verdict, f"more than chance explains ({numbers})")
    lines = [f"{found.verdict}: {change}, {points} for {LIKE_THESE}, {means}"]
    if found.left_out:
        left_out = f"{count_of(found.left_out, 'tasks')} {'is' if found.left_out == 1 else 'are'}"
        lines.append(f"{left_out} in one run only, or {'has' if found.left_out == 1 else 'have'} too few trials")
    if found.lost:
        lines.append(f"from always to never: {some(list(found.lost))}")
    if found.gained:
        lines.append(f"from never to always: {some(list(found.gained))}")
    if found.trials is not None:
        lines.append(f"about {count_of(found.trials, 'trials')} a task in both runs would settle it")
    return "; ".join(lines)


def _chance(found: Comparison) -> str:
    """The p-value that the verdict rests on, and which rule it comes from."""
    worse, better = found.adjusted or (found.p_regression, found.p_better)
    adjusted = f" (Holm-adjusted for {found.family} comparisons)" if found.family > 1 else ""
    if found.verdict is Verdict.WORSE and found.by_guard:
        mean = f"of the mean {p_value(found.p_worse)}"
        limit = f"asked: at most {GUARD_SHARE * found.alpha:.2g}"
        return f"by the guard over single tasks {p_value(worse * GUARD_SHARE)}{adjusted}, {limit}, {mean}"
    level = f" (one-sided level {percent(found.alpha, 2)})" if found.alpha != ALPHA else ""
    if found.family > 1:
        return f"{p_value(min(worse, better))}{adjusted}{level}"
    return f"{p_value(min(found.p_worse, found.p_better))}{level}"
