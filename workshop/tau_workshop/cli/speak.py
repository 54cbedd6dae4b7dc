"""``pytest-tau speak``: a suite's customers through a loudspeaker and a recogniser, for ``--tau-perturb spoken``."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_tau.cli.arguments import add_output, say
from pytest_tau.errors import SettingsError
from pytest_tau.printable import count_of

HELP = "send a suite's customers through a synthesiser and a recogniser, and keep what was heard"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("suite", help="a suite, such as tasks/retail, or the name of a built-in one")
    parser.add_argument("--tasks", metavar="IDS", help="only these tasks: ids, with commas")
    parser.add_argument(
        "--model",
        type=Path,
        metavar="FOLDER",
        help="a model of faster-whisper (default: pocketsphinx, which needs none)",
    )
    add_output(parser, "the file to write: the tasks with what was heard of them, as one array", metavar="FILE")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from pytest_tau.environment.tasks import load_tasks

    from ..compose import refuse_other_files, write
    from ..speech.freezing import with_heard
    from ..speech.line import open_line

    wanted = None if arguments.tasks is None else {one.strip() for one in arguments.tasks.split(",")}
    tasks = [task for task in load_tasks(arguments.suite) if wanted is None or task.id in wanted]
    if missing := sorted((wanted or set()) - {task.id for task in tasks}):
        raise SettingsError(f"--tasks: {arguments.suite} has no task '{missing[0]}'")
    refuse_other_files(arguments.output)
    line = open_line(arguments.model)
    made = [with_heard(task, line, number) for number, task in enumerate(tasks)]
    try:
        write(made, arguments.output)
    except OSError as error:
        raise SettingsError(f"{arguments.output}: cannot be written: {error.strerror}") from None
    scenarios = [one for task in made for one in (task.user_scenario, *(e.user_scenario for e in task.episodes or []))]
    lines = sum(len(one.heard or {}) for one in scenarios)
    say(f"{arguments.output}: {count_of(lines, 'lines')} of {count_of(len(made), 'tasks')}, as they were heard")
    return 0
