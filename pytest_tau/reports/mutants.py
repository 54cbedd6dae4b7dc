"""What a run tells about its agent and the policy: which sentences it obeys, knows anyway, or ignores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..metrics.intervals import wilson
from ..metrics.mutant_totals import PolicyReading, policy_readings
from ..metrics.policy_mutants import ALPHA, MARGIN, RuleReading
from ..metrics.totals import Totals
from ..metrics.wording import percent
from ..printable import count_of
from .terminal import align_table

_WIDTH = 60
_ORDER = ("better without", "ignores", "knows anyway", "obeys", "cannot tell", "undecided")


def mutant_lines(totals: Totals) -> list[list[str]]:
    """A table for each row of tasks, and remarks; nothing where no policy was changed."""
    blocks = []
    found = policy_readings(totals)
    for one in found:
        title = (
            f"What the agent makes of the policy ({one.row})"
            if len(found) > 1
            else "What the agent makes of the policy"
        )
        blocks.append([f"{title}:", *align_table(_table(one)), *_remarks(one, totals.unneeded)])
    return blocks


def _table(found: PolicyReading, *, whole: bool = False) -> list[list[str]]:
    """A line an edit; ``whole``: with all words of its rule."""
    table = [["rule", "the agent", "change", "as it is", "changed", "outcome", "tasks", "sentence"]]
    for rule in _rank(found.rules):
        said = without_emphasis(found.sentences.get(rule.rule, ""))
        for number, (operation, one) in enumerate(rule.mutants.items()):
            more = "" if one.more is None else f", about {one.more} more trials"
            outcome = f"{one.outcome}{more}" if one.after[1] else "not played"
            table.append(
                [
                    "" if number else rule.rule,
                    "" if number else rule.reading,
                    operation,
                    _rate(one.before),
                    _rate(one.after),
                    outcome,
                    str(rule.tasks),
                    "" if number else said if whole else _short(said),
                ]
            )
    return table


def _rank(rules: Sequence[RuleReading]) -> list[RuleReading]:
    return sorted(rules, key=lambda one: (_ORDER.index(one.reading), one.rule))


def _rate(counts: tuple[int, int]) -> str:
    passed, trials = counts
    if not trials:
        return "–"
    low, high = wilson(passed / trials, trials)
    return f"{percent(passed / trials, 0)} [{100 * low:.0f}–{100 * high:.0f}] of {trials}"


def without_emphasis(sentence: str) -> str:
    """A sentence of the policy without Markdown's signs for emphasis and for the cells of a table."""
    return " – ".join(cell.strip() for cell in sentence.replace("**", "").strip("| ").split(" | "))


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def _remarks(found: PolicyReading, unneeded: int) -> Iterator[str]:
    named: dict[str, list[str]] = {}
    for rule in _rank(found.rules):
        named.setdefault(rule.reading, []).append(rule.rule)
    said = ", ".join(f"{reading} {len(rules)}" for reading, rules in named.items())
    yield (
        f"Of {count_of(len(found.rules), 'rules')}: {said}. Evidence of {1 / ALPHA:.0f} to 1 (an e-value) decides; a "
        f"rule survives where the pass rate falls by less than {100 * MARGIN:.0f} points."
    )
    for name in named.get("better without", ()):
        yield f"Warning: without the rule '{name}' the agent does better: {_short(found.sentences.get(name, ''))}"
    if known := named.get("knows anyway"):
        tokens = sum(len(found.sentences.get(name, "")) for name in known) // 4
        in_all = count_of(round(tokens * found.turns), "tokens")
        yield (
            f"Without {count_of(len(known), 'rules')} that this agent knows anyway each request has about "
            f"{count_of(tokens, 'tokens')} less, and a conversation about {in_all}; another model may "
            "need them."
        )
    if unneeded:
        was, its = ("was", "its") if unneeded == 1 else ("were", "their")
        spared = f"{count_of(unneeded, 'trials')} under changed policies"
        yield f"{spared} {was} not needed, because {its} rule was decided."


def mutant_numbers(totals: Totals) -> list[dict[str, Any]]:
    """All of it as plain data."""
    return [
        {
            "row": found.row,
            "rules": [
                {
                    "rule": rule.rule,
                    "sentence": found.sentences.get(rule.rule, ""),
                    "reading": rule.reading,
                    "tasks": rule.tasks,
                    "mutants": {name: _numbers(one) for name, one in rule.mutants.items()},
                }
                for rule in _rank(found.rules)
            ],
        }
        for found in policy_readings(totals)
    ]


def _numbers(one: Any) -> Mapping[str, Any]:
    return {
        "outcome": one.outcome,
        "as it is": list(one.before),
        "changed": list(one.after),
        "lost": one.lost,
        "won": one.won,
        "same": one.same,
        "more trials": one.more,
    }


def mutant_page(totals: Totals) -> list[dict[str, Any]]:
    """What the HTML page shows: for each row of tasks a table, its first line the head, and remarks."""
    return [
        {"row": found.row, "table": _table(found, whole=True), "remarks": list(_remarks(found, totals.unneeded))}
        for found in policy_readings(totals)
    ]
