"""``pytest-tau stats``: what a suite is made of, and the public data beside it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pytest_tau.cli.arguments import say
from pytest_tau.errors import SettingsError

if TYPE_CHECKING:
    from pytest_tau.schema.task import Task

HELP = "describe a suite: tasks, writes, intents, wording; next to the public data"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("suite", help="a suite, such as retail, or a folder or file of tasks")
    parser.add_argument("--split", help="only a split of it (default: all its tasks)")
    parser.add_argument("--data", metavar="DIR", help="public data to compare the suite with")
    parser.add_argument("--log", metavar="LOG", help="logged conversations, whose wishes the suite may lack")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from pytest_tau.environment.domain import load_domain
    from pytest_tau.environment.folders import domain_name, own_name
    from pytest_tau.environment.tasks import find_suite, load_tasks
    from pytest_tau.printable import count_of
    from pytest_tau.recordings.reading import read_conversations

    from ..stats import lacking, render, stats, strange_calls

    tasks = load_tasks(arguments.suite, split=arguments.split)
    suite = find_suite(arguments.suite)
    own = own_name(suite.parent if suite.is_file() else suite)
    by_domain: dict[str, list[Task]] = {}
    for task in tasks:
        named = task.domain_name  # in data: a name, and never a path
        by_domain.setdefault(domain_name(named) if named else own, []).append(task)
    if len(by_domain) > 1 and (arguments.data is not None or arguments.log is not None):
        raise SettingsError(
            f"{suite}: its tasks are of several domains ({', '.join(by_domain)}), and --data and --log are about one; "
            "name a file of it"
        )
    suites = {
        f"{name} {arguments.split or ''}".strip(): stats(of_it, load_domain(name)) for name, of_it in by_domain.items()
    }
    name = next(iter(by_domain), own)
    if arguments.data is not None:
        public = load_tasks(name, data=arguments.data)
        suites["public"] = stats(public, load_domain(name, data=arguments.data))
    for line in render(suites):
        say(line)
    if arguments.log is not None:
        found = read_conversations(arguments.log)
        missing = lacking(next(iter(suites.values())), found, load_domain(name))
        number = f"{missing.total()} of {count_of(len(found), 'conversations')}"
        say(f"\nin the log, and in no task: changes made by ({number})")
        for tools, count in missing.most_common():
            say(f"  {count:>4}  {' + '.join(tools) or 'none'}")
        if strange := strange_calls(found, load_domain(name)):
            some = ", ".join([*strange][:5]) + (", …" if len(strange) > 5 else "")
            say(f"not looked at: {count_of(strange.total(), 'calls')} of tools that '{name}' does not have ({some})")
    return 0
