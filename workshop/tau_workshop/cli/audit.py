"""``pytest-tau audit``: says what a suite's grades are worth: trivial agents, mutants, unclear goals.

With ``--policy`` it says instead which rules of the policy its tasks guard.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_tau.cli.arguments import add_domain, say, whole
from pytest_tau.errors import SettingsError

if TYPE_CHECKING:
    from pytest_tau.schema.task import Task

_MUTANTS = 24
HELP = "measure what a suite's grading misses: trivial agents, mutants, unclear goals"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_domain(parser)
    parser.add_argument("--tasks", metavar="PATH", help="its tasks (default: the folder tasks/NAME beside domains/)")
    parser.add_argument("--split", help="only this split of them (default: all)")
    parser.add_argument("--mutants", type=whole, metavar="N", help=f"at most N mutants per task (default: {_MUTANTS})")
    parser.add_argument(
        "--perturb",
        metavar="KINDS",
        help="also prove these perturbations, or none (default: all)",
    )
    parser.add_argument(
        "--endings",
        action="store_true",
        help="instead: list other end states that would satisfy the customer and break no rule of the policy",
    )
    parser.add_argument("--data", type=Path, help="with --endings: the root of the public data, for its database")
    parser.add_argument("--seed", type=int, default=300, help="seed that chooses the mutants (default: 300)")
    policy = parser.add_argument_group("which rules of the policy the tasks guard, instead")
    policy.add_argument("--policy", action="store_true", help="report each rule of the policy with its tasks")
    policy.add_argument("--html", metavar="FILE", type=Path, help="write the policy with a coloured margin")
    policy.add_argument("--json", metavar="FILE", type=Path, help="write the report as JSON")
    policy.add_argument(
        "--fail-under", type=float, default=0.0, metavar="PERCENT", help="exit with 1 where fewer rules are guarded"
    )
    policy.add_argument(
        "--prove", type=whole, default=0, metavar="N", help="show it with a literal agent under N edits of the policy"
    )


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    if arguments.policy:
        _refuse(arguments, "endings", "data", "mutants", "perturb", why="--policy counts the rules that tasks guard")
        return _policy(arguments)
    if arguments.endings:
        _refuse(arguments, "mutants", "perturb", why="--endings lists other right endings only")
    for option in ("html", "json", "fail_under", "prove"):
        if getattr(arguments, option):
            raise SettingsError(f"--{option.replace('_', '-')} is about the policy: add --policy")
    from pytest_tau.environment.domain import find_domain, load_domain
    from pytest_tau.variants import builtin_kinds, read_doses

    from ..audit.suite import audit, render
    from ..perturb.proof import broken_parts

    number = _MUTANTS if arguments.mutants is None else arguments.mutants
    if number < 0:
        raise SettingsError(f"--mutants must not be negative, and is {number}")
    if arguments.data is not None and not arguments.endings:
        raise SettingsError("--data goes with --endings only")
    folder = find_domain(arguments.domain).resolve()
    suite, tasks = _tasks(arguments, folder)
    if other := next((task for task in tasks if task.domain_name not in (None, folder.name)), None):
        where = f"the task '{other.id}' is of the domain '{other.domain_name}', and this is '{folder.name}'"
        raise SettingsError(f"{suite}: {where}; audit each domain with the files of its tasks")
    if arguments.endings:
        from ..audit.endings import disputes, render_disputes

        found = list(disputes(tasks, load_domain(folder, data=arguments.data)))
        for line in render_disputes(folder.name, len(tasks), found):
            say(line)
        return 1 if found else 0
    kinds = "all" if arguments.perturb is None else arguments.perturb
    doses = [] if kinds == "none" else read_doses(kinds, builtin_kinds())
    domain = load_domain(folder)
    audits = [
        replace(found, findings=[*found.findings, *broken_parts(task, domain, doses, arguments.seed)])
        for task, found in zip(tasks, audit(tasks, domain, number=number, seed=arguments.seed), strict=True)
    ]
    for line in render(folder.name, audits):
        say(line)
    return 1 if any(found.findings for found in audits) else 0


def _refuse(arguments: argparse.Namespace, *options: str, why: str) -> None:
    """Raise SettingsError for the first of these options that was given; 0 is a value as well."""
    for option in options:
        if (given := getattr(arguments, option)) is not None and given is not False:
            raise SettingsError(f"{why}: leave out --{option}")


def _tasks(arguments: argparse.Namespace, folder: Path) -> tuple[Path, list[Task]]:
    """The suite of a domain's folder, or that of --tasks, and the tasks of the split in it."""
    from pytest_tau.environment.tasks import read_tasks, split_ids, suite_files

    suite = Path(arguments.tasks) if arguments.tasks else folder.parent.parent / "tasks" / folder.name
    files = suite_files(suite)
    wanted = None if arguments.split is None else split_ids(files[0], arguments.split)
    return suite, [task for file in files for task in read_tasks(file) if wanted is None or task.id in wanted]


def _policy(arguments: argparse.Namespace) -> int:
    """Report the coverage of the policy; returns the exit status."""
    from pytest_tau.environment.domain import find_domain, load_domain

    from ..policy.book import find_book
    from ..policy.coverage import as_data, cover, render, tasks_of
    from ..policy.page import page
    from ..policy.proof import prove, seeded_edits

    if not 0 <= arguments.fail_under <= 100:
        raise SettingsError(f"--fail-under must be a share in percent, 0 to 100, and is {arguments.fail_under:g}")
    if arguments.prove < 0:
        raise SettingsError(f"--prove must not be negative, and is {arguments.prove}")
    folder = find_domain(arguments.domain).resolve()
    domain = load_domain(folder)
    suites = folder.parent.parent / "tasks"
    if arguments.tasks or arguments.split is not None:
        _, found_there = _tasks(arguments, folder)
        tasks = [task for task in found_there if task.domain_name in (None, domain.name)]
    elif suites.is_dir():
        tasks = tasks_of(domain, suites)
    else:
        raise SettingsError(f"{suites}: there is no such folder; name the tasks with --tasks")
    proof = None
    if arguments.prove:
        book = find_book(domain)
        if book is None:
            raise SettingsError(f"--prove: the workshop of '{domain.name}' has no guards.py with a RuleBook")
        proof = prove(tasks, domain, book, seeded_edits(domain.rules, arguments.prove, arguments.seed))
    found = cover(domain, tasks, proof)
    for line in render(found):
        say(line)
    if arguments.html is not None:
        _write(arguments.html, page(found))
    if arguments.json is not None:
        _write(arguments.json, json.dumps(as_data(found), indent=2, ensure_ascii=False) + "\n")
    few = 100 * found.share < arguments.fail_under
    if few:
        share, least = 100 * found.share, arguments.fail_under
        say(f"\nFailed: {share:.1f} % of the rules are guarded, below {least:g} % (--fail-under).")
    return 1 if found.unknown or few else 0


def _write(path: Path, text: str) -> None:
    """Write a report; raises SettingsError."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"{path}: cannot be written: {error.strerror}") from None
