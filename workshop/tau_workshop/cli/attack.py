"""``pytest-tau attack``: tasks that attack a domain's agent, each with a benign twin."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_tau.cli.arguments import add_output, say
from pytest_tau.errors import SettingsError, TauError

HELP = "derive tasks that attack the agent, each with a benign twin"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("domains", nargs="+", metavar="DOMAIN", help="a domain folder, or the name of a domain")
    parser.add_argument(
        "--tasks",
        type=Path,
        metavar="SUITE",
        help="derive the attacks from these tasks (default: those in the domain's attacks.py)",
    )
    add_output(parser, "the folder of the suite: a file for each domain")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ..attacks.derive import derived_attacks
    from ..attacks.suite import written_attacks
    from ..compose import refuse_other_files, write

    if arguments.tasks is not None and len(arguments.domains) > 1:
        raise SettingsError("--tasks has the tasks of one domain; name one")
    left_out: list[TauError] = []
    files = {name: arguments.output / f"{Path(name).resolve().name}.json" for name in arguments.domains}
    for name, file in files.items():
        if other := next((one for one in files if one != name and files[one] == file), None):
            raise SettingsError(f"{name} and {other} would both be written to {file}; name one of them")
        refuse_other_files(file)
    for name, file in files.items():
        if arguments.tasks is None:
            tasks = written_attacks(name)
        else:
            tasks = derived_attacks(name, arguments.tasks, rejected=left_out.append)
        try:
            write(tasks, file)
        except OSError as error:
            raise SettingsError(f"{file}: cannot be written: {error.strerror}") from None
        say(f"{file}: {len(tasks) // 2} attacks, each with its twin")
    if left_out:
        say(f"{len(left_out)} more did not prove, such as {left_out[0]}")
    return 0
