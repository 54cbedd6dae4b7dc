"""``pytest-tau audit``: says what a suite's grades are worth: trivial agents, mutants, unclear goals."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from pytest_tau.cli.arguments import add_domain, say, whole
from pytest_tau.errors import SettingsError

HELP = "measure what a suite's grading misses: trivial agents, mutants, unclear goals"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_domain(parser)
    parser.add_argument("--tasks", metavar="PATH", help="its tasks (default: the folder tasks/NAME beside domains/)")
    parser.add_argument("--split", help="only this split of them (default: all)")
    parser.add_argument(
        "--mutants", type=whole, default=24, metavar="N", help="at most N mutants per task (default: 24)"
    )
    parser.add_argument(
        "--perturb",
        metavar="KINDS",
        default="all",
        help="also prove these perturbations, or none (default: all)",
    )
    parser.add_argument(
        "--endings",
        action="store_true",
        help="instead: list other end states that would satisfy the customer and break no rule of the policy",
    )
    parser.add_argument("--data", type=Path, help="with --endings: the root of the public data, for its database")
    parser.add_argument("--seed", type=int, default=300, help="seed that chooses the mutants (default: 300)")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from pytest_tau.environment.domain import find_domain, load_domain
    from pytest_tau.environment.tasks import read_tasks, split_ids, suite_files
    from pytest_tau.variants import builtin_kinds, read_doses

    from ..audit.suite import audit, render
    from ..perturb.proof import broken_parts

    if arguments.mutants < 0:
        raise SettingsError(f"--mutants must not be negative, and is {arguments.mutants}")
    if arguments.data is not None and not arguments.endings:
        raise SettingsError("--data goes with --endings only")
    folder = find_domain(arguments.domain).resolve()
    suite = Path(arguments.tasks) if arguments.tasks else folder.parent.parent / "tasks" / folder.name
    files = suite_files(suite)
    wanted = None if arguments.split is None else split_ids(files[0], arguments.split)
    tasks = [task for file in files for task in read_tasks(file) if wanted is None or task.id in wanted]
    if arguments.endings:
        from ..audit.endings import disputes, render_disputes

        found = list(disputes(tasks, load_domain(folder, data=arguments.data)))
        for line in render_disputes(folder.name, len(tasks), found):
            say(line)
        return 1 if found else 0
    doses = [] if arguments.perturb == "none" else read_doses(arguments.perturb, builtin_kinds())
    domain = load_domain(folder)
    audits = [
        replace(found, findings=[*found.findings, *broken_parts(task, domain, doses, arguments.seed)])
        for task, found in zip(tasks, audit(tasks, domain, number=arguments.mutants, seed=arguments.seed), strict=True)
    ]
    for line in render(folder.name, audits):
        say(line)
    return 1 if any(found.findings for found in audits) else 0
