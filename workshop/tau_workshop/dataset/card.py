"""The card of a data set: counts, seed, command, what was checked, and where a loader finds the files."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .splits import GRAM, Contamination

if TYPE_CHECKING:
    from pytest_tau.llm.protocol import ModelClient

_MADE = "Made by pytest-tau with seed"
_ABOUT = {
    "chat": "passed conversations with tools; `weight` 1 on the agent's messages to learn from",
    "preferences": "what the oracle does at the point of no return against what lost the trial",
    "stepwise": "a label for each turn of the agent: could it still be passed after it",
    "steps": "a better and a worse next turn after the same prompt, wherever a worse one is known",
    "rewards": "conversations with the reward, for reward models and unpaired preferences",
    "prompts": "where an episode begins, for training on rewards: the tasks are in `tasks/`",
    "labels": "everything that is known of a conversation and of each of its turns",
}


@dataclass
class Summary:
    """What was written.

    ``rows``: by format and split. ``reworded``: lines of the agent that a model has said in other words. ``outcomes``:
    conversations by split and outcome. ``leaks``: what splits have in common. ``contamination``: by what the tasks were
    compared with, and split.
    """

    rows: Counter[tuple[str, str]] = field(default_factory=Counter)
    reworded: int = 0
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    variants: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    tasks: dict[str, int] = field(default_factory=dict)
    leaks: dict[str, Any] = field(default_factory=dict)
    contamination: dict[str, dict[str, Contamination]] = field(default_factory=dict)


def is_card(path: Path) -> bool:
    """Whether a file is the card of an earlier data set, which a new one may take the place of."""
    return path.is_file() and f"\n{_MADE} " in path.read_text(encoding="utf-8", errors="replace")


def card(
    domain: str, summary: Summary, *, n: int, seed: int, command: str, parquet: bool, writer: ModelClient | None
) -> str:
    """The text of README.md."""
    splits = list(summary.tasks)
    formats = list(dict.fromkeys(name for name, _ in summary.rows))
    suffix = "parquet" if parquet else "jsonl"
    lines = ["---", "license: mit", "language: [en]", "tags: [tool-use, agents, synthetic]", "configs:"]
    for name in formats:
        lines += [f"- config_name: {name}", "  data_files:"]
        for split in splits:
            if summary.rows[name, split]:
                lines += [f"  - split: {split}", f"    path: {name}/{split}.{suffix}"]
    lines += ["---", "", f"# Conversations of {domain}", ""]
    lines += [
        f"{_MADE} {seed}:",
        "",
        f"    {command}" if command else f"    pytest-tau dataset {domain} --n {n} --seed {seed} -o DIR",
        "",
        "The tasks are composed of the domain's atoms and proven: an oracle passes each, trivial agents fail, and "
        "every change counts. The customer follows a script. The agent is the oracle, or the oracle with one mistake "
        "of a kind that models make. Domain, tasks and conversations are synthetic and under pytest-tau's licence "
        "(MIT); no customer is a real person.",
        "",
        "| split | tasks | passed | missed |",
        "|---|---|---|---|",
    ]
    for split in splits:
        passed, missed = summary.outcomes[split, "passed"], summary.outcomes[split, "missed"]
        lines.append(f"| {split} | {summary.tasks[split]} | {passed} | {missed} |")
    lines += ["", "| format | rows | what |", "|---|---|---|"]
    for name in formats:
        counts = ", ".join(f"{split} {summary.rows[name, split]}" for split in splits)
        lines.append(f"| `{name}` | {counts} | {_ABOUT[name]} |")
    lines += ["", "## How it is told, and what went wrong", ""]
    lines += [f"- {variant}: {count}" for variant, count in sorted(summary.variants.items())]
    if writer is not None:
        lines.append(f"- lines of the agent in other words, by {writer.model}: {summary.reworded}")
    lines += ["", *(f"- fault {kind}: {count}" for kind, count in sorted(summary.faults.items()))]
    lines += ["", "## What splits have in common", ""]
    lines += [
        f"- {pair}: {found['records']} customers and records, {found['wordings']} wordings (compared by hash)"
        for pair, found in summary.leaks.items()
    ]
    lines += [f"- left out: {count} {why}" for why, count in sorted(summary.left_out.items())]
    if summary.contamination:
        lines += ["", f"## Contamination: {GRAM}-grams of words that stand in other tasks", ""]
    for what, by_split in summary.contamination.items():
        for split, found in by_split.items():
            lines.append(f"- {split}: {found.render(what)}")
            lines += [f"  - “{text}”" for text in found.examples[:2]]
    return "\n".join(lines) + "\n"
