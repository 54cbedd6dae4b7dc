"""``pytest-tau rebrand``: a domain and its suite under other names, proven again."""

from __future__ import annotations

import argparse

from pytest_tau.cli.arguments import add_domain, add_project
from pytest_tau.printable import count_of

HELP = "copy a domain and its suite under other names, against memorised benchmarks"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_domain(parser)
    add_project(parser)
    parser.add_argument("--seed", type=int, default=1, help="seed that chooses the names (default: 1)")
    parser.add_argument("--name", help="the new domain's name (default: the old one and the seed, such as retail_3)")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from pytest_tau.environment.domain import load_domain

    from ..rebrand import rebrand, shared_grams

    domain, tasks = rebrand(arguments.domain, arguments.output, seed=arguments.seed, called=arguments.name)
    common = sorted(shared_grams(load_domain(arguments.domain), domain))
    made = count_of(len(tasks), "tasks")
    print(f"{arguments.output / 'domains' / domain.name}: {made}, each of which the oracle passes")  # noqa: T201
    print(f"in common with the names of the original: {len(common)} runs of five letters")  # noqa: T201
    return 1 if common else 0
