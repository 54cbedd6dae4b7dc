"""``pytest-tau dataset``: labelled conversations of composed tasks, split without leaks, in trainers' formats."""

from __future__ import annotations

import argparse
import shlex
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_tau.cli.arguments import add_domain, add_output, whole
from pytest_tau.errors import DomainError, SettingsError, TaskError
from pytest_tau.printable import count_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_tau.schema.task import Task


HELP = "make labelled conversations for training, split without leaks"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_domain(parser)
    add_output(parser, "the folder to write")
    parser.add_argument("--n", type=whole, default=1000, help="conversations in all (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (default: 1)")
    parser.add_argument(
        "--formats",
        default="",
        metavar="NAMES",
        help="comma-separated: chat, preferences, stepwise, steps, rewards, prompts, labels (default: all)",
    )
    parser.add_argument("--parquet", action="store_true", help="write Parquet files instead of JSON lines")
    parser.add_argument("--reword-llm", metavar="MODEL", help="let this model reword the agent's lines")
    parser.add_argument("--data", metavar="DIR", help="public data to check for contamination")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns 1 where splits have something in common."""
    from pytest_tau.llm.client import LiteLLMClient

    from ..dataset.formats import FORMATS
    from ..dataset.rewording import UNANSWERED
    from ..dataset.writing import write_dataset

    if arguments.n < 3:
        raise SettingsError(f"--n must be at least 3, one conversation a split, and is {arguments.n}")
    formats = [name.strip() for name in arguments.formats.split(",") if name.strip()] or list(FORMATS)
    options = ["--n", str(arguments.n), "--seed", str(arguments.seed), *["--parquet"] * arguments.parquet]
    options += ["--formats", arguments.formats] if arguments.formats else []
    options += ["--reword-llm", arguments.reword_llm] if arguments.reword_llm else []
    command = shlex.join(["pytest-tau", "dataset", arguments.domain, "-o", str(arguments.output), *options])
    summary = write_dataset(
        arguments.domain,
        arguments.output,
        n=arguments.n,
        seed=arguments.seed,
        formats=formats,
        parquet=arguments.parquet,
        others=_others(arguments.domain, arguments.data),
        writer=LiteLLMClient(arguments.reword_llm) if arguments.reword_llm else None,
        command=command,
    )
    for split, number in summary.tasks.items():
        played = sum(count for (of, _), count in summary.outcomes.items() if of == split)
        print(f"{split}: {count_of(played, 'conversations')} of {count_of(number, 'tasks')}")  # noqa: T201
    if unanswered := summary.left_out[UNANSWERED]:
        kept = f"{count_of(unanswered, 'conversations')} kept their words: {arguments.reword_llm} did not answer"
        print(kept, file=sys.stderr)  # noqa: T201
    common = sum(sum(found.values()) for found in summary.leaks.values())
    print(f"in common between splits: {common}; the card is {arguments.output / 'README.md'}")  # noqa: T201
    return 1 if common else 0


def _others(domain: str, data: str | None) -> dict[str, Sequence[Task]]:
    """The tasks to be compared with: the domain's own suite, and the public one."""
    from pytest_tau.environment.tasks import load_tasks

    name = Path(domain).name
    others: dict[str, Sequence[Task]] = {}
    with suppress(TaskError, DomainError):  # a domain need not have a suite
        others[f"the suite tasks/{name}"] = load_tasks(name)
    if data is not None:
        others["the public tasks"] = load_tasks(name, data=data)
    return others
