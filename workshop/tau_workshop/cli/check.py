"""``pytest-tau check``: names every fault of a domain folder and its tasks, without a model."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from pytest_tau.cli.arguments import add_domain, progress_teller, say

HELP = "find faults in a domain folder and its tasks, without a model"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_domain(parser)
    parser.add_argument(
        "--tasks", metavar="PATH", help="its tasks (default: your folder tasks/NAME, else the one beside domains/)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from pytest_tau.environment.domain import find_domain
    from pytest_tau.errors import TaskError

    from ..check import check

    given = Path(arguments.domain)
    # A folder that is not a domain yet is what this command is for, so it is not looked up like a name.
    folder = given if given.is_dir() else find_domain(arguments.domain)
    place = Path(os.path.abspath(folder))
    suite = place.parent.parent / "tasks" / place.name
    if arguments.tasks:
        suite = Path(arguments.tasks)
        if not os.path.exists(suite):
            raise TaskError(f"{suite}: there is no such file or folder of tasks")
    elif not given.is_dir() and (own := Path("tasks") / folder.name).exists():
        suite = own  # which --tau-domain plays for this name
    count = 0
    for fault in check(folder, suite, told=progress_teller("tasks looked at")):
        count += 1
        say(fault)
    say(f"{folder}: " + ("no faults" if not count else f"{count} fault{'s' * (count > 1)}"))
    return 1 if count else 0
