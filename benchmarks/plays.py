"""Plays in natural words that were written blind, graded without a judge: right ones that fail, bad ones that pass.

python -m benchmarks.plays

``blind/`` has twenty-two sets, as they were written one after the other by a language model that had seen policies,
tasks and tools, and neither the rules nor a grade. A *right* play keeps to the policy; each other one has the defect
that its label and ``defect`` name. What the rules gave at first sight stands in docs/accuracy.md: since then they have
been changed with these plays in sight, so that what is printed here is no measurement on new data.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pytest_tau import (
    AssistantMessage,
    Domain,
    Simulation,
    Task,
    ToolCall,
    UserMessage,
    grade,
    load_domain,
    load_tasks,
    simulate,
)

FOLDER = Path(__file__).parent / "blind"
SETS = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))
RIGHT = "right"
Verdict = Literal["missed", "unclear", "lost", "clean"]


class Play(NamedTuple):
    """A conversation word for word: a turn is a side and its text, or a side's call with its arguments."""

    id: str
    domain: str
    task: str
    label: str
    defect: str | None
    turns: list[list[Any]]


def plays(name: str) -> Iterator[Play]:
    """The plays of a set."""
    content = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return (Play(**one) for one in content)


def verdict(play: Play) -> Verdict:
    """What grading says of a play: a rule broken, something unclear, neither though the task is lost, or all well."""
    reward = grade(*conversation(play))
    least, most = reward.under_policy_range
    if least == 0:
        return "missed" if most == 0 else "unclear"
    return "clean" if reward.passed else "lost"


def conversation(play: Play) -> tuple[Task, Simulation, Domain]:
    """A play with the results of its calls, its task and its domain."""
    task, domain = tasks_of(play.domain)[play.task], load_domain(play.domain)
    ours, theirs = _Speaker(play, "agent", "call"), _Speaker(play, "user", "ucall")
    return task, simulate(task, domain, agent=lambda context: ours, user=lambda context: theirs), domain


@cache
def tasks_of(domain: str) -> dict[str, Task]:
    """The tasks of a suite by their ids."""
    return {task.id: task for task in load_tasks(domain, split="base")}


class _Speaker:
    """Says and calls what one side does in a play, and takes its leave after that."""

    def __init__(self, play: Play, says: str, calls: str) -> None:
        self._steps = iter([turn for turn in play.turns if turn[0] in (says, calls)])
        self._calls = calls

    def reply(self, messages: object) -> str | AssistantMessage | UserMessage:
        step = next(self._steps, None)
        if step is None:
            return "Goodbye." if self._calls == "call" else "###STOP###"
        if step[0] != self._calls:
            return str(step[1])
        call = ToolCall(id="call", name=step[1], arguments=step[2])
        return AssistantMessage(tool_calls=[call]) if self._calls == "call" else UserMessage(tool_calls=[call])


def main() -> None:
    """Print a line for each set and label; what is lost breaks no rule that is seen, and fails all the same."""
    print(f"{'':<24}{'label':<20}{'missed':>8}{'unclear':>9}{'lost':>9}{'passed':>9}")
    for name in SETS:
        counts: dict[str, Counter[Verdict]] = {}
        for play in plays(name):
            counts.setdefault(play.label, Counter())[verdict(play)] += 1
        for label, found in sorted(counts.items()):
            print(
                f"{name:<24}{label:<20}{found['missed']:>8}{found['unclear']:>9}{found['lost']:>9}{found['clean']:>9}"
            )


if __name__ == "__main__":
    main()
