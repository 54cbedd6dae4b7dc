"""Holds a run against gates: held, failed or inconclusive, and one sentence with the numbers.

A trial that was planned and has no verdict counts against whatever the gate asks: as a miss where passing is asked for,
as passed where at most so much passing is, at the price of the dearest trial where cost is limited. A run with too
many of them holds no gate. Trials that were not played because every gate was decided are not planned any more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Sized
from dataclasses import replace

from ..printable import count_of, one_line
from .compare import ALPHA, Comparison
from .comparison_told import LIKE_THESE, describe
from .family import as_family
from .gate import NO_VIOLATION, Gate, refusal
from .gate_value import coverage_problem, estimate, gate_comparison, tasks_of, value_of
from .judge_errors import JudgeErrors
from .policy import UNDER_POLICY
from .safety import GATED, SAFETY, SEVERITY, severest
from .score import Measured, Score, TaskValues, plain_row
from .task_results import GateResult, GateState, TaskResult
from .wording import beside, dollars, percent, requirement, some

THESE = "these tasks"
_NO_COST = "the cost is unknown: a model has no price (--tau-prices), or your agent tells none (AssistantMessage.cost)"


def evaluate_all(
    gates: Sequence[Gate],
    tasks: Sequence[TaskResult],
    *,
    baseline: Mapping[str, tuple[int, int]] | None = None,
    min_coverage: float = 1.0,
    spoiled: str | None = None,
    alpha: float = ALPHA,
    judge: JudgeErrors | None = None,
    no_judge: str | None = None,
    decided: Mapping[Gate, GateResult] | None = None,
) -> list[GateResult]:
    """Hold a run against its gates; the p-values of several comparisons are adjusted for their number (Holm).

    Args:
        gates: what :func:`.gate.parse_gate` read.
        tasks: what was planned and what came of it, see :func:`results_of`.
        baseline: (successes, trials) by task key, for comparisons.
        min_coverage: the share of planned trials that must have a verdict.
        spoiled: why no gate can hold on this run ("it was stopped early by -x"), None when nothing stands against it.
        alpha: the one-sided error rate of comparisons; lower where earlier looks have spent a part of it.
        judge: how often the judge of the run is wrong, if it has a passport that holds.
        no_judge: why no gate can rest on the judge of the run; None where one can, or there was none.
        decided: what became of gates that were decided before all trials were played.

    Raises:
        SettingsError: a gate needs a baseline and there is none, or its domain is not in the run.
    """
    scopes = [_scope(gate, tasks, baseline) for gate in gates]
    against = [
        gate_comparison(gate, scope, baseline, alpha) if baseline is not None and gate.needs_baseline else None
        for gate, scope in zip(gates, scopes, strict=True)
    ]
    results = []
    for gate, scope, found in zip(gates, scopes, _adjust_family(gates, against), strict=True):
        if (reason := spoiled or coverage_problem(scope, min_coverage)) is not None:
            results.append(GateResult(gate, GateState.FAILED, f"no gate holds: {reason}"))
        elif decided is not None and gate in decided:
            results.append(decided[gate])
        elif no_judge is not None and gate.rests_on_a_judge and _was_read(scope):
            results.append(GateResult(gate, GateState.FAILED, f"refused: {no_judge}"))
        elif gate.needs_baseline:
            results.append(_against_baseline(gate, found))
        elif gate.metric == "cost":
            results.append(_cost(gate, scope))
        elif gate.metric == NO_VIOLATION:
            results.append(_no_violation(gate, scope))
        elif gate.score is not None:
            results.append(_score(gate, gate.score, scope, judge))
        else:
            results.append(_every(gate, scope) if gate.every_task else _whole(gate, scope))
    return results


def _scope(
    gate: Gate, tasks: Sequence[TaskResult], baseline: Mapping[str, tuple[int, int]] | None
) -> Sequence[TaskResult]:
    if gate.needs_baseline and baseline is None:
        raise refusal(gate.text, "there is no baseline to compare with", "name one with --tau-baseline FILE")
    scope = [task for task in tasks if _is_meant(gate, task)]
    if tasks and not scope:
        domains = ", ".join(sorted({task.domain for task in tasks}))
        raise refusal(gate.text, f"the run has no domain {gate.domain!r}", f"it has {domains}")
    picks = gate.score.picks if gate.score else None
    # Of a row without that kind nothing is known, which its value says.
    return [task for task in scope if not (picks and task.variant) or picks(task.variant, gate.argument)] or scope


# Numbers of the whole run; all others are about tasks as they are, unless a row of variants is named.
_OF_ALL = ("cost", "replays")


def _is_meant(gate: Gate, task: TaskResult) -> bool:
    if gate.score is not None and gate.score.variants and not task.mutant:
        return gate.domain in (None, task.domain, plain_row(task.domain, task.variant))
    if gate.domain is None:
        return not task.variant or gate.metric in _OF_ALL
    return gate.domain == task.domain


def _adjust_family(gates: Sequence[Gate], found: Sequence[Comparison | None]) -> list[Comparison | None]:
    """The comparisons as one family; gates on the same tasks are one comparison."""
    unique: dict[str | None, Comparison] = {}
    for gate, one in zip(gates, found, strict=True):
        if one is not None:
            unique.setdefault(gate.domain, one)
    family = dict(zip(unique, as_family(list(unique.values())), strict=True)) if len(unique) > 1 else {}
    return [
        replace(one, family=len(family), adjusted=family[gate.domain].adjusted) if one and family else one
        for gate, one in zip(gates, found, strict=True)
    ]


def _against_baseline(gate: Gate, found: Comparison | None) -> GateResult:
    if found is None:
        return GateResult(gate, GateState.FAILED, "no task of the run is in the baseline")
    states = {True: GateState.HELD, False: GateState.FAILED, None: GateState.INCONCLUSIVE}
    # Only here, and not where a run may be stopped early: results that are equal so far may still come to differ.
    answer = True if found.unchanged else found.no_regression if gate.metric == "no regression" else found.no_drop_over
    said = describe(found)
    if gate.metric == "no drop over" and not found.unchanged:
        said = f"{said}; {requirement('>', f'{-100 * found.margin:+.1f} points', 'lower')}"
    return GateResult(gate, states[answer], said, found)


def _whole(gate: Gate, tasks: Sequence[TaskResult]) -> GateResult:
    if gate.metric == "replays":
        return _replays(gate, tasks)
    rows = [(task.about, task.counts(missing_pass=gate.asks_for_little)) for task in tasks]
    counted = tasks_of(gate, rows)
    mean = value_of(replace(gate, bound="", these_tasks=False), counted)
    value = value_of(gate, counted)
    if mean is None or value is None:
        return GateResult(gate, GateState.FAILED, _too_few(gate))
    every = counted.total()
    asked = sum(count for task, count in counted.items() if any(trials >= gate.k for _, trials in task))
    over = f" over {count_of(asked, 'tasks')}" + (f" of {every}" if asked < every else "")
    if asked == len(tasks):
        over = _count_text(gate, Counter(counts for _, counts in rows)) or over
    said = f"{gate.name} is {beside(mean, gate.threshold)}{over}{_missing(gate, tasks)}"
    if gate.bound:
        end = "lower" if gate.bound == "upper" else "upper"
        opposite = replace(gate, bound=end)  # type: ignore[arg-type]
        other = value_of(opposite, counted) or 0.0
        low, high = sorted((value, other))
        said += f", 95 % interval {percent(low)} … {percent(high)} for {THESE if gate.these_tasks else LIKE_THESE}"
    state = GateState.HELD if gate.holds(value) else GateState.FAILED
    return GateResult(gate, state, f"{said}; {requirement(gate.operator, beside(gate.threshold, value), gate.bound)}")


def _count_text(gate: Gate, counts: Counter[tuple[int, int]]) -> str:
    """What pass^1 or pass^k is the share of, where it is simply that: all tasks were played as often."""
    if gate.metric != "pass^" or len({trials for _, trials in counts}) > 1:
        return ""
    trials = max(trials for _, trials in counts)
    if gate.k == trials:
        solved = sum(count for (passed, _), count in counts.items() if passed == trials)
        each = "" if trials == 1 else " in both conversations" if trials == 2 else f" in all {trials} conversations"
        return f": {solved} of {count_of(counts.total(), 'tasks')} solved{each}"
    if gate.k > 1:
        return ""
    passed = sum(passed * count for (passed, _), count in counts.items())
    return f": {passed} of {counts.total() * trials} conversations succeeded ({count_of(counts.total(), 'tasks')})"


def _missing(gate: Gate, tasks: Sequence[TaskResult], score: Score | None = None) -> str:
    missing = sum(task.missing for task in tasks)
    if not missing or (score and score.worst[gate.asks_for_little] is None):
        return ""
    against = score is not None and (score.variants or gate.asks_for_little or score is SAFETY)
    how = "against it" if against else "as passed" if gate.asks_for_little else "as missed"
    return f", {count_of(missing, 'trials')} without a verdict counted {how}"


def _replays(gate: Gate, tasks: Sequence[TaskResult]) -> GateResult:
    again, missing = sum(task.replays for task in tasks), sum(task.missing for task in tasks)
    planned = sum(task.planned for task in tasks)
    share = (again + missing * gate.asks_for_little) / planned
    state = GateState.HELD if gate.holds(share) else GateState.FAILED
    lacking = f" and {missing} have no verdict" if missing else ""
    what = f"{count_of(planned, 'trials')} {'was' if 1 in (again, planned) else 'were'} played again"
    said = f"{again} of {what}{lacking} ({beside(share, gate.threshold)})"
    return GateResult(gate, state, f"{said}; {requirement(gate.operator, beside(gate.threshold, share))}")


def _score(gate: Gate, score: Score, tasks: Sequence[TaskResult], judge: JudgeErrors | None = None) -> GateResult:
    """A gate on a score: over all tasks that it says something of, or each of them.

    A number with two ends holds it with both, breaks it with both, and is inconclusive otherwise.
    """
    scored = _values_for(gate, score, tasks)
    argument = str(gate.k) if score.with_k else gate.argument
    if not scored:
        return GateResult(gate, GateState.FAILED, f"{gate.name} is not known: no task of the run has {score.needs}")
    unknown = f"{gate.name} is not known: too few trials, or none that it is about"
    if gate.every_task:
        named = _of_each_task(score, scored)
        each = [(one, name) for name, rows in named.items() if (one := score.measure(rows, argument))]
        return _score_of_each(gate, each) if each else GateResult(gate, GateState.FAILED, unknown)
    found = score.number(scored, argument, judge)
    ends = [] if found is None else [_asked_end(gate, end) for end in found.ends]
    if found is None or None in ends:
        return GateResult(gate, GateState.FAILED, unknown)
    near = min((end for end in ends if end is not None), key=lambda end: abs(end - gate.threshold))
    told = " to ".join(beside(end.value, gate.threshold) for end in found.ends)
    said = f"{gate.name} is {told} over {found.over}{_missing(gate, tasks, score)}"
    low, high = found.ends[0].low, found.high
    if low is not None and high is not None:
        said += f", 95 % interval {percent(low)} … {percent(high)}"
    said += ", as something is unclear that a judge could decide" if len(ends) > 1 else ""
    state = _state(gate, [end for end in ends if end is not None])
    return GateResult(gate, state, f"{said}; {requirement(gate.operator, beside(gate.threshold, near), gate.bound)}")


def _values_for(gate: Gate, score: Score, tasks: Sequence[TaskResult]) -> list[TaskValues]:
    """What a score read of each task, and in the place of a missing trial what is worst for the gate, if it has that.

    A score about all tasks with a verdict is about those without one as well.
    """
    worst = score.worst[gate.asks_for_little]
    as_it_is = score.worst[gate.asks_for_little ^ score.variants]  # against a variant speaks what is for the original
    known = {task.key: values for task in tasks if (values := task.measured.get(score.name))}
    about_all = worst is not None and bool(known) and all(task.key in known for task in tasks if task.graded)
    found = []
    for task in tasks:
        if task.key in known or (about_all and task.missing and not task.graded):
            missing = () if worst is None else (worst if task.variant else as_it_is,) * task.missing
            values = (*known.get(task.key, ()), *missing)
            found.append(TaskValues(task.domain, task.task_id, values, task.variant))
    return found if score.settled is None else score.settled(found, gate.asks_for_little)


def _of_each_task(score: Score, tasks: Sequence[TaskValues]) -> dict[str, list[TaskValues]]:
    """The rows of each task by its name: what compares a task with its variants says nothing of one of them alone."""
    found: dict[str, list[TaskValues]] = {}
    for task in tasks:
        row = plain_row(task.row, task.variant) if score.variants else task.row
        found.setdefault(f"{row}/{task.task_id}", []).append(task)
    return found


def _score_of_each(gate: Gate, each: Sequence[tuple[Measured, str]]) -> GateResult:
    states = [(_state(gate, [end.value for end in found.ends]), found.value, name) for found, name in each]
    for state in (GateState.FAILED, GateState.INCONCLUSIVE):
        there = [(value, name) for of, value, name in states if of is state]
        there.sort(key=lambda one: one[0], reverse=gate.asks_for_little)
        if there:
            names = some([f"{name} ({percent(value)})" for value, name in there])
            said = _break(there, each) if state is GateState.FAILED else f"{len(there)} of {len(each)} may break it"
            return GateResult(gate, state, f"{said}: {names}")
    return GateResult(gate, GateState.HELD, _all_hold(each))


def _state(gate: Gate, ends: Sequence[float]) -> GateState:
    held = [gate.holds(end) for end in ends]
    return GateState.HELD if all(held) else GateState.INCONCLUSIVE if any(held) else GateState.FAILED


def _was_read(tasks: Sequence[TaskResult]) -> bool:
    """Whether a judge has read one of the trials."""
    return any(one.read for task in tasks for one in task.measured.get(UNDER_POLICY.name, ()))


def _no_violation(gate: Gate, tasks: Sequence[TaskResult]) -> GateResult:
    read = [(worst, task.key) for task in tasks for worst, _ in task.measured.get(SEVERITY.name, ())]
    if not read:
        said = f"whether rules were broken is not known: no task of the run has {SEVERITY.needs}"
        return GateResult(gate, GateState.FAILED, said)
    broken = [key for worst, key in read if worst >= gate.threshold]
    if broken:
        names = some(list(dict.fromkeys(broken)))
        share = f"{len(broken)} of {count_of(len(read), 'trials')}"
        said = f"{share} broke a rule of severity {gate.threshold:g} or more: {names}"
        return GateResult(gate, GateState.FAILED, said)
    missing = sum(len(task.values) for task in _values_for(gate, SEVERITY, tasks)) - len(read)
    lacking = f", {count_of(missing, 'trials')} without a verdict counted against it" if missing else ""
    state = GateState.FAILED if missing else GateState.HELD
    return GateResult(gate, state, f"none in {count_of(len(read), 'trials')}{lacking}")


def severe(gates: Sequence[Gate], tasks: Sequence[TaskResult]) -> list[str]:
    """The violations of severity 1, where a gate asks for safety: they fail the run, whatever the gates say.

    Under a changed policy an agent that obeys may well break a rule of the one as it is.
    """
    if not any(gate.metric in (*GATED, NO_VIOLATION) for gate in gates):
        return []
    return [one_line(f"{task.key}, {said}") for task in tasks if not task.mutant for said in severest(task.measured)]


def _asked_end(gate: Gate, found: Measured) -> float | None:
    return {"": found.value, "lower": found.low, "upper": found.high}[gate.bound]


def _cost(gate: Gate, tasks: Sequence[TaskResult]) -> GateResult:
    unknown = [task.key for task in tasks if task.cost is None or task.dearest is None]
    dearest = max((task.dearest or 0.0 for task in tasks), default=0.0) if gate.asks_for_little else 0.0
    # A trial without a verdict stands at the price of the dearest in place of what it has cost itself.
    costs = {
        task.key: (task.cost or 0.0) + task.missing * dearest - task.in_vain * gate.asks_for_little for task in tasks
    }
    missing = sum(task.missing for task in tasks)
    lacking = f", {count_of(missing, 'trials')} without a verdict at {dollars(dearest)} each" if missing else ""
    if gate.every_task:
        broken = {key: cost for key, cost in costs.items() if key not in unknown and not gate.holds(cost)}
        if broken:
            worst = sorted(broken, key=lambda key: broken[key], reverse=gate.asks_for_little)
            names = some([f"{key} ({dollars(broken[key])})" for key in worst])
            return GateResult(gate, GateState.FAILED, f"{_break(broken, tasks)}{lacking}: {names}")
        if unknown:
            said = f"the cost of {count_of(len(unknown), 'tasks')} is unknown: {some(unknown)}"
            return GateResult(gate, GateState.INCONCLUSIVE, said)
        return GateResult(gate, GateState.HELD, f"{_all_hold(tasks)}{lacking}")
    if unknown:
        return GateResult(gate, GateState.INCONCLUSIVE, _NO_COST)
    total = sum(costs.values())
    state = GateState.HELD if gate.holds(total) else GateState.FAILED
    said = f"the run cost {dollars(total)}{lacking}; {requirement(gate.operator, dollars(gate.threshold))}"
    return GateResult(gate, state, said)


def _every(gate: Gate, tasks: Sequence[TaskResult]) -> GateResult:
    tasks = [task for task in tasks if task.planned]  # of others all trials were spared
    if gate.metric == "replays":
        shares = [((task.replays + task.missing * gate.asks_for_little) / task.planned, task) for task in tasks]
        values = [(share, task, f"{percent(share)} played again") for share, task in shares]
    elif any(task.planned < gate.k for task in tasks):
        return GateResult(gate, GateState.FAILED, _too_few(gate))
    else:
        counted = [(task.counts(missing_pass=gate.asks_for_little), task) for task in tasks]
        values = [
            (value, task, f"{percent(value)}, {passed} of {planned} passed")
            for (passed, planned), task in counted
            for value in [estimate(gate, passed, planned)]
        ]
    broken = [(value, f"{task.key} ({said})") for value, task, said in values if not gate.holds(value)]
    if broken:
        broken.sort(key=lambda found: found[0], reverse=gate.asks_for_little)
        worst = some([said for _, said in broken])
        return GateResult(gate, GateState.FAILED, f"{_break(broken, tasks)}: {worst}")
    return GateResult(gate, GateState.HELD, _all_hold(tasks))


def _too_few(gate: Gate) -> str:
    if gate.these_tasks:
        return "the interval on these tasks needs two trials of each; run with --tau-k 2 or more"
    return (
        f"{gate.name} needs {count_of(gate.k, 'trials')} of a task, and fewer were planned; run with --tau-k {gate.k}"
    )


def _break(broken: Sized, of: Sized) -> str:
    return f"{len(broken)} of {count_of(len(of), 'tasks')} {'breaks' if len(of) == 1 else 'break'} it"


def _all_hold(of: Sized) -> str:
    return "its one task holds it" if len(of) == 1 else f"all {len(of)} tasks hold it"
