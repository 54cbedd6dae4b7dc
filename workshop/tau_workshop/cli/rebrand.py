"""``pytest-tau rebrand``: a domain and its suite under other names, or under another policy, proven again."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_tau.cli.arguments import add_domain, add_project, whole
from pytest_tau.errors import SettingsError
from pytest_tau.printable import count_of

_MOST = 40
HELP = "copy a domain and its suite under other names or values, against memorised benchmarks"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_domain(parser)
    add_project(parser)
    parser.add_argument("--seed", type=int, default=1, help="seed that chooses the names or values (default: 1)")
    parser.add_argument("--name", help="the new domain's name (default: the old one and the seed, such as retail_3)")
    parser.add_argument(
        "--policy",
        action="store_true",
        help="change what the policy states instead: the fees, limits, windows, tiers and methods of values.toml",
    )
    parser.add_argument("--n", type=whole, help=f"with --policy: the number of tasks at most (default: {_MOST})")
    parser.add_argument(
        "--composed",
        type=int,
        metavar="SEED",
        help="with --policy: the seed with which the original's suite was composed, to pair its tasks (default: that "
        "of the domain's family)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    if arguments.policy:
        return _other_policy(arguments)
    for option in ("n", "composed"):
        if getattr(arguments, option) is not None:
            raise SettingsError(f"--{option} is about another policy: add --policy")
    from pytest_tau.environment.domain import load_domain

    from ..rebrand import rebrand, shared_grams

    domain, tasks = rebrand(arguments.domain, arguments.output, seed=arguments.seed, called=arguments.name)
    common = sorted(shared_grams(load_domain(arguments.domain), domain))
    made = count_of(len(tasks), "tasks")
    print(f"{arguments.output / 'domains' / domain.name}: {made}, each of which the oracle passes")  # noqa: T201
    print(f"in common with the names of the original: {len(common)} runs of five letters")  # noqa: T201
    return 1 if common else 0


def _other_policy(arguments: argparse.Namespace) -> int:
    from ..rebrand_policy import rebrand_policy

    number = _MOST if arguments.n is None else arguments.n
    if number < 1:
        raise SettingsError(f"--n must be at least 1, and is {number}")
    ghost = rebrand_policy(
        arguments.domain,
        arguments.output,
        seed=arguments.seed,
        called=arguments.name,
        n=number,
        composed=arguments.composed,
    )
    made = count_of(len(ghost.tasks), "tasks")
    where = arguments.output / "domains" / ghost.domain.name
    print(f"{where}: {made}, of which {len(ghost.paired)} have a pair in the original suite")  # noqa: T201
    for name, (old, new) in ghost.changed.items():
        catch = count_of(len(ghost.caught[name]), "tasks")
        fail = "fails" if len(ghost.caught[name]) == 1 else "fail"
        print(f"  {name}: {old} -> {new}; {catch} {fail} an agent that still goes by {old}")  # noqa: T201
    for name, value in ghost.left.items():
        print(f"  {name} stays {value}: no task would show another value here")  # noqa: T201
    if not ghost.paired:
        print(f"in {arguments.output}, play it: pytest --tau-domain {ghost.domain.name}")  # noqa: T201
        return 0
    both = f"{Path(arguments.domain).name},{ghost.domain.name}"
    print(f"in {arguments.output}, play both: pytest --tau-domain {both} --tau-split paired")  # noqa: T201
    return 0
