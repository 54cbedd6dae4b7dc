"""The tables at the end of a run, as lines of text that can be pasted into a pull request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import mean

from ..metrics.memorisation import memorisation_gaps
from ..metrics.policy import UNDER_POLICY
from ..metrics.progress import PROGRESS
from ..metrics.score import Measured
from ..metrics.scores import SCORES, measure
from ..metrics.totals import PassK, TaskTotals, Totals
from ..metrics.variance import customers
from ..printable import count_of
from .incidents import incident_lines
from .long_episodes import effort_lines, episode_lines
from .task_worth import worth_lines

_OUTCOMES = {
    "missed": "missed",
    "infra_error": "infra",
    "invalid": "invalid",
    "error": "errors",
    "ungraded": "ungraded",
}

_MOST = 8
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
        return max(3, *(len(cell) for cell in (self.head, *self.cells))) + 3


def summary_table(totals: Totals) -> list[str]:
    """One row a domain (and one for all, where there are several): pass^k, its interval, counts and costs.

    It is :data:`WIDTH` wide at most, as one pastes it into a pull request: the columns that say least give way, and
    :func:`notes` tells what stood in them.
    """
    shown, _ = _laid_out(totals)
    rows = zip(*([column.head, *column.cells] for column in shown), strict=True)
    return align_table([list(row) for row in rows])


def _laid_out(totals: Totals) -> tuple[list[_TableColumn], list[_TableColumn]]:
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
    outcomes = [key for key in _OUTCOMES if totals.outcomes()[key] or key in ("missed", "infra_error")]
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
            _TableColumn(_OUTCOMES[key], [str(each[key]) for each in counts], rank=_rank_of(key, totals))
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
    for column in _laid_out(totals)[1]:
        told = [cell if len(rows) == 1 else f"{row} {cell}" for row, cell in zip(rows, column.cells, strict=True)]
        if any(cell != "0" for cell in column.cells):
            lines.append(f"{column.head}: {', '.join(told)}")
    return lines


def shown_ks(ks: Iterable[int]) -> list[int]:
    """All of a few; of many those that double and the last, or no screen would be wide enough."""
    known = sorted(ks)
    return known if len(known) <= _MOST else [k for k in known if k & (k - 1) == 0 or k == known[-1]]


_OF_THE_ORACLE = (
    "Under policy: the oracle makes the tasks' recorded calls and no others. Where these leave out what the policy "
    "demands, such as finding out who calls, it breaks that rule; this says nothing of an agent."
)


def notes(totals: Totals) -> list[str]:
    """What one has to know to read the table: what the brackets are, and what the denominators leave out."""
    return [line for _, line in _notes(totals)]


def first_notes(totals: Totals) -> list[str]:
    """Of the notes those without which the table would mislead; the others are for who wants to know more."""
    return [line for first, line in _notes(totals) if first]


def _notes(totals: Totals) -> Iterator[tuple[bool, str]]:
    """Each note, and whether the table would mislead without it."""
    brackets = "[ ]: 95 % interval for tasks like these; steps and cost: mean per trial, and in all."
    if totals.spared():
        brackets = "Estimates of a run that was stopped, without intervals; steps and cost: mean per trial, and in all."
    if not totals.pass_hat():
        brackets = "No trial has a verdict, so there is no pass^k."
    yield True, brackets
    yield from ((line.partition(":")[0] in _OUTCOMES.values(), line) for line in left_out_lines(totals))
    counts = totals.outcomes()
    plain, told = totals.without_variants(), _scope(totals)
    if not totals.is_whole and not totals.labels:
        who = "; ".join(f"{', '.join(sorted(agents))} played {row}" for row, agents in plain.players.items())
        yield True, f"Different agents, so no row for all: {who}."
    for row in plain.domains():
        if len(several := sorted(plain.players.get(row, ()))) > 1:
            yield True, f"{WARNING.strip()} The row {row} mixes trials of several agents: {', '.join(several)}."
    kept = measure(plain, UNDER_POLICY)
    if totals.agents == {"oracle"} and kept is not None and kept.value < 1:
        yield True, _OF_THE_ORACLE
    left_out = without_verdict(plain)
    if left_out:
        what = ", ".join(count_of(number, name) for name, number in left_out.items())
        yield True, f"{WARNING.strip()} The table leaves out {what}; had they all missed … passed: {_bounds(plain)}."
    if more := Counter(without_verdict(totals)) - Counter(left_out):
        what = ", ".join(count_of(number, name) for name, number in more.items())
        yield True, f"The numbers of the variants leave out {what}."
    if spared := totals.spared():
        of = totals.planned() + spared
        yield True, f"{spared} of {of} trials were not played: every gate is decided (--tau-stop)."
    if split := customers([list(task.customers.values()) for task in plain.of()]):
        yield (
            True,
            f"Variance of a trial: {split.task:.3f} task, {split.customer:.3f} customer, {split.agent:.3f} agent. "
            f"Other customers alone can move pass^1 of such a run by {100 * split.floor:.1f} points (95 %).",
        )
    yield from ((True, line) for line in memorisation_lines(totals))
    if replays := totals.replays():
        of = totals.planned()
        yield (
            True,
            f"{count_of(replays, 'replays')}: trials without a verdict that were played again, "
            f"{percent(replays / of)} of {of}; costs include what is known of these. "
            "A gate can limit them (replays <= 2 %).",
        )
    if totals.faults:
        faults = (f"{n} {name.replace('_', ' ')}" for name, n in _most_first(totals.faults))
        yield True, f"Faults{told}: {', '.join(faults)}"
    yield from ((True, line) for line in incident_lines(totals))
    if totals.unexplained:
        misses = "1 miss" if totals.unexplained == 1 else f"{totals.unexplained} misses"
        yield True, f"{misses} without an explanation: the judge's provider failed, or the judge said nothing."
    if totals.unreviewed:
        trials = count_of(totals.unreviewed, "trials")
        yield True, f"The judge's provider failed on {trials}: what is unclear in them stays so."
    yield from ((True, line) for line in _about_the_range(plain))
    if totals.unclear:
        writes, trials = count_of(sum(totals.unclear), "writes"), count_of(len(totals.unclear), "trials")
        yield True, f"Agreement unclear before {writes} in {trials}; a judge would decide (--tau-judge-llm)."
    if totals.unread:
        yield (
            True,
            f"Unclear in {count_of(totals.unread, 'trials')} whether the reason was given; it counts as given.",
        )
    if counts["ungraded"]:
        trials = "trial waits" if counts["ungraded"] == 1 else "trials wait"
        yield True, f"{counts['ungraded']} {trials} for a judge (NL_ASSERTION): neither passed nor missed."
    unheard = sum((task.unheard for task in totals.of()), Counter[str]())
    for why, number in _most_first(unheard)[:_MOST]:
        yield True, f"{count_of(number, 'trials')} could not be judged: {why}."
    for why, number in totals.not_run.items():
        yield True, f"{number} trial{'s' * (number > 1)} not run: {why}."
    costs = totals.costs()
    # Else the column is the agent's alone, or all that is known: a trial that broke off took its costs with it.
    if (costs.user, costs.judge) not in ((0.0, 0.0), (None, None)):
        parts = [f"agent {money(costs.agent)}", f"user {money(costs.user)}"]
        parts += [f"judge {money(costs.judge)}"] if costs.judge != 0.0 else []  # 0 where there was none
        yield False, f"Cost{told}: {', '.join(parts)}."
    yield from ((line.startswith("Satisfaction"), line) for line in effort_lines(plain))
    yield from ((False, line) for line in episode_lines(plain))
    yield from ((True, line) for domain in plain.domains() for line in _retrieval(plain, domain))
    broke = any(task.suspect or task.unjudged or task.reruns for task in totals.of())
    yield from ((broke, line) for domain in totals.domains() for line in _user_audit(totals, domain))
    yield from ((is_asked, line) for domain in plain.domains() for is_asked, line in worth_lines(plain, domain))


def memorisation_lines(totals: Totals) -> Iterator[str]:
    """How much of pass^k an agent loses under other values of the policy, for each ghost that was played."""
    for gap in memorisation_gaps(totals):
        (low, high), found = gap.interval, gap.found
        yield (
            f"Memorisation gap, {gap.row} − {gap.ghost}: {100 * gap.value:+.1f} points [{100 * low:+.1f}, "
            f"{100 * high:+.1f}] of pass^{found.k} ({percent(found.before)} − {percent(found.after)}), paired over "
            f"{count_of(found.tasks, 'tasks')}; above 0 where the agent goes by the policy it has learnt before."
        )


def _about_the_range(totals: Totals) -> Iterator[str]:
    """What the ends of *under policy* are, and whether it has the judge's errors in it."""
    found = measure(totals, UNDER_POLICY)
    if found is not None and found.least is not None:
        yield f"under policy {score_cell(found)}: all that is unclear counted as a breach … as none."
    trials = [one for task in totals.of() for one in task.measured.get(UNDER_POLICY.name, ())]
    if read := sum(one.read for one in trials):
        how = "its errors are taken out, as its passport has them"
        how = how if totals.judge is not None else "its errors are not taken out: it has no passport that holds"
        yield f"A judge read {count_of(read, 'trials')}: {how}."


def without_verdict(totals: Totals, domain: str | None = None) -> dict[str, int]:
    """How many trials are without a verdict on the agent, by what became of them; those that wait for a judge aside."""
    counts = totals.outcomes(domain)
    missing = {_OUTCOMES[key]: counts[key] for key in ("infra_error", "invalid", "error") if counts[key]}
    if not_run := totals.planned(domain) - totals.done(domain):
        missing["not run"] = not_run
    return missing


def _scope(totals: Totals) -> str:
    """Which trials a count is of, where these are not those of one row of the table."""
    of = [*["all agents"] * bool(totals.labels), *["with the variants"] * bool(totals.variants)]
    return f" ({', '.join(of)})" if of else ""


def _most_first(counts: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent first, and equal ones by name: in which order they came is chance."""
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def _bounds(plain: Totals) -> str:
    """pass^k over all tasks, at least and at most: where all missing trials have missed, and where all have passed."""
    low, high = ({p.k: p.value for p in plain.pass_hat(missing=each)} for each in ("miss", "pass"))
    return "  ".join(f"pass^{k} {100 * low[k]:.1f} … {percent(high[k])}" for k in shown_ks(low)) or "nothing"


def _retrieval(totals: Totals, domain: str) -> Iterator[str]:
    """How well the agent searched a domain's documents, if it had to."""
    recalls = [recall for task in totals.of(domain) for recall in task.recalls]
    precisions = [precision for task in totals.of(domain) for precision in task.precisions]
    if recalls:
        name = f"retrieval, {domain}" if len(totals.domains()) > 1 else "retrieval"
        found = f"{percent(mean(precisions))} of what was found was required" if precisions else "nothing was found"
        yield (
            f"{name}: {percent(mean(recalls))} of the required documents found (recall), {found} (precision); "
            f"mean of {count_of(len(recalls), 'trials')}."
        )


def _user_audit(totals: Totals, domain: str) -> Iterator[str]:
    """What the user audit found in a domain's conversations, if it looked at any."""
    tasks = totals.of(domain)
    audited, suspect, reruns = (sum(getattr(t, name) for t in tasks) for name in ("audited", "suspect", "reruns"))
    if audited:
        name = f"user audit, {domain}" if len(totals.domains()) > 1 else "user audit"
        rules = ", ".join(f"{rule} {n}" for rule, n in _most_first(sum((t.broken for t in tasks), Counter())))
        again = f"; played again {reruns} time{'s' * (reruns > 1)}" if reruns else ""
        yield f"{name}: the customer broke rules in {suspect} of {audited} simulations{rules and f' ({rules})'}{again}."
        if invalid := totals.outcomes(domain)["invalid"]:
            lost = (
                "1 trial was lost by the customer and says"
                if invalid == 1
                else f"{invalid} trials were lost by the customer and say"
            )
            yield f"{name}: {lost} nothing about the agent (--tau-invalid)."
        if unjudged := sum(task.unjudged for task in tasks):
            yield f"{name}: the judge's provider failed on {unjudged} of them, which only the rules have looked at."


def task_table(totals: Totals) -> list[str]:
    """One row a task: how many of its trials passed, and what became of the others."""
    table = [["task", "passed", "", *[PROGRESS.column] * _has_progress(totals), "steps", "cost"]]
    for (domain, task_id), task in totals.tasks.items():
        others = ", ".join(count_of(n, _OUTCOMES[key]) for key in _OUTCOMES if (n := task.outcomes[key]))
        steps = _steps(task.steps / task.done if task.done else None)
        values = task.measured.get(PROGRESS.name)
        progress = [percent(mean(values)) if values else "–"] * _has_progress(totals)
        row = [f"{domain}/{task_id}", f"{task.passed}/{_of(task)}", others, *progress, steps, money(task.cost)]
        table.append(row)
    return align_table(table)


def _has_progress(totals: Totals) -> bool:
    return any(task.measured.get(PROGRESS.name) for task in totals.of())


def percent(value: float) -> str:
    """A proportion as a percentage with one decimal."""
    return f"{100 * value:.1f} %"


def money(value: float | None) -> str:
    """USD, or "unknown"."""
    return "unknown" if value is None else f"${value:.2f}"


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
    over = "" if estimate.tasks == len(totals.of(domain)) else f" over {estimate.tasks}"
    interval = "" if totals.spared() else f" [{100 * estimate.low:.0f}–{100 * estimate.high:.0f}]"
    return f"{percent(estimate.value)}{interval}{over}"


def score_cell(found: Measured | None) -> str:
    """A score as one number, or as its two ends."""
    if found is None:
        return "–"
    return percent(found.value) if found.least is None else f"{100 * found.least.value:.1f}–{percent(found.value)}"


def _of(task: TaskTotals) -> int:
    return max(task.planned, task.done)


def _steps(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def align_table(table: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table that also lines up as plain text; numbers stand to the right."""
    cells = [[" ".join(cell.replace("|", "\\|").splitlines()) for cell in row] for row in table]
    widths = [max(3, *(len(cell) for cell in column)) for column in zip(*cells, strict=True)]
    rule = [":" + "-" * (widths[0] - 1), *("-" * (width - 1) + ":" for width in widths[1:])]
    first, *rest = [_row(row, widths) for row in cells]
    return [first, _row(rule, widths), *rest]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = [
        cell.ljust(width) if position == 0 else cell.rjust(width)
        for position, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return f"| {' | '.join([first, *rest])} |"
