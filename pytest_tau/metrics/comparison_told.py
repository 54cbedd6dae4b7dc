"""A comparison of two runs in a sentence or three: the numbers, and what they mean."""

from __future__ import annotations

from ..printable import count_of
from .compare import ALPHA, GUARD_SHARE, Comparison, Counts, Verdict
from .wording import p_value, percent, some

LIKE_THESE = "tasks like these"


def describe(found: Comparison) -> str:
    """A comparison in a sentence or three."""
    return "; ".join(clauses(found))


def clauses(found: Comparison, *, each_way: bool = False) -> list[str]:
    """The parts of that sentence; ``each_way`` names what fell and what rose whatever the verdict."""
    common = count_of(found.tasks, "common tasks")
    points = f"{100 * found.difference:+.1f} points"
    change = f"{found.verdict}: pass^{found.k} {percent(found.before)} → {percent(found.after)} over {common}, {points}"
    level = percent(1 - 2 * found.alpha, 0)
    others = f"[{100 * found.low:+.1f} … {100 * found.high:+.1f}, {level} interval] for {LIKE_THESE}"
    numbers = f"{_chance(found)}, P(drop > {100 * found.margin:g} points) {100 * found.p_drop:.1f} %"
    means = {
        Verdict.UNCHANGED: "each task passed as often as before",
        Verdict.SAME: f"which leaves no room for {100 * found.margin:g} points ({numbers})",
        Verdict.INCONCLUSIVE: f"which chance may explain ({numbers})",
    }.get(found.verdict)
    # A change that is shown is shown on these tasks; how large it is on others is another question, and comes last.
    shown = f"{change}, more than chance explains ({_chance(found)})"
    lines = [shown if means is None else f"{change} {others}, {means}"]
    if found.fell and (each_way or found.verdict in (Verdict.WORSE, Verdict.INCONCLUSIVE)):
        lines.append(f"fell: {some([_change_text(*one) for one in found.fell])}")
    if found.rose and each_way:
        lines.append(f"rose: {some([_change_text(*one) for one in found.rose])}")
    if found.left_out:
        left_out = f"{count_of(found.left_out, 'tasks')} {'is' if found.left_out == 1 else 'are'}"
        lines.append(f"{left_out} in one run only, or {'has' if found.left_out == 1 else 'have'} too few trials")
    if found.lost:
        lines.append(f"from always to never: {some(list(found.lost))}")
    if found.gained:
        lines.append(f"from never to always: {some(list(found.gained))}")
    if found.trials is not None:
        lines.append(f"about {count_of(found.trials, 'trials')} a task in both runs would settle it")
    if means is None:
        lines.append(others)
    return lines


def _change_text(task: str, before: Counts, after: Counts) -> str:
    return f"{task} {before[0]} of {before[1]} → {after[0]} of {after[1]}"


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
