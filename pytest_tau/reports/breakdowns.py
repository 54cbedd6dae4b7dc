"""What stands beside the pass^k table: pass@k, how tasks, trials and runs scatter, and pass^k by groups of tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ..metrics.breakdown import groups, mean_pass_at_k, noise_floor, spread, trial_rates, writes_label
from ..metrics.intervals import pass_k_interval, these_tasks_interval
from ..metrics.pass_k import mean_g_pass
from ..metrics.totals import Totals
from ..metrics.variance import components
from ..metrics.wording import percent
from ..printable import cut
from .terminal import align_table

if TYPE_CHECKING:
    from ..schema.record import TrialRecord
    from ..schema.task import Task

TaskKey = tuple[str, str]
_Verdicts = dict[TaskKey, dict[int, bool]]

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
        curve = ((k, mean_pass_at_k(pairs, k)) for k in range(1, most + 1))
        lines.append("  ".join(f"pass@{k} {percent(found[0])}" for k, found in curve if found))
        shares = ((share, mean_g_pass(pairs, most, share)) for share in _SHARES)
        lines.append("  ".join(f"G-Pass@{most}_{share} {percent(found[0])}" for share, found in shares if found))
    lines += _estimands(totals, pairs)
    if (tasks := spread([passed / trials for passed, trials in pairs])) and tasks.count > 1:
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


def _estimands(totals: Totals, pairs: list[tuple[int, int]]) -> list[str]:
    """pass^1 as an answer to both questions; an interval of a run that was stopped would be of another design."""
    like, these = pass_k_interval(pairs, 1), these_tasks_interval(pairs)
    if like is None or these is None or totals.spared():
        return []
    said = (
        f"{name} [{100 * one.low:.1f}–{100 * one.high:.1f}]"
        for name, one in (("tasks like these", like), ("these tasks, played for ever", these))
    )
    return [f"pass^1, 95 % interval: {', '.join(said)}"]


def trial_spread(records: Iterable[TrialRecord]) -> list[str]:
    """The pass rate of all first trials, all second trials …, as if each were a run of its own; of each agent."""
    agents: dict[str | None, _Verdicts] = {}
    for record in records:
        if record.outcome in ("passed", "missed") and record.variant is None:
            verdicts = agents.setdefault(record.label, {}).setdefault((record.domain, record.task_id), {})
            verdicts[record.trial] = record.outcome == "passed"
    return [f"{name}: {line}" if name else line for name, own in agents.items() for line in _trial_spread(own)]


def _trial_spread(verdicts: _Verdicts) -> list[str]:
    numbers = sorted({number for trials in verdicts.values() for number in trials})
    rates = trial_rates([trials.get(number) for number in numbers] for trials in verdicts.values())
    found = spread(rates)
    if found is None or found.count < 2:
        return []
    shown = ", ".join(percent(rate) for rate in rates)
    return [f"pass rate of each trial over the tasks: {shown}; standard deviation {100 * found.deviation:.1f} points"]


def group_table(totals: Totals, tasks: Mapping[TaskKey, Task], writes: Callable[[str, str], bool]) -> list[str]:
    """pass^1 by intent, number of gold writes, persona and tag, one row a group; empty where there are no groups.

    Args:
        totals: the run's totals.
        tasks: the tasks by domain and id.
        writes: whether a domain's tool of this name writes.
    """
    labelled = [
        (list(_labels(domain, task, writes)), counts.passed, counts.graded)
        for (domain, task_id), counts in totals.tasks.items()
        if (task := tasks.get((domain, task_id)))
    ]
    rows = [
        [
            group.label,
            str(group.tasks),
            f"{percent(group.value)} [{100 * group.interval.low:.0f}–{100 * group.interval.high:.0f}]",
        ]
        for group in sorted(groups(labelled), key=lambda group: group.label)
    ]
    return align_table([["group", "tasks", "pass^1"], *rows]) if rows else []


def _labels(domain: str, task: Task, writes: Callable[[str, str], bool]) -> Iterator[str]:
    gold = [action for action in task.gold_actions if writes(domain, action.name)]
    yield f"gold path: {writes_label(len(gold))}"
    # Task files have no field for what the customer is after; what the agent is to change says it.
    intents = {action.name for action in gold if action.requestor == "assistant"}
    yield from (f"intent: {name}" for name in intents or ["nothing for the agent to change"])
    if persona := task.user_scenario.persona:
        yield f"persona: {cut(' '.join(persona.split()), 60, ' …')}"
    yield from (f"tag: {tag}" for tag in task.tags)
