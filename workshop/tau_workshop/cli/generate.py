"""``pytest-tau generate``: composes tasks, where a domain has atoms to compose them of."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_tau.cli.arguments import add_domain, add_output, say, whole
from pytest_tau.errors import SettingsError
from pytest_tau.printable import count_of

if TYPE_CHECKING:
    from ..compose import ComposeOptions


HELP = "compose proven tasks from a domain's atoms"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_domain(parser)
    parser.add_argument("--n", type=whole, default=114, help="how many tasks (default: 114)")
    parser.add_argument("--seed", type=int, default=42, help="seed that chooses among all possible tasks (default: 42)")
    where = parser.add_mutually_exclusive_group(required=True)
    add_output(where, "the task file to write", metavar="FILE", required=False)
    where.add_argument(
        "--suite",
        type=Path,
        metavar="DIR",
        help="a suite's folder, or a file in it: write composed.json there, and all splits",
    )
    parser.add_argument("--long", action="store_true", help="long episodes: 6 to 15 changes in several conversations")
    options = parser.add_argument_group(
        "what the tasks should be like", "without these, a mixture; each is also a tag of the tasks"
    )
    options.add_argument("--writes", metavar="N[-M]", help="the number of changes, such as 2 or 3-6")
    options.add_argument(
        "--refusals",
        choices=["none", "mixed", "only"],
        help="whether the agent must refuse wishes: none, some or only such",
    )
    options.add_argument("--ids", choices=["said", "hidden"], help="whether the customer says the numbers of records")
    options.add_argument("--told", choices=["once", "in-turn"], help="all wishes at once, or one after the other")
    options.add_argument(
        "--mind", choices=["kept", "withdrawn", "revised"], help="whether a wish changes once it was proposed"
    )
    options.add_argument("--persona", metavar="NAME", help="helpful, impatient, rambling, distrustful or unsure")
    options.add_argument(
        "--with",
        dest="demands",
        action="append",
        default=[],
        metavar="TAG",
        help="some wish has this tag: abstract, false_belief, dual, superlative, fallback …; can be repeated",
    )
    options.add_argument("--same-record", action="store_true", help="several wishes for one record")
    options.add_argument(
        "--part", type=int, choices=[1, 2], help="one of two suites that share no customer and no wording"
    )


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ..compose import ComposeOptions, freeze, generate, generate_long, refuse_other_files, write

    if arguments.n < 1:
        raise SettingsError(f"--n must be at least 1, not {arguments.n}")
    options, target = _options(arguments), arguments.suite or arguments.output
    if arguments.suite and options.part is not None:
        raise SettingsError("--suite writes both parts of a suite; leave out --part")
    if arguments.long and (arguments.suite or options != ComposeOptions()):
        raise SettingsError(
            "--long writes a mixture to the file of -o; leave out --suite and what tasks are to be like"
        )
    if arguments.output:
        refuse_other_files(arguments.output)
    try:
        if arguments.suite:
            splits = freeze(arguments.domain, arguments.n, arguments.seed, arguments.suite, options)
            said = ", ".join(f"{name} {len(ids)}" for name, ids in splits.items())
        elif arguments.long:
            tasks = generate_long(arguments.domain, arguments.n, arguments.seed)
            write(tasks, arguments.output)
            said = count_of(len(tasks), "tasks")
        else:
            tasks = generate(arguments.domain, arguments.n, arguments.seed, options)
            write(tasks, arguments.output)
            said = count_of(len(tasks), "tasks")
    except OSError as error:
        raise SettingsError(f"{target}: cannot be written: {error.strerror}") from None
    say(f"{target}: {said}")
    return 0


def _options(arguments: argparse.Namespace) -> ComposeOptions:
    from ..compose import ComposeOptions

    return ComposeOptions(
        writes=_range(arguments.writes),
        refusals=arguments.refusals,
        ids=arguments.ids,
        told=arguments.told and arguments.told.replace("-", "_"),
        mind=arguments.mind,
        persona=arguments.persona,
        demands=tuple(arguments.demands),
        same_record=arguments.same_record,
        part=None if arguments.part is None else arguments.part - 1,
    )


def _range(given: str | None) -> tuple[int, int] | None:
    if given is None:
        return None
    found = re.fullmatch(r"([0-6])(?:-([0-6]))?", given)
    if found is None or int(found[2] or found[1]) < int(found[1]):
        raise SettingsError(f"--writes {given}: write a number from 0 to 6, or two such as 3-6")
    return int(found[1]), int(found[2] or found[1])
