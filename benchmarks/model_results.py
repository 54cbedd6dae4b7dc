"""The tables of docs/results.md, out of the journals of runs.

python -m benchmarks.model_results DIR [DIR ...] [--say]

Each DIR is what a run was given as ``--tau-results``; its latest run is read. ``--say`` prints the conversations too.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from pytest_tau import load_journal
from pytest_tau.errors import TauError
from pytest_tau.metrics.intervals import pass_k_interval
from pytest_tau.metrics.pass_k import mean_pass_hat_k
from pytest_tau.schema.messages import AssistantMessage, ToolMessage
from pytest_tau.schema.record import Outcome, TrialRecord
from pytest_tau.schema.simulation import Simulation

HEAD = (
    "| suite | model | agent | customer | tasks × k | passed | pass^1 | pass^2 | faults | model calls | tool calls | "
    "noticed | tokens a trial | seconds a trial |\n|---|---|---|---|--:|--:|--:|--:|---|--:|--:|---|--:|--:|"
)


def counts(records: list[TrialRecord]) -> list[tuple[int, int]]:
    """Of each task, how many graded trials passed, and how many there are."""
    graded = [one for one in records if one.outcome in (Outcome.PASSED, Outcome.MISSED)]
    tasks = dict.fromkeys(one.task_id for one in graded)
    of = {task: [one.outcome is Outcome.PASSED for one in graded if one.task_id == task] for task in tasks}
    return [(sum(passed), len(passed)) for passed in of.values()]


def pass_k(tasks: list[tuple[int, int]], k: int) -> str:
    """pass^k with its interval, or a dash where no task has k graded trials."""
    found, interval = mean_pass_hat_k(tasks, k), pass_k_interval(tasks, k)
    if found is None or interval is None:
        return "–"
    return f"{100 * found[0]:.0f} % [{100 * interval.low:.0f}–{100 * interval.high:.0f}]"


def listed(counted: Counter[str]) -> str:
    """What was counted, the most frequent first."""
    return ", ".join(f"{number} {what}" for what, number in counted.most_common()) or "none"


def row(folder: Path) -> str:
    """The line of a run."""
    records = load_journal(folder)
    played = [one.simulation for one in records if one.simulation is not None]
    every = [*played, *(again for one in played for again in one.discarded or ())]
    said = [message for one in every for message in one.messages]
    used = [m.usage for m in said if not isinstance(m, ToolMessage) and m.usage is not None]
    suite = ", ".join(dict.fromkeys(one.domain for one in records))
    agent, _, model = (played[0].agent if played else "–").partition(" ")
    faults = Counter(one.fault.kind.label for one in records if one.fault is not None)
    noticed = sum((Counter(one.incidents) for one in every), Counter())
    again = sum(len(one.discarded or ()) for one in played)
    noticed.update({"customer broke the rules, played again": again} if again else {})
    tasks = counts(records)
    spent = sum(one.prompt_tokens + one.completion_tokens for one in used)
    calls = sum(len(m.tool_calls or ()) for m in said if isinstance(m, AssistantMessage))
    trials = max(1, len(records))
    cells = [
        *(suite, model.split("/")[-1] or "–", agent, played[0].user if played else "–"),
        f"{len({one.task_id for one in records})} × {max((one.trial for one in records), default=0)}",
        f"{sum(passed for passed, _ in tasks)} of {sum(number for _, number in tasks)}",
        *(pass_k(tasks, 1), pass_k(tasks, 2)),
        *(listed(faults), str(len(used)), str(calls), listed(noticed)),
        *(f"{spent / trials:,.0f}", f"{sum(one.duration for one in every) / trials:.0f}"),
    ]
    return f"| {' | '.join(cells)} |"


def conversation(simulation: Simulation) -> str:
    """What was said, one message a line."""
    lines = [f"## {simulation.agent}, {simulation.user}: {simulation.task_id}, {simulation.termination_reason}"]
    for message in simulation.messages:
        calls = [] if isinstance(message, ToolMessage) else message.tool_calls or []
        lines += [f"{message.role}: {message.content}"] if message.content else []
        lines += [f"{message.role} calls {call.name} {call.arguments}" for call in calls]
    return "\n".join(lines)


def main() -> None:
    """Print the table, and what was said."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--say", action="store_true", help="print the conversations too")
    chosen = parser.parse_args()
    try:
        rows = [row(folder) for folder in chosen.folders]
    except TauError as error:
        parser.error(str(error))
    print("\n".join([HEAD, *rows]))
    for folder in chosen.folders if chosen.say else ():
        for record in load_journal(folder):
            if record.simulation is not None:
                print(f"\n{conversation(record.simulation)}")


if __name__ == "__main__":
    main()
