"""How alike the trials of one task are: in outcome, tools used, order of calls, and what they took.

All four are 1 where trials are alike and fall towards 0. Definitions of "Towards a Science of AI Agent Reliability",
arXiv 2602.16666: outcome (2p̂ − 1)², tools 1 − the mean Jensen-Shannon divergence of pairs of trials, order 1 − the
mean edit distance of pairs over the longer one's length, resources exp(− the mean coefficient of variation).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import exp, log2
from statistics import fmean, pstdev
from sys import intern
from typing import Any, NamedTuple

from ..printable import count_of
from .score import Measured, Score, TaskValues

ASPECTS = ("outcome", "tools", "order", "resources")
_LONGEST = 200  # calls of a trial that count for their order: the distance takes their square


class Course(NamedTuple):
    """What a trial did: whether it passed (None without a verdict), the agent's calls in their order, what it took."""

    passed: bool | None
    calls: tuple[str, ...]
    resources: tuple[float, ...]


def outcome_consistency(passed: int, trials: int) -> float:
    """(2p̂ − 1)²: 1 where a task always or never passes, 0 where it is a toss-up."""
    return (2 * passed / trials - 1) ** 2


def divergence(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """The Jensen-Shannon divergence, to base 2, of two trials' shares of calls by tool; 0 … 1."""
    sizes = sum(one.values()), sum(other.values())
    if not all(sizes):
        return float(sizes[0] != sizes[1])
    total = 0.0
    for name in one.keys() | other.keys():
        p, q = one.get(name, 0) / sizes[0], other.get(name, 0) / sizes[1]
        middle = (p + q) / 2
        total += sum(share * log2(share / middle) / 2 for share in (p, q) if share)
    return min(1.0, max(0.0, total))


def edit_distance(one: Sequence[str], other: Sequence[str]) -> float:
    """Levenshtein's distance of two sequences of calls over the length of the longer; 0 … 1."""
    if not one or not other:
        return float(len(one) != len(other))
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        before, row[0] = row[0], i
        for j, right in enumerate(other, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1] / max(len(one), len(other))


def tool_consistency(calls: Sequence[Sequence[str]]) -> float:
    """1 − the mean divergence of all pairs of trials; two trials or more."""
    counted = [Counter(one) for one in calls]
    return 1 - fmean(divergence(one, other) for one, other in combinations(counted, 2))


def order_consistency(calls: Sequence[Sequence[str]]) -> float:
    """1 − the mean edit distance of all pairs of trials; two trials or more."""
    cut = [one[:_LONGEST] for one in calls]
    return 1 - fmean(edit_distance(one, other) for one, other in combinations(cut, 2))


def resource_consistency(resources: Sequence[Sequence[float]]) -> float | None:
    """exp(− the mean coefficient of variation over the resources that were used); None where none was."""
    columns = [column for column in zip(*resources, strict=True) if fmean(column) > 0]
    if not columns:
        return None
    return exp(-fmean(pstdev(column) / fmean(column) for column in columns))


def course(content: Mapping[str, Any]) -> Course | None:
    """The course of a recorded trial (a journal's line as plain data); None where it was not played to its end."""
    simulation = content.get("simulation") or {}
    if not simulation:
        return None
    messages = simulation.get("messages") or []
    spoken = [message for message in messages if message.get("role") == "assistant"]
    calls = tuple(intern(str(call.get("name"))) for message in spoken for call in message.get("tool_calls") or [])
    usages = [message.get("usage") or {} for message in spoken]
    tokens = sum(usage.get("completion_tokens", 0) + usage.get("prompt_tokens", 0) for usage in usages)
    cost = simulation.get("agent_cost")
    verdict = {"passed": True, "missed": False}.get(str(content.get("outcome")))
    return Course(verdict, calls, (float(simulation.get("steps") or 0), float(tokens), float(cost or 0.0)))


def of_task(courses: Sequence[Course]) -> dict[str, float]:
    """Each aspect for the trials of one task, as far as it is defined: for two trials or more."""
    verdicts = [one.passed for one in courses if one.passed is not None]
    found: dict[str, float] = {}
    if len(verdicts) > 1:
        found["outcome"] = outcome_consistency(sum(verdicts), len(verdicts))
    if len(courses) > 1:
        found["tools"] = tool_consistency([one.calls for one in courses])
        found["order"] = order_consistency([one.calls for one in courses])
        taken = resource_consistency([one.resources for one in courses])
        found |= {} if taken is None else {"resources": taken}
    return found


def _mean(tasks: Sequence[TaskValues], aspect: str) -> Measured | None:
    if aspect not in ASPECTS:
        return None
    values = [found[aspect] for task in tasks if aspect in (found := of_task([v for v in task.values if v]))]
    return Measured(fmean(values), f"{count_of(len(values), 'tasks')}") if values else None


CONSISTENCY = Score(
    "consistency",
    course,
    _mean,
    needs="two trials that were played",
    worst=(None, None),
    takes="|".join(ASPECTS),
)
