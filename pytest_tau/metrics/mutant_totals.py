"""How an agent treats the rules of its policy, read off the totals of a run with ``--tau-policy-mutants``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .policy_mutants import RuleReading, explain_losses, read_rule, weigh
from .robustness import MEASURED, TrialConduct
from .totals import Totals


@dataclass(frozen=True)
class PolicyReading:
    """The rules of one row of tasks; ``sentences``: their words. ``turns``: steps of a trial as it is, on average."""

    row: str
    rules: tuple[RuleReading, ...]
    sentences: Mapping[str, str] = field(default_factory=dict)
    turns: float = 0.0


def policy_readings(totals: Totals) -> list[PolicyReading]:
    """For each row of tasks how its agent treats the rules; empty where no policy was changed."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    sentences: dict[str, dict[str, str]] = {}
    for row, variant in totals.variants.items():
        operation, _, rule = str(variant.get("policy") or "").partition(":")
        if rule:
            plain = totals.plain_row(row)
            found.setdefault(plain, {}).setdefault(rule, {})[operation] = row
            said = sentences.setdefault(plain, {})
            said[rule] = str(variant.get("sentence") or "") or said.get(rule, "")
    return [_reading(totals, row, rules, sentences[row]) for row, rules in found.items()]


def _reading(
    totals: Totals, plain: str, rules: Mapping[str, Mapping[str, str]], sentences: Mapping[str, str]
) -> PolicyReading:
    ends = {row: _trials(totals, row) for row in (plain, *(row for rows in rules.values() for row in rows.values()))}
    passed = {task: [bool(one.passed) for one in trials] for task, trials in ends[plain].items()}
    rests_on = {
        task: one.rests_on
        for rows in rules.values()
        for row in rows.values()
        for task, trials in ends[row].items()
        for one in trials
    }
    blamed = explain_losses(rests_on, passed)
    readings = []
    for rule, rows in rules.items():
        mutants = {
            operation: weigh(
                {
                    task: (passed.get(task, ()), [bool(one.passed) for one in trials])
                    for task, trials in ends[row].items()
                }
            )
            for operation, row in rows.items()
        }
        tasks = {task for row, task in totals.tasks if row in rows.values()}  # played or not
        readings.append(read_rule(rule, mutants, len(tasks), blamed=blamed.get(rule, False)))
    return PolicyReading(plain, tuple(readings), sentences, totals.mean_steps(plain) or 0.0)


def _trials(totals: Totals, row: str) -> dict[str, Sequence[TrialConduct]]:
    return {
        task_id: values
        for (its, task_id), task in totals.tasks.items()
        if its == row and (values := task.measured.get(MEASURED))
    }
