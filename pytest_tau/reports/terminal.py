"""The tables at the end of a run, as lines of text that can be pasted into a pull request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean

from ..metrics.policy import UNDER_POLICY
from ..metrics.progress import PROGRESS
from ..metrics.score import Measured
from ..metrics.scores import SCORES, measure
from ..metrics.totals import PassK, Totals
from ..metrics.wording import dollars, percent
from ..printable import columns_of, count_of, one_line, padding

OUTCOMES = {
    "missed": "missed",
    "infra_error": "infra",
    "invalid": "invalid",
    "error": "errors",
    "ungraded": "ungraded",
}

MOST = 8
WIDTH = 100
"""Characters of the main table at most, where its names are not too long for that."""
WARNING = " (!)"


@dataclass(frozen=True)
class _TableColumn:
    """A column of the main table; ``rank``: how early it gives way, 0: never."""

    head: str
    cells: list[str]
    rank: int = 0

    @property
    def width(self) -> int:
        """With what stands between two columns."""
        return max(3, *map(columns_of, (self.head, *self.cells))) + 3


def summary_table(totals: Totals) -> list[str]:
    """One row a domain (and one for all, where there are several): pass^k, its interval, counts and costs.

    It is :data:`WIDTH` wide at most, as one pastes it into a pull request: the columns that say least give way, and
    :func:`notes` tells what stood in them.
    """
    shown, _ = laid_out(totals)
    rows = zip(*([column.head, *column.cells] for column in shown), strict=True)
    return align_table([list(row) for row in rows])


def laid_out(totals: Totals) -> tuple[list[_TableColumn], list[_TableColumn]]:
    """The columns of the main table, and those for which it has no room; the first one has the rows' names."""
    whole = _columns(totals.without_variants())
    columns = list(whole)
    while sum(column.width for column in columns) + 1 > WIDTH and (most := max(c.rank for c in columns)):
        columns.remove(next(column for column in reversed(columns) if column.rank == most))
    return columns, [column for column in whole if column not in columns]


def _columns(totals: Totals) -> list[_TableColumn]:
    rows = _rows(totals)
    ks = shown_ks({p.k for domain in rows for p in totals.pass_hat(domain)})
    curves = [{p.k: p for p in totals.pass_hat(domain)} for domain in rows]
    counts = [totals.outcomes(domain) for domain in rows]
    outcomes = [key for key in OUTCOMES if totals.outcomes()[key] or key in ("missed", "infra_error")]
    scores = [score for score in SCORES if score.column and measure(totals, score) is not None]
    warned = [WARNING if without_verdict(totals, domain) else "" for domain in rows]
    return [
        _TableColumn("domain", [domain or "all" for domain in rows]),
        _TableColumn("tasks", [str(totals.tasks_of(domain)) for domain in rows], rank=6),
        _TableColumn("trials", [_trials(totals, domain) + mark for domain, mark in zip(rows, warned, strict=True)]),
        *(
            _TableColumn(
                f"pass^{k}",
                [_pass(curve.get(k), totals, domain) for curve, domain in zip(curves, rows, strict=True)],
                rank=0 if k in (ks[0], ks[-1]) else 9,
            )
            for k in ks
        ),
        *(
            _TableColumn(
                score.column,
                [score_cell(measure(totals, score, domain)) for domain in rows],
                rank=0 if score is UNDER_POLICY else 8,
            )
            for score in scores
        ),
        *(
            _TableColumn(OUTCOMES[key], [str(each[key]) for each in counts], rank=_rank_of(key, totals))
            for key in outcomes
        ),
        _TableColumn("steps", [_steps(totals.mean_steps(domain)) for domain in rows], rank=7),
        _TableColumn("cost", [money(totals.cost(domain)) for domain in rows]),
    ]


def _rows(totals: Totals) -> list[str | None]:
    """The rows of the table; several agents are no whole: each has a row in a table of its own (reports/agents.py)."""
    domains = totals.domains()
    return [*domains, None] if len(domains) > 1 and totals.is_whole else list(domains)


def _rank_of(outcome: str, totals: Totals) -> int:
    return 1 if outcome == "missed" else 5 if not totals.outcomes()[outcome] else 2


def left_out_lines(totals: Totals) -> list[str]:
    """What stood in the columns for which the table has no room, but for counts that are 0."""
    rows = [row or "all" for row in _rows(totals.without_variants())]
    lines = []
    for column in laid_out(totals)[1]:
        told = [cell if len(rows) == 1 else f"{row} {cell}" for row, cell in zip(rows, column.cells, strict=True)]
        if any(cell != "0" for cell in column.cells):
            lines.append(f"{column.head}: {', '.join(told)}")
    return lines


def shown_ks(ks: Iterable[int]) -> list[int]:
    """All of a few; of many those that double and the last, or no screen would be wide enough."""
    known = sorted(ks)
    return known if len(known) <= MOST else [k for k in known if k & (k - 1) == 0 or k == known[-1]]


def without_verdict(totals: Totals, domain: str | None = None) -> dict[str, int]:
    """How many trials are without a verdict on the agent, by what became of them; those that wait for a judge aside."""
    counts = totals.outcomes(domain)
    missing = {OUTCOMES[key]: counts[key] for key in ("infra_error", "invalid", "error") if counts[key]}
    if not_run := totals.planned(domain) - totals.done(domain):
        missing["not run"] = not_run
    return missing


def most_first(counts: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent first, and equal ones by name: in which order they came is chance."""
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def task_table(totals: Totals) -> list[str]:
    """One row a task: how many of its trials passed, and what became of the others."""
    table = [["task", "passed", "", *[PROGRESS.column] * _has_progress(totals), "steps", "cost"]]
    for (domain, task_id), task in totals.tasks.items():
        others = ", ".join(count_of(n, OUTCOMES[key]) for key in OUTCOMES if (n := task.outcomes[key]))
        steps = _steps(task.steps / task.played if task.played else None)
        values = task.measured.get(PROGRESS.name)
        progress = [percent(mean(values)) if values else "–"] * _has_progress(totals)
        row = [f"{domain}/{task_id}", f"{task.passed}/{task.to_play}", others, *progress, steps, money(task.cost)]
        table.append(row)
    return align_table(table)


def _has_progress(totals: Totals) -> bool:
    return any(task.measured.get(PROGRESS.name) for task in totals.of())


def money(value: float | None) -> str:
    """USD, or "unknown"; what is not nothing does not look like it."""
    return "unknown" if value is None else dollars(value)


def duration(seconds: float) -> str:
    """Seconds in the unit one would say them in."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _trials(totals: Totals, domain: str | None) -> str:
    done, planned = totals.done(domain), totals.planned(domain)
    return str(done) if done == planned else f"{done} of {planned}"


def _pass(estimate: PassK | None, totals: Totals, domain: str | None) -> str:
    if estimate is None:
        return "–"
    over = "" if estimate.tasks == totals.tasks_of(domain) else f" over {estimate.tasks}"
    interval = "" if totals.spared() else f" [{100 * estimate.low:.0f}–{100 * estimate.high:.0f}]"
    return f"{percent(estimate.value)}{interval}{over}"


def score_cell(found: Measured | None) -> str:
    """A score as one number, or as its two ends."""
    if found is None:
        return "–"
    return percent(found.value) if found.least is None else f"{100 * found.least.value:.1f}–{percent(found.value)}"


def _steps(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def align_table(table: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table that also lines up as plain text; numbers stand to the right."""
    cells = [[one_line(cell.replace("|", "\\|")) for cell in row] for row in table]
    widths = [max(3, *map(columns_of, column)) for column in zip(*cells, strict=True)]
    rule = [":" + "-" * (widths[0] - 1), *("-" * (width - 1) + ":" for width in widths[1:])]
    first, *rest = [_row(row, widths) for row in cells]
    return [first, _row(rule, widths), *rest]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    spaces = [padding(cell, width) for cell, width in zip(cells, widths, strict=True)]
    rest = [f"{space}{cell}" for space, cell in zip(spaces[1:], cells[1:], strict=True)]
    return f"| {' | '.join([cells[0] + spaces[0], *rest])} |"
