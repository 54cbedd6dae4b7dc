"""``pytest-tau``: what is not a test run. One module a command; this one reads the command line and picks it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from traceback import walk_tb
from typing import Any

from ..errors import TauError, reason, said
from ..printable import printable
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
    (new, "create a domain, from scratch or from what you have, or a task"),
    (check, "find faults in a domain folder and its tasks, without a model"),
    (audit, "measure what a suite's grading misses: trivial agents, mutants, unclear goals"),
    (attack, "derive tasks that attack the agent, each with a benign twin"),
    (freeze, "turn attacks that a model has played into scripted tasks"),
    (generate, "compose proven tasks from a domain's atoms"),
    (perturb, "let a model paraphrase a suite's customers, check the result and keep it in a file"),
    (stats, "describe a suite: tasks, writes, intents, wording; next to the public data"),
    (show, "print a domain's policy, tools and tasks, or one task in full"),
    (play, "play one trial in the terminal, as the customer or as the agent"),
    (view, "show a run's report in the browser while the run is going on"),
    (record, "type both sides of a conversation and get a task with its gold path"),
    (schema, "print the JSON Schema of a task file"),
    (plan, "how small a drop can a suite detect, and how many trials does that take?"),
    (blame, "for recorded trials that failed: the step after which they could no longer pass"),
    (dataset, "make labelled conversations for training, split without leaks"),
    (export, "write tasks in the format of another program, such as Harbor"),
    (rebrand, "copy a domain and its suite under other names, against memorised benchmarks"),
    (merge, "join several runs, such as the shards of a suite"),
    (compare, "compare runs of the same tasks: better, worse or chance? Ranks several"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        0 when all is well, 1 when it found faults, 2 when it could not be run, 130 when it was interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for terminals that have no arrows and dashes
    arguments = _parsed(argv)
    if "" not in sys.path:
        sys.path.append("")  # the current folder, where a domain's tools may call a project's own modules
    try:
        status: int = arguments.run(arguments)
        if sys.stdout is not None:  # None where it was closed before the start
            sys.stdout.flush()
    except TauError as error:
        return _fail(str(error))
    except BrokenPipeError:  # the reader (head, a pager) has seen enough
        _close_quietly()
        return 0
    except OSError as error:  # such as a full disk under what is printed or written
        _close_quietly()
        where = "" if error.filename is None else f"{error.filename}: "
        return _fail(f"{where}{reason(error)}; make sure that this can be written, and start again")
    except KeyboardInterrupt:
        _fail("interrupted")
        return 130
    except BaseException as error:  # a tool may raise anything, such as SystemExit
        if (place := _authors_line(error)) is None:
            raise
        return _fail(f"{place}: {type(error).__name__}: {said(error)}")
    return status


def _authors_line(error: BaseException) -> str | None:
    """The line of a domain's Python that an exception went through last; None for one that is no author's business."""
    frames = [
        f"{frame.f_code.co_filename}:{line}"
        for frame, line in walk_tb(error.__traceback__)
        if str(frame.f_globals.get("__name__")).startswith("pytest_tau_domains.")
    ]
    return frames[-1] if frames else None


def _fail(sentence: str) -> int:
    print(f"pytest-tau: {printable(sentence)}", file=sys.stderr)  # noqa: T201
    return 2


def _close_quietly() -> None:
    """Let nothing more be written to where it cannot be; without this, closing stdout complains once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments. argparse takes the runs up to the next option only, and knows nothing of those behind it."""
    parser = _parser()
    arguments, left = parser.parse_known_args(argv)
    runs: list[Any] = getattr(arguments, "runs", [])
    if left and (not runs or any(one.startswith("-") for one in left)):
        parser.error(f"unrecognized arguments: {' '.join(left)}")
    for one in left:
        runs.append(type(runs[0])(one))
    return arguments


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
