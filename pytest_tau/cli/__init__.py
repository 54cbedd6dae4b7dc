"""``pytest-tau``: what is not a test run. One module a command; this one reads the command line and picks it.

Commands are entry points of the group ``pytest_tau.commands``. Those about runs lie here, those that make tasks and
worlds in ``tau_workshop.cli``; any package can add its own.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from io import TextIOWrapper, UnsupportedOperation
from shutil import get_terminal_size
from textwrap import fill
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, Protocol, TextIO, cast

from ..errors import TauError, describe, reason
from ..printable import printable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "pytest_tau.commands"
"""The entry points of the commands: a name on the command line, and a module with ``HELP``, ``add`` and ``run``."""


FIRST = frozenset(
    ("audit", "check", "compare", "demo", "doctor", "generate", "import", "new", "play", "record", "show", "view")
)
"""The commands that one meets first; the others stand below them in help."""


_BEGIN = """\
pytest-tau: which command? To begin with:
  pytest-tau demo                a red gate and its report, in seconds: no key, no network, no model
  pytest --tau-domain retail     the built-in tasks; with --tau-agent module:factory or --tau-agent-llm your agent
  pytest-tau new domain NAME     tasks of your own
  pytest-tau doctor OPTIONS      are the models of a run set up as it needs them? With the run's options
All commands: pytest-tau --help"""


class Command(Protocol):
    """What a command's module has. ``HELP`` is its line in ``pytest-tau --help``."""

    HELP: str

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do it; returns the exit status."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        0 when all is well, 1 when it found faults, 2 when it could not be run, 130 when it was interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for terminals that have no arrows and dashes
    with suppress(UnsupportedOperation):  # of a program that has read from it and calls this
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # a letter in another encoding must not cost what was typed before
    try:
        argv = sys.argv[1:] if argv is None else argv
        if not argv:
            print(_BEGIN, file=sys.stderr)  # noqa: T201
            return 2
        arguments = _parse(argv)
        if "" not in sys.path:
            sys.path.append("")  # the current folder, where a domain's tools may call a project's own modules
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
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
        named = error.filename2 or error.filename  # of a file that was to take another's place, that other
        where = "" if named is None else f"{named}: "
        return _fail(f"{where}{reason(error)}; make sure that this can be written, and start again")
    except BaseException as error:  # a tool may raise anything, such as SystemExit
        # pydantic tells of an interrupt while it builds a model by an error of its own.
        if isinstance(error, KeyboardInterrupt) or str(error).endswith("KeyboardInterrupt: "):
            _tell("interrupted")
            return 130
        if (place := _authors_line(error)) is None:
            raise
        return _fail(f"{place}: {type(error).__name__}: {describe(error)}")
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
    _tell(sentence)
    return 2


def _tell(sentence: str) -> None:
    print(f"pytest-tau: {printable(sentence)}", file=sys.stderr)  # noqa: T201


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Tell what a warning says: a line of our own source beside it would tell nobody anything."""
    if sys.stderr is None:
        return  # closed before the start; print() would take stdout, where the answer stands
    if issubclass(category, UserWarning):
        _tell(str(message))
    else:
        print(warnings.formatwarning(message, category, filename, lineno, line), end="", file=sys.stderr)  # noqa: T201


def _close_quietly() -> None:
    """Let nothing more be written to where it cannot be; without this, closing stdout complains once more."""
    with suppress(UnsupportedOperation):  # of a program that has taken its place and calls this
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments. argparse takes the runs up to the next option only, and knows nothing of those behind it."""
    parser = _parser(argv[0])
    arguments, left = parser.parse_known_args(argv)
    if hasattr(arguments, "others"):  # a command that hands them on
        arguments.others = left
        return arguments
    runs: list[Any] = getattr(arguments, "runs", [])
    if left and (not runs or any(one.startswith("-") for one in left)):
        parser.error(f"unrecognized arguments: {' '.join(left)}")
    for one in left:
        runs.append(type(runs[0])(one))
    return arguments


def _parser(asked: str) -> argparse.ArgumentParser:
    """The parser of the command that is asked for, or of all where there is none of that name."""
    parser = argparse.ArgumentParser(
        prog="pytest-tau",
        description="Tools around tau test runs; the runs themselves are `pytest --tau-domain NAME`.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"pytest-tau {_version()}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    later = []
    for name, module in _commands(asked):
        if name in FIRST:
            command = commands.add_parser(name, help=module.HELP)
        else:
            command = commands.add_parser(name, description=module.HELP)  # of which the list above says nothing
            later.append(_line(name, module.HELP))
        module.add(command)
        command.set_defaults(run=module.run)
    parser.epilog = "\n".join(["for experts:", *later])
    return parser


def _line(name: str, about: str) -> str:
    """A command in the list below, as argparse writes those above it."""
    width = get_terminal_size().columns - 2
    return fill(about, max(width, 40), initial_indent=f"    {name:<10}", subsequent_indent=" " * 14)


def _commands(asked: str) -> list[tuple[str, Command]]:
    """The command of this name, or else those of all installed packages."""
    from importlib.metadata import entry_points

    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    found = [*_loaded(point for point in points if point.name == asked)]
    return found or [*_loaded(point for point in points if point.name != asked)]


def _loaded(points: Iterable[EntryPoint]) -> Iterator[tuple[str, Command]]:
    """Commands by name; one that cannot be imported is told and left out."""
    for point in points:
        try:
            yield point.name, cast(Command, point.load())
        except Exception as error:
            whose = "" if point.dist is None else f" of {point.dist.name}"
            _tell(f"the command '{point.name}'{whose} cannot be loaded: {type(error).__name__}: {describe(error)}")


def _version() -> str:
    from importlib.metadata import version

    return version("pytest-tau")
