"""What a run tells about robustness: a table of its variants, what was found, groups, and the grid R(k, ε, λ)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from ..metrics.consistency import ASPECTS, CONSISTENCY
from ..metrics.intervals import wilson
from ..metrics.robust_totals import grid, robustness
from ..metrics.robustness import ALPHA, Groups, Robustness, VariantResult
from ..metrics.scores import measure
from ..metrics.totals import Totals
from ..metrics.wording import p_value, percent
from ..printable import count_of, one_line
from .terminal import align_table

_LISTED = 3
_AS_IT_IS = "as it is"
_PEOPLE = "people"


def robust_lines(totals: Totals) -> list[list[str]]:
    """Tables and lines about robustness, as blocks; none where every task was played as it is and nothing else."""
    found = robustness(totals)
    if not found.variants:
        return []
    blocks = [_table(found), [*_remarks(found), *_consistency(totals)]]
    grids = [_grid(found, totals, row) for row in found.rows]
    return blocks + [align_table(table) for table in grids if table]


def _table(found: Robustness) -> list[str]:
    broke = any(one.broke for one in found.variants)
    most = max(len(one.curve) for one in found.variants)
    ks = [k for k in (1, most) if k <= most]
    heads = [f"pass^{k}" for k in dict.fromkeys(ks)]
    table = [["variant", "tasks", *heads, "difference", "ratio", "flips", *["broke a rule"] * broke, ""]]
    for one in found.variants:
        curve = {k: (before, after) for k, before, after, _ in one.curve}
        cells = [_arrow(*curve[k]) if k in curve else "–" for k in dict.fromkeys(ks)]
        table.append(
            [
                found.named(one.row, one.label),
                str(one.found.tasks),
                *cells,
                points(one),
                "–" if one.ratio is None else f"{one.ratio:.2f}",
                percent(one.flip),
                *([_arrow(*one.broke) if one.broke else "–"] if broke else []),
                "WORSE" if one.flagged else "",
            ]
        )
    return align_table(table)


def _arrow(before: float, after: float) -> str:
    return f"{100 * before:.1f} → {percent(after)}"


def points(one: VariantResult) -> str:
    """The difference of pass^1 with its paired 95 % interval, in points."""
    ends = one.interval
    return f"{100 * one.found.difference:+.1f} [{100 * ends.low:+.1f} … {100 * ends.high:+.1f}]"


def _remarks(found: Robustness) -> Iterator[str]:
    family = count_of(len(found.variants), "variants")
    yield (
        "Each task as it is beside each variant, paired over tasks: 95 % intervals for tasks like these; ratio: of "
        f"pass^1; WORSE: one-sided p at most {ALPHA:g} after Holm's adjustment for {family}."
    )
    flagged = [one for one in found.variants if one.flagged]
    for one in flagged:
        yield _finding(one, found.named(one.row, one.label))
    if not flagged:
        yield "No variant is shown to do worse than its tasks as they are."
    for one in found.variants:
        yield from _under_faults(one, found.named(one.row, one.label))
        yield from _realism(one, found.named(one.row, "pass^1"))
    worst = found.worst
    if worst is not None and worst.found.difference < 0:
        yield f"Worst variant: {found.named(worst.row, worst.label)} ({points(worst)} points)."
    for row, agreement in found.agreement.items():
        of = f" of {row}" if len(found.agreement) > 1 else ""
        tasks = ", ".join(one_line(f"{task} {percent(rate)}") for task, rate in found.worst_tasks[row][:_LISTED])
        chance = [one.flip_by_chance for one in found.variants if one.row == row and one.flip_by_chance is not None]
        usual = f" (two trials of a task as it is end alike in {percent(1 - max(chance))})" if chance else ""
        yield (
            f"Over all variants{of}: {percent(agreement)} of outcomes agree with the original's{usual}; variance of "
            f"pass rates within a task {found.variance[row]:.3f}"
            + (f"; tasks that flip most: {tasks}." if tasks else ".")
        )
    for groups in found.groups:
        yield from _about(groups, found.named(groups.row, "identity"))


def _finding(one: VariantResult, name: str) -> str:
    p = (one.found.adjusted or (one.found.p_regression, 1.0))[0]
    low, high = -100 * one.interval.high, -100 * one.interval.low
    said = f"{name}: pass^1 falls by {-100 * one.found.difference:.1f} points [{low:.1f} … {high:.1f}], {p_value(p)}"
    more = ", ".join(f"{name.replace('_', ' ')} ({n})" for name, n in one.causes[:_LISTED])
    return f"{said}; more {more}." if more else f"{said}."


def _under_faults(one: VariantResult, name: str) -> Iterator[str]:
    """What the agent did about calls that failed, where that was not to find out or to try again."""
    if one.repeated:
        said = _share(one.repeated, one.unheard)
        yield f"{name}: a write that had happened unheard was made again without a look in {said}."
    if one.gave_up:
        said = _share(one.gave_up, one.refused)
        yield f"{name}: a call that failed was never tried again, and the trial missed, in {said}."


def _realism(one: VariantResult, what: str) -> Iterator[str]:
    """What customers who write as people do cost the agent."""
    if one.label == _PEOPLE and one.curve:
        _, before, after, _ = one.curve[0]
        yield f"Customers like people cost this agent {_lost(one)}: it passes {_arrow(before, after)} ({what})."


def _lost(one: VariantResult) -> str:
    low, high = -100 * one.interval.high, -100 * one.interval.low
    return f"{-100 * one.found.difference + 0.0:.1f} points [{low:+.1f} … {high:+.1f}]"


def _share(number: int, of: int) -> str:
    low, high = wilson(number / of, of)
    with_one = f"{number} of {count_of(of, 'trials')} with such a call"
    return f"{with_one}, {percent(number / of)} [{100 * low:.0f}–{100 * high:.0f}]"


def _about(groups: Groups, name: str) -> Iterator[str]:
    shown = [pair for pair in groups.pairs if pair.shown]
    for pair in shown:
        first, second, low, high = pair.one, pair.other, -pair.interval.high, -pair.interval.low
        if pair.found.difference > 0:
            first, second, low, high = second, first, -high, -low
        ends = f"{abs(100 * pair.found.difference):.1f} points [{100 * low:.1f} … {100 * high:.1f}]"
        yield (
            f"{name}: {second} passes {ends} "
            f"less than {first}, paired over {count_of(pair.found.tasks, 'tasks')}, {p_value(pair.p)} "
            f"(Holm-adjusted for {count_of(len(groups.pairs), 'pairs')} of groups)."
        )
    if not shown:
        visible = f"{100 * groups.visible:.0f} points"
        yield f"{name}: no difference between groups can be shown; one of {visible} would have been."


def _consistency(totals: Totals) -> Iterator[str]:
    """How alike the trials of a task are; of several agents for each, as their mean is nobody's."""
    for name, part in (totals.by_agent() or {"": totals}).items():
        plain = part.without_variants()
        values = {aspect: measure(plain, CONSISTENCY, argument=aspect) for aspect in ASPECTS}
        told = [f"{aspect} {one.value:.2f}" for aspect, one in values.items() if one is not None]
        if told:
            of = f" by {name}" if name else ""
            yield f"Consistency of the trials of a task as it is{of}: {', '.join(told)} (1: all alike)."


def _grid(found: Robustness, totals: Totals, row: str) -> list[list[str]]:
    """The grid of perturbations and faults, where both were varied; for each k that the table shows."""
    mine = [one for one in found.variants if one.row == row]
    tolds = ["", *dict.fromkeys(one.told for one in mine if one.told)]
    faults = ["", *dict.fromkeys(one.faults for one in mine if one.faults)]
    if len(tolds) < 2 or len(faults) < 2:
        return []
    most = max(len(one.curve) for one in mine)
    strengths = {one.told: one.strength for one in mine}
    rates = {one.faults: one.rate for one in mine}
    table = [
        [found.named(row, "R(k, ε, λ)"), "k", *(f"{name} λ={rates[name]:g}" if name else "λ=0" for name in faults)]
    ]
    for k in dict.fromkeys((1, most)):
        cells = grid(found, totals, row, k)
        for told in tolds:
            name = f"{told} ε={strengths[told]:g}" if told else f"{_AS_IT_IS} ε=0"
            values = [percent(cells[told, fault]) if (told, fault) in cells else "–" for fault in faults]
            table.append([name, str(k), *values])
    return table


def robust_page(totals: Totals) -> dict[str, Any] | None:
    """What the HTML page shows: a row with a small curve for each variant, the remarks, the grids; None for nothing."""
    found = robustness(totals)
    if not found.variants:
        return None
    grids = [_grid(found, totals, row) for row in found.rows]
    return {
        "variants": [
            {
                "name": found.named(one.row, one.label),
                "ks": len(one.curve),
                "before": _spark([before for _, before, _, _ in one.curve]),
                "line": _spark([after for _, _, after, _ in one.curve]),
                "was": one.found.before,
                "now": one.found.after,
                "points": points(one),
                "ratio": "–" if one.ratio is None else f"{one.ratio:.2f}",
                "flip": one.flip,
                "flagged": one.flagged,
            }
            for one in found.variants
        ],
        "remarks": [*_remarks(found), *_consistency(totals)],
        "grids": [table for table in grids if table],
    }


def _spark(values: Sequence[float]) -> str:
    """The points of a small pass^k curve, 90 by 26; a single value is a level line."""
    known = list(values) * (2 if len(values) == 1 else 1)
    return " ".join(f"{3 + 84 * at / (len(known) - 1):.1f},{23 - 20 * value:.1f}" for at, value in enumerate(known))


def robust_numbers(totals: Totals) -> dict[str, Any] | None:
    """All of it as plain data; None where there is nothing."""
    found = robustness(totals)
    if not found.variants:
        return None
    return {
        "variants": [_numbers(one) for one in found.variants],
        "groups": [
            {
                "row": groups.row,
                "visible": groups.visible,
                "pairs": [
                    {"one": p.one, "other": p.other, "difference": p.found.difference, "p": p.p, "shown": p.shown}
                    for p in groups.pairs
                ],
            }
            for groups in found.groups
        ],
        "variance": dict(found.variance),
        "agreement": dict(found.agreement),
        "worst tasks": {row: [list(one) for one in tasks] for row, tasks in found.worst_tasks.items()},
        "worst variant": None if found.worst is None else found.named(found.worst.row, found.worst.label),
    }


def _numbers(one: VariantResult) -> dict[str, Any]:
    return {
        "row": one.row,
        "label": one.label,
        "told": one.told,
        "strength": one.strength,
        "faults": one.faults,
        "rate": one.rate,
        "tasks": one.found.tasks,
        "pass^k": [
            {"k": k, "as it is": before, "variant": after, "low": ends.low, "high": ends.high}
            for k, before, after, ends in one.curve
        ],
        "difference": one.found.difference,
        **asdict(one.interval),
        "p": (one.found.adjusted or (one.found.p_regression, 1.0))[0],
        "flagged": one.flagged,
        "ratio": one.ratio,
        "flip": one.flip,
        "flip by chance": one.flip_by_chance,
        "flips": dict(one.flips),
        "broke a rule": list(one.broke) if one.broke else None,
        "trials": one.trials,
        "write unheard": one.unheard,
        "write repeated": one.repeated,
        "call refused": one.refused,
        "call given up": one.gave_up,
        "causes": dict(one.causes),
    }
