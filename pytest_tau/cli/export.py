"""``pytest-tau export``: tasks in the form of another program."""

from __future__ import annotations

import argparse

from ..errors import SettingsError
from .arguments import add_output

HELP = "write tasks in the format of another program, such as Harbor"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("form", choices=["harbor"], help="harbor: one folder per task, for agents in containers")
    parser.add_argument("domain", help="the name of a built-in domain")
    add_output(parser, "the folder to write")
    parser.add_argument("--split", help="which split of its suite (default: core, or all where there is none)")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from .. import __version__
    from ..adapters.harbor import export
    from ..adapters.suites import own_tasks
    from ..environment.domain import load_domain
    from ..environment.folders import builtin_folder, builtin_names
    from ..environment.tasks import load_tasks
    from ..printable import count_of

    names = [name for name in builtin_names("domains") if name in builtin_names("tasks")]
    if arguments.domain not in names:
        raise SettingsError(
            f"{arguments.domain}: only built-in domains with a suite can be exported, because the containers install "
            f"pytest-tau and nothing of yours: {', '.join(names)}"
        )
    domain = load_domain(arguments.domain)
    suite = builtin_folder("tasks", domain.name)
    tasks = load_tasks(suite, split=arguments.split) if arguments.split else own_tasks(domain.name)
    made = export(tasks, domain, arguments.output, version=__version__)
    print(f"{arguments.output}: {count_of(len(made), 'tasks')}")  # noqa: T201
    return 0
