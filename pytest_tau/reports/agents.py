"""Several agents side by side, as lines of text: a table of all, and a line about each pair."""

from __future__ import annotations

from ..metrics.agents import AgentRow, Pair, SideBySide, side_by_side
from ..metrics.totals import Totals
from ..metrics.wording import p_value, percent
from ..printable import count_of
from .terminal import align_table, money

LISTED = 28


def agent_tables(totals: Totals) -> list[list[str]]:
    """The table of a run's agents, and what their pairs say; nothing for a run of one."""
    found = side_by_side(totals)
    return [] if found is None else [align_table(table(found)), pair_lines(found)]


def table(found: SideBySide) -> list[list[str]]:
    """The rows of the table, its head first."""
    ks = sorted({1, found.k})
    heads = ["agent", *(head for k in ks for head in (f"pass^{k}", f"rank^{k}"))]
    last = f"cost ÷ pass^{found.k}"
    return [[*heads, "cost", "cost per passed trial", last], *(_row(one, ks) for one in found.agents)]


def _row(one: AgentRow, ks: list[int]) -> list[str]:
    curve, cells = {p.k: p for p in one.curve}, [one.name]
    for place, k in enumerate(ks):
        point = curve.get(k)
        value = "–" if point is None else f"{percent(point.value)} [{100 * point.low:.0f}–{100 * point.high:.0f}]"
        cells += [value, _rank(one.ranks[place]) if place < len(one.ranks) else "–"]
    shown = [_money(one.cost, one.cost_per_pass), _money(one.cost, one.cost_per_reliability(ks[-1]))]
    return [*cells, money(one.cost), *shown]


def _money(cost: float | None, of: float | None) -> str:
    return "unknown" if cost is None else "–" if of is None else money(of)


def _rank(rank: tuple[int, int]) -> str:
    best, worst = rank
    return f"{best}" if best == worst else f"{best}–{worst}"


def pair_lines(found: SideBySide) -> list[str]:
    """What has to be known to read the table, and a line about each pair."""
    if not found.pairs:
        return ["The agents have no task in common that could be compared."]
    pairs, tasks = count_of(len(found.pairs), "pairs"), found.pairs[0].found.tasks
    lines = [
        f"Ranks that are possible, all at once with confidence 95 %. {pairs} by pass^1 of {tasks} common tasks; "
        "differences in points [90 %], p-values Holm-adjusted:"
    ]
    lines += [pair_line(pair) for pair in found.pairs[:LISTED]]
    if len(found.pairs) > LISTED:
        lines.append(f"… and {len(found.pairs) - LISTED} more, which --tau-export stats:FILE has.")
    return lines


def pair_line(pair: Pair) -> str:
    """One pair: the later named against the earlier."""
    one, other = pair.names
    found = pair.found
    ends = f"[{100 * found.low:+.1f}, {100 * found.high:+.1f}]"
    return f"{one} → {other}: {found.verdict}, {100 * found.difference:+.1f} points {ends}, {p_value(pair.p)}"
