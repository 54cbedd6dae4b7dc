"""The safety numbers of a run, in a table of their own: attacks and twins by category, then all trials together.

As in gates, they are about tasks as they are, and not as they were told, shown or ruled otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..metrics.intervals import pass_k_interval
from ..metrics.pass_k import mean_pass_hat_k
from ..metrics.safety import (
    BEHAVIOUR,
    RISK,
    SEVERITY,
    Behaviour,
    attack_success,
    mean_severity,
    rate,
    risk_ratios,
    safety_score,
)
from ..metrics.totals import Totals
from ..metrics.wording import percent
from ..printable import count_of
from .terminal import align_table

ALARM = "SEVERITY 1"
"""What a line begins with about a violation that fails a run."""
Tasks = Sequence[Sequence[Behaviour]]
_NONE = "–"


def safety_table(totals: Totals) -> list[str]:
    """The rows as lines of text."""
    rows = safety_rows(totals)
    return align_table(rows) if rows else []


def safety_rows(totals: Totals) -> list[list[str]]:
    """A row for each category and one for all, below the headings; empty where no task is about safety."""
    tasks = _behaviours(totals.without_variants())
    about = [task for task in tasks if task[0].category]
    if not about:
        return []
    most = max(len(task) for task in about)
    heads = ["category", "attacks", "ASR", *([f"ASR@{most}"] if most > 1 else []), "twins", "over-refusal", "CR", "CuP"]
    rows = [_row(name, [task for task in about if task[0].category == name], most) for name in _categories(about)]
    return [heads, *rows, _row("all", about, most)]


def safety_lines(totals: Totals) -> list[str]:
    """The table, and what there is to say of all trials beside it; empty where the run has no task about safety."""
    table = safety_table(totals)
    return [*table, *safety_notes(totals)] if table else []


def safety_notes(totals: Totals) -> list[str]:
    """CuP^k with its interval, severity, the safety score, attacks by strength, risk by dimension."""
    totals = totals.without_variants()
    tasks = [task for task in _behaviours(totals) if task[0].category]
    return [*_under_policy(tasks), *_severity(totals), *_strengths(tasks), *_risks(totals)]


def _behaviours(totals: Totals) -> list[list[Behaviour]]:
    return [values for task in totals.tasks.values() if (values := task.measured.get(BEHAVIOUR.name))]


def _categories(tasks: Tasks) -> list[str]:
    return sorted({task[0].category for task in tasks})


def _row(name: str, tasks: Tasks, most: int) -> list[str]:
    attacks, twins = _pairs(tasks, lambda trial: trial.attacked), _pairs(tasks, lambda trial: trial.refused)
    completed, clean = _pairs(tasks, lambda trial: trial.completed), _pairs(tasks, lambda trial: trial.clean)
    sure = _pairs(tasks, lambda trial: trial.sure)
    at_k = [_share(attack_success(attacks, most))] if most > 1 else []
    cells = [str(len(attacks)), _share(rate(attacks)), *at_k, str(len(twins)), _share(rate(twins))]
    return [name, *cells, _share(rate(completed)), _ends(rate(sure), rate(clean))]


def _pairs(tasks: Tasks, of: Callable[[Behaviour], bool | None]) -> list[tuple[int, int]]:
    """(yes, trials) of the tasks to which a question applies."""
    answers = ([answer for trial in task if (answer := of(trial)) is not None] for task in tasks)
    return [(sum(found), len(found)) for found in answers if found]


def _ends(least: float | None, most: float | None) -> str:
    """A rate with what is unclear as a breach, and as none; one number where they are equal."""
    return _share(most) if least is None or most is None or least == most else f"{100 * least:.1f}–{percent(most)}"


def _share(value: float | None) -> str:
    return _NONE if value is None else percent(value)


def _under_policy(tasks: Tasks) -> Iterator[str]:
    most, least = _pairs(tasks, lambda trial: trial.clean), _pairs(tasks, lambda trial: trial.sure)
    shown = []
    for k in range(1, max((trials for _, trials in most), default=0) + 1):
        found, interval = mean_pass_hat_k(most, k), pass_k_interval(most, k)
        lower, below = mean_pass_hat_k(least, k), pass_k_interval(least, k)
        if found is not None and interval is not None and lower is not None and below is not None:
            ends = f"{100 * below.low:.0f}–{100 * interval.high:.0f}"
            shown.append(f"CuP^{k} {_ends(lower[0], found[0])} [{ends}]")
    if shown:
        yield f"done without a violation: {'  '.join(shown)}"


def _severity(totals: Totals) -> Iterator[str]:
    worst = [one for task in totals.of() for one, _ in task.measured.get(SEVERITY.name, ())]
    score, severity = safety_score(worst), mean_severity(worst)
    if score is not None:
        broken = sum(one > 0 for one in worst)
        given = "no trial broke a rule" if severity is None else f"mean severity {severity:.2f} in {broken} of them"
        yield f"safety score {score:.2f} over {count_of(len(worst), 'trials')}: {given}"


def _strengths(tasks: Tasks) -> Iterator[str]:
    attacks = [task for task in tasks if task[0].attacked is not None]
    names = sorted({task[0].strength for task in attacks})
    rates = {
        name: rate(_pairs([t for t in attacks if t[0].strength == name], lambda one: one.attacked)) for name in names
    }
    if rates:
        yield "ASR by strength: " + ", ".join(
            f"{name.replace('_', '-')} {_share(value)}" for name, value in rates.items()
        )


def _risks(totals: Totals) -> Iterator[str]:
    found = risk_ratios(risk for task in totals.of() for risk in task.measured.get(RISK.name, ()))
    if found:
        shown = (f"{name} {broken} of {of} ({percent(broken / of)})" for name, (broken, of) in found.items())
        yield f"risk by dimension, rules broken of those that could have been: {', '.join(shown)}"
