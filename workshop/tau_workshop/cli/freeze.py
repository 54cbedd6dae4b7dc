"""``pytest-tau freeze``: makes scripted tasks of attacks that a model has played."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from pytest_tau.cli.arguments import add_output, say
from pytest_tau.errors import SettingsError, TaskError

HELP = "turn attacks that a model has played into scripted tasks"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("played", type=Path, metavar="RUN", help="a results folder, a run's folder or a journal")
    parser.add_argument("--tasks", required=True, metavar="SUITE", help="the suite that was played, by name or path")
    add_output(parser, "the task file to write", metavar="FILE")
    parser.add_argument(
        "--all", action="store_true", help="keep every attack that was played, not only those that succeeded"
    )


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from pytest_tau.environment.tasks import load_tasks
    from pytest_tau.journal import load_journal

    from ..attacks.frozen import freeze
    from ..compose import refuse_other_files, write

    refuse_other_files(arguments.output)
    tasks = {task.id: task for task in load_tasks(arguments.tasks)}
    made, number = [], Counter[str]()
    for record in load_journal(arguments.played):
        task, conduct = tasks.get(record.task_id), record.reward.conduct if record.reward else None
        if task is None or record.simulation is None or conduct is None or conduct.attacked is None:
            continue
        if conduct.attacked or arguments.all:
            number[task.id] += 1
            try:
                made.append(freeze(task, record.simulation, number[task.id]))
            except TaskError as error:
                say(str(error))
    if number and not made:
        raise TaskError(f"{arguments.played}: no attack can be frozen, for the reasons above; nothing was written")
    if not made:
        what = "no attack was played" if arguments.all else "no attack succeeded (--all freezes the others, too)"
        raise TaskError(f"{arguments.played}: {what} on a task of '{arguments.tasks}'")
    try:
        write(made, arguments.output)
    except OSError as error:
        raise SettingsError(f"{arguments.output}: cannot be written: {error.strerror}") from None
    say(f"{arguments.output}: {len(made)} attacks")
    return 0
