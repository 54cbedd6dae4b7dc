"""``pytest-tau stats``: what a suite is made of, and the public data beside it."""

from __future__ import annotations

import argparse

from pytest_tau.cli.arguments import say

HELP = "describe a suite: tasks, writes, intents, wording; next to the public data"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("suite", help="a suite, such as retail, or a folder or file of tasks")
    parser.add_argument("--split", help="only a split of it (default: all its tasks)")
    parser.add_argument("--data", metavar="DIR", help="public data to compare the suite with")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from pytest_tau.environment.domain import load_domain
    from pytest_tau.environment.tasks import find_suite, load_tasks

    from ..stats import render, stats

    tasks = load_tasks(arguments.suite, split=arguments.split)
    suite = find_suite(arguments.suite)
    name = tasks[0].domain_name or (suite.parent if suite.is_file() else suite).name
    suites = {f"{name} {arguments.split or ''}".strip(): stats(tasks, load_domain(name))}
    if arguments.data is not None:
        public = load_tasks(name, data=arguments.data)
        suites["public"] = stats(public, load_domain(name, data=arguments.data))
    for line in render(suites):
        say(line)
    return 0
