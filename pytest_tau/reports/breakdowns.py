"""What stands beside the pass^k table: pass@k, how tasks, trials and runs scatter, and pass^k by groups of tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

from ..metrics.breakdown import Group, groups, noise_floor, pass_at_k, spread, trial_rates, writes_label
from ..metrics.intervals import mean_interval, these_tasks_interval
from ..metrics.pass_k import g_pass, pass_hat_k
from ..metrics.totals import Totals
from ..metrics.variance import components
from ..metrics.wording import percent
from ..printable import cut
from .terminal import align_table

if TYPE_CHECKING:
    from ..schema.record import TrialRecord
    from ..schema.task import Task

TaskKey = tuple[str, str]
_Verdicts = dict[TaskKey, dict[int, dict[str, bool]]]  # by the trial's number and, of several tests, its node ID

_SHARES = (0.5, 0.75)  # τ of G-Pass@k; 1 is pass^k


def scatter(totals: Totals) -> list[str]:
    """pass@k, G-Pass@k, both estimands, how unequal the tasks are, and by how much two runs like this differ.

    Several agents are no whole: each has lines of its own.
    """
    if each := totals.by_agent():
        return [f"{name}: {line}" for name, part in each.items() for line in scatter(part)]
    totals = totals.without_variants()
    pairs = [(task.passed, task.graded) for task in totals.of() if task.graded]
    most = max((trials for _, trials in pairs), default=0)
    lines = []
    if most > 1:
        curve = ((k, totals.of_each_task(partial(pass_at_k, k=k), least=k)) for k in range(1, most + 1))
        lines.append("  ".join(f"pass@{k} {percent(fmean(found.values()))}" for k, found in curve))
        shares = ((s, totals.of_each_task(partial(g_pass, k=most, share=s), least=most)) for s in _SHARES)
        lines.append("  ".join(f"G-Pass@{most}_{s} {percent(fmean(found.values()))}" for s, found in shares))
    rates = [*totals.of_each_task(partial(pass_hat_k, k=1)).values()]
    lines += _estimands(totals, pairs, rates)
    if (tasks := spread(rates)) and tasks.count > 1:
        quartiles = " / ".join(percent(value) for value in (tasks.quartile1, tasks.median, tasks.quartile3))
        lines.append(f"tasks' pass rates: standard deviation {100 * tasks.deviation:.1f} points, quartiles {quartiles}")
    if (split := components(pairs)) is not None:
        icc = "unknown, as nothing varies" if split.icc is None else f"{split.icc:.2f}"
        parts = f"{split.between:.3f} between tasks, {split.within:.3f} within a task"
        lines.append(f"variance of a trial: {parts}; ICC (the share between tasks) {icc}")
        lines.append(f"outcome consistency: two trials of a task end alike in {percent(split.consistency)} of cases")
    if floor := noise_floor(pairs, most):  # of tasks that all pass, or all miss, it says nothing
        lines.append(f"noise floor: pass^1 of two runs of the same agent differs by up to {100 * floor:.1f} points")
    return lines


def _estimands(totals: Totals, pairs: list[tuple[int, int]], rates: list[float]) -> list[str]:
    """pass^1 as an answer to both questions; an interval of a run that was stopped would be of another design."""
    if (these := these_tasks_interval(pairs)) is None or totals.spared():
        return []
    said = (
        f"{name} [{100 * one.low:.1f}–{100 * one.high:.1f}]"
        for name, one in (("tasks like these", mean_interval(rates)), ("these tasks, played for ever", these))
    )
    return [f"pass^1, 95 % interval: {', '.join(said)}"]


def trial_spread(records: Iterable[TrialRecord]) -> list[str]:
    """The pass rate of all first trials, all second trials …, as if each were a run of its own; of each agent."""
    agents: dict[str | None, _Verdicts] = {}
    for record in records:
        if record.outcome in ("passed", "missed") and record.variant is None:
            verdicts = agents.setdefault(record.label, {}).setdefault((record.domain, record.task_id), {})
            verdicts.setdefault(record.trial, {})[record.nodeid] = record.outcome == "passed"
    return [f"{name}: {line}" if name else line for name, own in agents.items() for line in _trial_spread(own)]


def _trial_spread(verdicts: _Verdicts) -> list[str]:
    numbers = sorted({number for trials in verdicts.values() for number in trials})
    rates = trial_rates(
        [fmean(trials[number].values()) if number in trials else None for number in numbers]
        for trials in verdicts.values()
    )
    found = spread(rates)
    if found is None or found.count < 2:
        return []
    shown = ", ".join(percent(rate) for rate in rates)
    return [f"pass rate of each trial over the tasks: {shown}; standard deviation {100 * found.deviation:.1f} points"]


def group_table(totals: Totals, tasks: Mapping[TaskKey, Task], writes: Callable[[str, str], bool]) -> list[str]:
    """pass^1 by intent, number of gold writes, persona and tag, one row a group; empty where there are no groups.

    Several agents are no whole: each has rows of its own.

    Args:
        totals: the run's totals.
        tasks: the tasks by domain and id.
        writes: whether a domain's tool of this name writes.
    """
    each = totals.by_agent() or {"": totals}
    rows = [
        [
            f"{name}: {group.label}" if name else group.label,
            str(group.tasks),
            percent(group.value)
            + f" [{100 * group.interval.low:.0f}–{100 * group.interval.high:.0f}]" * (not totals.spared()),
        ]
        for name, part in each.items()
        for group in sorted(_groups(part.without_variants(), tasks, writes), key=lambda group: group.label)
    ]
    return align_table([["group", "tasks", "pass^1"], *rows]) if rows else []


def _groups(totals: Totals, tasks: Mapping[TaskKey, Task], writes: Callable[[str, str], bool]) -> list[Group]:
    rates = totals.of_each_task(partial(pass_hat_k, k=1))
    return groups((_labels(key[0], tasks[key], writes), rate) for key, rate in rates.items() if key in tasks)


def _labels(domain: str, task: Task, writes: Callable[[str, str], bool]) -> Iterator[str]:
    gold = [action for action in task.gold_actions if writes(domain, action.name)]
    yield f"gold path: {writes_label(len(gold))}"
    # Task files have no field for what the customer is after; what the agent is to change says it.
    intents = {action.name for action in gold if action.requestor == "assistant"}
    yield from (f"intent: {name}" for name in intents or ["nothing for the agent to change"])
    if persona := task.user_scenario.persona:
        yield f"persona: {cut(' '.join(persona.split()), 60, ' …')}"
    yield from (f"tag: {tag}" for tag in task.tags)
