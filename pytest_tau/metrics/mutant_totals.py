"""How an agent treats the rules of its policy, read off the totals of a run with ``--tau-policy-mutants``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .policy_mutants import RuleReading, Weighed, explain_losses, read_rule, weigh
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
    passed = {task: _ends(trials) for task, trials in ends[plain].items()}
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
        mutants = {operation: _weigh_row(totals, row) for operation, row in rows.items()}
        tasks = {task for row, task in totals.tasks if row in rows.values()}  # played or not
        readings.append(read_rule(rule, mutants, len(tasks), blamed=blamed.get(rule, False)))
    return PolicyReading(plain, tuple(readings), sentences, totals.mean_steps(plain) or 0.0)


def spare_decided(totals: Totals) -> None:
    """Take what was not played off what is planned where a rule is decided: as in the run itself, it is not needed."""
    rows: dict[str, list[str]] = {}
    for row, variant in totals.variants.items():
        if totals.is_mutant(row):
            rows.setdefault(str(variant["policy"]), []).append(row)
    for of_edit in rows.values():
        if all(_weigh_row(totals, row).outcome != "undecided" for row in of_edit):
            for task in (task for row in of_edit for task in totals.of(row)):
                rest = max(0, task.planned - task.done)
                task.planned -= rest
                totals.unneeded += rest


def _weigh_row(totals: Totals, row: str) -> Weighed:
    """What the trials of one row under a changed policy show."""
    plain = _trials(totals, totals.plain_row(row))
    pairs = {task: (_ends(plain.get(task, ())), _ends(trials)) for task, trials in _trials(totals, row).items()}
    return weigh(pairs)


def _ends(trials: Sequence[TrialConduct]) -> list[bool]:
    return [bool(one.passed) for one in trials]


def _trials(totals: Totals, row: str) -> dict[str, Sequence[TrialConduct]]:
    return {
        task_id: values
        for (its, task_id), task in totals.tasks.items()
        if its == row and (values := task.measured.get(MEASURED))
    }
