"""``pytest-tau``: what is not a test run. One module a command; this one reads the command line and picks it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from ..errors import TauError
from . import (
    attack,
    audit,
    blame,
    check,
    compare,
    dataset,
    export,
    freeze,
    generate,
    merge,
    new,
    perturb,
    plan,
    play,
    rebrand,
    record,
    schema,
    show,
    stats,
    view,
)

_COMMANDS = (
    (new, "begin a domain, from nothing or from what you have, or a task"),
    (check, "name every fault of a domain folder and its tasks, without a model"),
    (audit, "what a suite's grades are worth: trivial agents, mutants, unclear goals"),
    (attack, "derive tasks that attack the agent, each with a benign twin"),
    (freeze, "make scripted tasks of attacks that a model has played"),
    (generate, "compose proven tasks, where a domain has atoms for them"),
    (perturb, "paraphrases of a suite's customers by a model, checked and kept in a file"),
    (stats, "what a suite is made of, and the public data beside it"),
    (show, "print a domain's policy, tools and tasks, or one task in full"),
    (play, "play one trial in the terminal, as the customer or as the agent"),
    (view, "the report of a run in the browser, while it is played"),
    (record, "type both sides of a conversation, which becomes a task with its gold path"),
    (schema, "print the JSON Schema of a task file"),
    (plan, "how small a drop a suite can see, and how many trials that takes"),
    (blame, "of recorded trials that missed: the step after which they could not pass any more"),
    (dataset, "labelled conversations to train on, split without leaks"),
    (export, "tasks in the form of another program, such as Harbor"),
    (rebrand, "a domain and its suite under other names, against benchmarks that were memorised"),
    (merge, "put several runs into one, such as the shards of a suite"),
    (compare, "runs of the same tasks: better, worse, or chance? Of several: ranks"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns 0 when all is well, 1 when it found faults, 2 when it could not be run."""
    arguments = _parser().parse_args(argv)
    try:
        status: int = arguments.run(arguments)
        sys.stdout.flush()
    except TauError as error:
        print(f"pytest-tau: {error}", file=sys.stderr)  # noqa: T201
        return 2
    except BrokenPipeError:
        # The reader (head, a pager) has seen enough; without this, closing stdout complains once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pytest-tau", description="Tools around tau test runs; the runs themselves are `pytest --tau-domain NAME`."
    )
    parser.add_argument("--version", action="version", version=f"pytest-tau {_version()}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for module, what in _COMMANDS:
        command = commands.add_parser(module.__name__.rpartition(".")[2], help=what)
        module.add(command)
        command.set_defaults(run=module.run)
    return parser


def _version() -> str:
    from importlib.metadata import version

    return version("pytest-tau")
