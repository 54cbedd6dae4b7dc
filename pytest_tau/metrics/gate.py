"""Gates: conditions on a run's numbers, from one line of text to held, failed or inconclusive with the numbers in it.

    pass^1 >= 0.80                 retail: pass^4 >= 50 %           every task: pass^1 >= 0.25
    lower(pass^1) >= 0.7           retail: every task: pass@4 > 0   cost <= 5
    no regression                  retail: no regression within 0.05

A trial that was planned and has no verdict counts as a failure, and a run with too many of them holds no gate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import Literal

from ..errors import SettingsError
from .breakdown import pass_at_k
from .compare import MARGIN, Comparison, compare
from .intervals import mean_interval
from .pass_k import pass_hat_k
from .totals import Totals, total_cost

Metric = Literal["pass^", "pass@", "cost", "no regression"]
EVERY_TASK = "every task"
_EXAMPLE = "write such as 'pass^1 >= 0.80'"
_EDGE = 1e-9  # a mean of floats may miss the number it stands for by this much
_COMPARISON = re.compile(r"[<>=!]+")
_METRIC = re.compile(r"(?:(?P<bound>\w+)\s*\(\s*)?(?P<name>pass[\^@]|cost)(?P<k>\d{0,4})(?P<close>\s*\))?")
_NUMBER = re.compile(r"(?P<dollar>\$\s*)?(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<percent>%?)")
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda value, asked: value >= asked - _EDGE,
    "<=": lambda value, asked: value <= asked + _EDGE,
    ">": lambda value, asked: value > asked + _EDGE,
    "<": lambda value, asked: value < asked - _EDGE,
}


class State(StrEnum):
    """What became of a gate."""

    HELD = "held"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Gate:
    """A gate as it was written.

    Attributes:
        text: the line it was written in.
        metric: what is looked at; ``k`` belongs to pass^k and pass@k.
        domain: the domain it is about, None for the whole run.
        every_task: whether each task must hold it by itself.
        bound: "lower" or "upper" end of the 95 % interval, "" for the estimate itself.
        operator: how the value is compared with ``threshold``.
        threshold: a proportion, USD, or the margin of "no regression".
    """

    text: str
    metric: Metric
    k: int = 1
    domain: str | None = None
    every_task: bool = False
    bound: Literal["", "lower", "upper"] = ""
    operator: str = ">="
    threshold: float = 0.0

    @property
    def needs_baseline(self) -> bool:
        """Whether it compares with a baseline."""
        return self.metric == "no regression"


@dataclass(frozen=True)
class TaskResult:
    """A task's trials: how many were planned, have a verdict, and passed; USD, None when unknown."""

    domain: str
    task_id: str
    passed: int
    graded: int
    planned: int
    cost: float | None = 0.0

    @property
    def key(self) -> str:
        """The task's name in messages and baselines."""
        return f"{self.domain}/{self.task_id}"


@dataclass(frozen=True)
class GateResult:
    """A gate's state and one sentence with the numbers; ``comparison`` for "no regression"."""

    gate: Gate
    state: State
    explanation: str
    comparison: Comparison | None = None


def results_of(totals: Totals) -> list[TaskResult]:
    """The tasks of a run as gates look at them."""
    return [
        TaskResult(domain, task_id, task.passed, task.graded, max(task.planned, task.done), task.cost)
        for (domain, task_id), task in totals.tasks.items()
    ]


def parse_gate(text: str) -> Gate:
    """Read a gate.

    Raises:
        SettingsError: one sentence: what cannot be read, and what to write instead.
    """
    scope, _, condition = (" ".join(part.split()) for part in text.rpartition(":"))
    domain, every_task = _scope(text, scope)
    if condition.startswith("no regression"):
        if every_task:
            raise _error(text, f"{condition!r} already compares task by task", f"leave out '{EVERY_TASK}:'")
        return Gate(text, "no regression", domain=domain, threshold=_margin(text, condition))
    operator = _COMPARISON.search(condition)
    if operator is None:
        raise _error(text, f"{condition!r} compares nothing", f"{_EXAMPLE} or 'no regression'")
    if operator[0] not in _OPERATORS:
        raise _error(text, f"{operator[0]!r} is not a comparison here", "write >=, <=, > or <")
    name, k, bound = _metric(text, condition[: operator.start()].strip())
    if bound and every_task:
        raise _error(text, f"{bound}() is an interval over tasks", f"leave out '{EVERY_TASK}:' or '{bound}()'")
    threshold = _number(text, condition[operator.end() :].strip(), money=name == "cost")
    return Gate(text, name, k, domain, every_task, bound, operator[0], threshold)


def _scope(text: str, scope: str) -> tuple[str | None, bool]:
    """The row of the table that is meant, and whether each of its tasks is.

    A row is a domain, or a domain with a test of a project and its parameters after a comma; those may hold colons.
    """
    every_task = scope == EVERY_TASK or scope.endswith(f": {EVERY_TASK}")
    row = scope.removesuffix(EVERY_TASK).removesuffix(": ") if every_task else scope
    if not row:
        return None, every_task
    if not re.fullmatch(r"[\w.-]+(, .+)?", row):
        if ":" in row:
            raise _error(text, "more than one domain stands before ':'", "write one gate for each")
        raise _error(text, f"{row!r} is not a domain", f"write such as 'retail: pass^1 >= 0.80' or '{EVERY_TASK}: …'")
    return row, every_task


def _metric(text: str, written: str) -> tuple[Metric, int, Literal["", "lower", "upper"]]:
    found = _METRIC.fullmatch(written)
    known = "pass^1, pass@1 (or another number), cost, or lower(pass^1)"
    if found is None or bool(found["bound"]) != bool(found["close"]) or bool(found["k"]) != (found["name"] != "cost"):
        raise _error(text, f"{written!r} is not a number of a run", f"write {known}")
    bound = found["bound"] or ""
    if bound not in ("", "lower", "upper"):
        raise _error(text, f"{bound!r} is not an end of an interval", "write lower(…) or upper(…)")
    if found["name"] == "cost":
        if bound:
            raise _error(text, "cost has no interval", "write 'cost <= 5'")
        return "cost", 1, ""
    if int(found["k"]) < 1:
        raise _error(text, f"{written!r} asks for no trial", "write a number from 1 on, such as pass^1")
    return ("pass^" if found["name"] == "pass^" else "pass@"), int(found["k"]), bound  # type: ignore[return-value]


def _number(text: str, written: str, *, money: bool = False) -> float:
    found = _NUMBER.fullmatch(written)
    if found is None or (found["dollar"] and not money) or (found["percent"] and money):
        raise _error(text, f"{written!r} is not {'an amount' if money else 'a proportion'}", _like(money))
    number = float(found["number"]) / (100 if found["percent"] else 1)
    if number > 1 and not money:
        raise _error(text, f"{written} is more than all", "write such as 0.80 or 80 %")
    return number


def _like(money: bool) -> str:
    return "write US dollars, such as 'cost <= 5'" if money else "write such as 0.80 or 80 %"


def _margin(text: str, condition: str) -> float:
    rest = condition.removeprefix("no regression")
    if not rest:
        return MARGIN
    if not rest.startswith(" within "):
        raise _error(
            text, f"{rest.strip()!r} after 'no regression'", "write 'no regression' or 'no regression within 0.05'"
        )
    margin = _number(text, rest.removeprefix(" within ").strip())
    if margin == 0:
        raise _error(text, "no number of trials can rule out a drop of 0", "write such as 'no regression within 0.05'")
    return margin


def _error(text: str, what: str, instead: str) -> SettingsError:
    return SettingsError(f"gate {text!r}: {what}; {instead}")


def evaluate(
    gate: Gate,
    tasks: list[TaskResult],
    *,
    baseline: Mapping[str, tuple[int, int]] | None = None,
    min_coverage: float = 1.0,
    spoiled: str | None = None,
) -> GateResult:
    """Hold a run against a gate.

    Args:
        gate: what :func:`parse_gate` read.
        tasks: what was planned and what came of it, see :func:`results_of`.
        baseline: (successes, trials) by task key, for "no regression".
        min_coverage: the share of planned trials that must have a verdict.
        spoiled: why no gate can hold on this run ("it was stopped early by -x"), None when nothing stands against it.

    Raises:
        SettingsError: the gate needs a baseline and there is none, or its domain is not in the run.
    """
    if gate.needs_baseline and baseline is None:
        raise _error(gate.text, "there is no baseline to compare with", "name one with --tau-baseline FILE")
    scope = [task for task in tasks if gate.domain in (None, task.domain)]
    if tasks and not scope:
        domains = ", ".join(sorted({task.domain for task in tasks}))
        raise _error(gate.text, f"the run has no domain {gate.domain!r}", f"it has {domains}")
    if (reason := spoiled or _uncovered(scope, min_coverage)) is not None:
        return GateResult(gate, State.FAILED, f"no gate holds: {reason}")
    if baseline is not None and gate.needs_baseline:
        return _regression(gate, scope, baseline)
    return _every(gate, scope) if gate.every_task else _whole(gate, scope)


def _uncovered(tasks: list[TaskResult], min_coverage: float) -> str | None:
    planned, graded = sum(task.planned for task in tasks), sum(task.graded for task in tasks)
    if not planned:
        return "no trial was planned"
    if graded / planned >= min_coverage - _EDGE:
        return None
    share = f"{graded} of {planned} planned trials have a verdict ({_percent(graded / planned)})"
    return f"{share}, and {_percent(min_coverage)} is asked for (--tau-min-coverage)"


def _regression(gate: Gate, tasks: list[TaskResult], baseline: Mapping[str, tuple[int, int]]) -> GateResult:
    keep = {key: counts for key, counts in baseline.items() if gate.domain is None or key.startswith(f"{gate.domain}/")}
    found = compare(keep, {task.key: (task.passed, task.planned) for task in tasks}, margin=gate.threshold)
    if found is None:
        return GateResult(gate, State.FAILED, "no task of the run is in the baseline")
    states = {True: State.HELD, False: State.FAILED, None: State.INCONCLUSIVE}
    return GateResult(gate, states[found.no_regression], describe(found), found)


def describe(found: Comparison) -> str:
    """A comparison in a sentence or three."""
    points = f"{100 * found.difference:+.1f} points [{100 * found.low:+.1f} … {100 * found.high:+.1f}]"
    change = f"pass^{found.k} {_percent(found.before)} → {_percent(found.after)} over {found.tasks} common tasks"
    chance = f"p {min(found.p_worse, found.p_better):.3f}"
    lines = [f"{found.verdict}: {change}, {points}, {chance}"]
    if found.left_out:
        lines.append(f"{found.left_out} tasks are in one run only, or have too few trials")
    if found.lost:
        lines.append(f"from always to never: {_some(list(found.lost))}")
    if found.trials is not None:
        lines.append(f"about {found.trials} trials a task in both runs would settle it")
    return "; ".join(lines)


def _whole(gate: Gate, tasks: list[TaskResult]) -> GateResult:
    if gate.metric == "cost":
        cost = total_cost(task.cost for task in tasks)
        return _judged(gate, cost, "" if cost is None else f"the run cost ${cost:.2f}")
    values = [_estimate(gate, task) for task in tasks if task.planned >= gate.k]
    if not values:
        return GateResult(gate, State.FAILED, _too_few(gate))
    over = f"over {len(values)} tasks" + (f" of {len(tasks)}" if len(values) < len(tasks) else "")
    mean = fmean(values)
    name = f"{gate.metric}{gate.k}"
    if not gate.bound:
        return _judged(gate, mean, f"{name} is {_percent(mean)} {over}")
    interval = mean_interval(values)
    bound = interval.low if gate.bound == "lower" else interval.high
    about = f"95 % {interval.method} interval {_percent(interval.low)} … {_percent(interval.high)}"
    return _judged(gate, bound, f"{name} is {_percent(mean)} {over}, {about}")


def _judged(gate: Gate, value: float | None, said: str) -> GateResult:
    if value is None:
        return GateResult(gate, State.INCONCLUSIVE, "the cost is unknown: a model of this run has no price")
    held = _OPERATORS[gate.operator](value, gate.threshold)
    asked = f"${gate.threshold:.2f}" if gate.metric == "cost" else _percent(gate.threshold)
    subject = f"{gate.bound} end" if gate.bound else ""
    limit = " ".join(part for part in (subject, gate.operator, asked) if part)
    return GateResult(gate, State.HELD if held else State.FAILED, f"{said}; asked: {limit}")


def _every(gate: Gate, tasks: list[TaskResult]) -> GateResult:
    if gate.metric != "cost" and any(task.planned < gate.k for task in tasks):
        return GateResult(gate, State.FAILED, _too_few(gate))
    values = [(task.cost if gate.metric == "cost" else _estimate(gate, task), task) for task in tasks]
    broken = [
        (value, task)
        for value, task in values
        if value is not None and not _OPERATORS[gate.operator](value, gate.threshold)
    ]
    if broken:
        broken.sort(key=lambda found: found[0], reverse=gate.operator.startswith("<"))
        worst = [f"{task.key} ({_value(gate, value, task)})" for value, task in broken]
        return GateResult(gate, State.FAILED, f"{len(broken)} of {len(tasks)} tasks break it: {_some(worst)}")
    if unknown := [task.key for value, task in values if value is None]:
        return GateResult(gate, State.INCONCLUSIVE, f"the cost of {len(unknown)} tasks is unknown: {_some(unknown)}")
    return GateResult(gate, State.HELD, f"all {len(tasks)} tasks hold it")


def _value(gate: Gate, value: float, task: TaskResult) -> str:
    return f"${value:.2f}" if gate.metric == "cost" else f"{_percent(value)}, {task.passed} of {task.planned} passed"


def _estimate(gate: Gate, task: TaskResult) -> float:
    estimate = pass_hat_k if gate.metric == "pass^" else pass_at_k
    return estimate(task.passed, task.planned, gate.k)


def _too_few(gate: Gate) -> str:
    return f"{gate.metric}{gate.k} needs {gate.k} trials of a task, and fewer were planned; run with --tau-k {gate.k}"


def _some(names: list[str], most: int = 3) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"
