"""The tables at the end of a run, as lines of text that can be pasted into a pull request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import mean

from ..metrics.progress import PROGRESS
from ..metrics.score import Measured
from ..metrics.scores import SCORES, measured
from ..metrics.totals import PassK, TaskTotals, Totals
from ..metrics.variance import customers
from ..printable import counted
from .incidents import incident_lines
from .long_episodes import effort_lines, episode_lines

LISTED = 20
_OUTCOMES = {
    "missed": "missed",
    "infra_error": "infra",
    "invalid": "invalid",
    "error": "errors",
    "ungraded": "ungraded",
}

_MOST = 8
WARNING = " (!)"


def summary_table(totals: Totals) -> list[str]:
    """One row a domain (and one for all, where there are several): the pass^k curve, its interval, counts and costs."""
    totals = totals.unperturbed()
    domains = totals.domains()
    # Several agents are no whole: of one run each has a row in a table of its own (reports/agents.py).
    rows: list[str | None] = [*domains, None] if len(domains) > 1 and totals.is_whole else list(domains)
    ks = shown_ks({p.k for domain in rows for p in totals.pass_hat(domain)})
    outcomes = [key for key in _OUTCOMES if totals.outcomes()[key] or key in ("missed", "infra_error")]
    columns = [score for score in SCORES if score.column and measured(totals, score) is not None]
    heads = ["domain", "tasks", "trials", *(f"pass^{k}" for k in ks), *(score.column for score in columns)]
    table = [[*heads, *(_OUTCOMES[key] for key in outcomes), "steps", "cost"]]
    for domain in rows:
        curve = {p.k: p for p in totals.pass_hat(domain)}
        counts = totals.outcomes(domain)
        table.append(
            [
                domain or "all",
                str(totals.tasks_of(domain)),
                _trials(totals, domain) + (WARNING if without_verdict(totals, domain) else ""),
                *(_pass(curve.get(k), totals, domain) for k in ks),
                *(_score(measured(totals, score, domain)) for score in columns),
                *(str(counts[key]) for key in outcomes),
                _steps(totals.mean_steps(domain)),
                money(totals.cost(domain)),
            ]
        )
    return aligned(table)


def shown_ks(ks: Iterable[int]) -> list[int]:
    """All of a few; of many those that double and the last, or no screen would be wide enough."""
    known = sorted(ks)
    return known if len(known) <= _MOST else [k for k in known if k & (k - 1) == 0 or k == known[-1]]


def notes(totals: Totals) -> list[str]:
    """What one has to know to read the table: what the brackets are, and what the denominators leave out."""
    lines = ["[ ]: 95 % interval for tasks like these; steps and cost: mean per trial, and in all."]
    if totals.spared():
        lines[0] = "Estimates of a run that was stopped, without intervals; steps and cost: mean per trial, and in all."
    if not totals.pass_hat():
        lines[0] = "No trial has a verdict, so there is no pass^k."
    counts = totals.outcomes()
    plain, told = totals.unperturbed(), _scope(totals)
    if not totals.is_whole and not totals.labels:
        who = "; ".join(f"{', '.join(sorted(agents))} played {row}" for row, agents in plain.players.items())
        lines.append(f"Different agents, so no row for all: {who}.")
    for row in plain.domains():
        if len(several := sorted(plain.players.get(row, ()))) > 1:
            lines.append(f"{WARNING.strip()} The row {row} mixes trials of several agents: {', '.join(several)}.")
    left_out = without_verdict(plain)
    if left_out:
        what = ", ".join(counted(number, name) for name, number in left_out.items())
        lines.append(f"{WARNING.strip()} The table leaves out {what}; had they all missed … passed: {_bounds(plain)}.")
    if more := Counter(without_verdict(totals)) - Counter(left_out):
        what = ", ".join(counted(number, name) for name, number in more.items())
        lines.append(f"The numbers of the variants leave out {what}.")
    if spared := totals.spared():
        lines.append(
            f"{spared} of {totals.planned() + spared} trials were not played: every gate is decided (--tau-stop)."
        )
    if split := customers([list(task.customers.values()) for task in plain.of()]):
        lines.append(
            f"Variance of a trial: {split.task:.3f} task, {split.customer:.3f} customer, {split.agent:.3f} agent. "
            f"Other customers alone can move pass^1 of such a run by {100 * split.floor:.1f} points (95 %)."
        )
    if replays := totals.replays():
        of = totals.planned()
        lines.append(
            f"{counted(replays, 'replays')}: trials without a verdict that were played again, "
            f"{percent(replays / of)} of {of}; costs include what is known of these. "
            "A gate can limit them (replays <= 2 %)."
        )
    if totals.faults:
        faults = (f"{n} {name.replace('_', ' ')}" for name, n in _most_first(totals.faults))
        lines.append(f"Faults{told}: {', '.join(faults)}")
    lines += incident_lines(totals)
    if totals.unexplained:
        misses = "1 miss" if totals.unexplained == 1 else f"{totals.unexplained} misses"
        lines.append(f"{misses} without an explanation: the judge's provider failed, or the judge said nothing.")
    if totals.unclear:
        writes, trials = counted(sum(totals.unclear), "writes"), counted(len(totals.unclear), "trials")
        lines.append(f"Agreement unclear before {writes} in {trials}; a judge would decide (--tau-judge-llm).")
    if totals.unread:
        lines.append(f"Unclear in {counted(totals.unread, 'trials')} whether the reason was given; it counts as given.")
    if counts["ungraded"]:
        trials = "trial waits" if counts["ungraded"] == 1 else "trials wait"
        lines.append(f"{counts['ungraded']} {trials} for a judge (NL_ASSERTION): neither passed nor missed.")
    unheard = sum((task.unheard for task in totals.of()), Counter[str]())
    lines += [
        f"{counted(number, 'trials')} could not be judged: {why}." for why, number in _most_first(unheard)[:_MOST]
    ]
    lines += [f"{number} trial{'s' * (number > 1)} not run: {why}." for why, number in totals.not_run.items()]
    costs = totals.costs()
    # Else the column is the agent's alone, or all that is known: a trial that broke off took its costs with it.
    if (costs.user, costs.judge) not in ((0.0, 0.0), (None, None)):
        parts = [f"agent {money(costs.agent)}", f"user {money(costs.user)}"]
        parts += [f"judge {money(costs.judge)}"] if costs.judge != 0.0 else []  # 0 where there was none
        lines.append(f"Cost{told}: {', '.join(parts)}.")
    lines += [*effort_lines(plain), *episode_lines(plain)]
    lines += [line for domain in plain.domains() for line in _retrieval(plain, domain)]
    lines += [line for domain in totals.domains() for line in _user_audit(totals, domain)]
    return lines + [line for domain in plain.domains() for line in _task_audit(plain, domain)]


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


def _task_audit(totals: Totals, domain: str) -> Iterator[str]:
    """What a domain's grades are worth, as far as its tasks were audited."""
    audits = {task_id: task.audit for (name, task_id), task in totals.tasks.items() if name == domain and task.audit}
    if not audits:
        return
    trivial = sum(bool(audit["trivial"]) for audit in audits.values())
    if all(audit.get("floor_only") for audit in audits.values()):
        name = f"trivial floor, {domain}" if len(totals.domains()) > 1 else "trivial floor"
        passed = f"{counted(len(audits), 'tasks')} {'is' if len(audits) == 1 else 'are'} passed"
        what = f"{trivial} of {passed} by an agent that solves nothing"
        yield f"{name}: {percent(trivial / len(audits))} ({what})."
        return
    made, noticed = (sum(audit[name] for audit in audits.values()) for name in ("mutants", "noticed"))
    name = f"audit, {domain}" if len(totals.domains()) > 1 else "audit"
    score = f"mutation score {percent(noticed / made)} ({noticed} of {made})" if made else "no mutants"
    floor = f"trivial floor {percent(trivial / len(audits))} ({trivial} of {counted(len(audits), 'tasks')})"
    found = [f"{task_id}: {finding}" for task_id, audit in audits.items() for finding in audit["findings"]]
    yield f"{name}: {floor}; {score}; {counted(len(found), 'findings')}."
    shown = [audit["pictures"] for audit in audits.values() if audit.get("pictures") is not None]
    if shown:
        ways = {"send": "seeing", "alt": "told", "drop": "blind"}
        counts = ", ".join(f"{text} {sum(how in passed for passed in shown)}" for how, text in ways.items())
        yield f"pictures of {counted(len(shown), 'tasks')}: the oracle passes {counts}."
    yield from found[:LISTED]
    if len(found) > LISTED:
        yield f"… and {len(found) - LISTED} more, which pytest-tau audit lists."


def _retrieval(totals: Totals, domain: str) -> Iterator[str]:
    """How well the agent searched a domain's documents, if it had to."""
    recalls = [recall for task in totals.of(domain) for recall in task.recalls]
    precisions = [precision for task in totals.of(domain) for precision in task.precisions]
    if recalls:
        name = f"retrieval, {domain}" if len(totals.domains()) > 1 else "retrieval"
        found = f"{percent(mean(precisions))} of what was found was required" if precisions else "nothing was found"
        yield (
            f"{name}: {percent(mean(recalls))} of the required documents found (recall), {found} (precision); "
            f"mean of {counted(len(recalls), 'trials')}."
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
        others = ", ".join(counted(n, _OUTCOMES[key]) for key in _OUTCOMES if (n := task.outcomes[key]))
        steps = _steps(task.steps / task.done if task.done else None)
        values = task.measured.get(PROGRESS.name)
        progress = [percent(mean(values)) if values else "–"] * _has_progress(totals)
        row = [f"{domain}/{task_id}", f"{task.passed}/{_of(task)}", others, *progress, steps, money(task.cost)]
        table.append(row)
    return aligned(table)


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


def _score(found: Measured | None) -> str:
    return "–" if found is None else percent(found.value)


def _of(task: TaskTotals) -> int:
    return max(task.planned, task.done)


def _steps(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def aligned(table: Sequence[Sequence[str]]) -> list[str]:
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
