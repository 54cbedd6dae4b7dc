"""Arguments that several commands take, and how they print."""

from __future__ import annotations

import argparse
import math
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

_SECONDS = 10.0


def add_domain(parser: argparse.ArgumentParser) -> None:
    """The domain that a command is about."""
    parser.add_argument("domain", help="a domain folder, such as domains/shop, or the name of a domain")


def add_output(parser: argparse._ActionsContainer, help: str, *, metavar: str = "DIR", required: bool = True) -> None:
    """The file or folder that a command writes."""
    parser.add_argument("-o", "--output", type=Path, required=required, metavar=metavar, help=help)


def add_project(parser: argparse.ArgumentParser) -> None:
    """The project that a command writes domains and tasks into."""
    help = "the project's folder (default: the current one)"
    parser.add_argument("-o", "--output", type=Path, default=Path(), metavar="DIR", help=help)


def whole(text: str) -> int:
    """A whole number that everything can count with; raises ArgumentTypeError."""
    if not re.fullmatch(r"[-+]?\d{1,9}", text.strip()):
        raise argparse.ArgumentTypeError(f"must be a whole number of at most nine digits, not '{text[:20]}'")
    return int(text)


def progress_teller(what: str) -> Callable[[int, int], None]:
    """What prints to stderr how many of how many are done: ``3 of 10 read``, where ``what`` is *read*.

    The first and the last of these lines are always printed, others when ten seconds have passed since the last one.
    """
    printed_at = -math.inf

    def tell(done: int, of: int) -> None:
        nonlocal printed_at
        if done == of or time.monotonic() - printed_at >= _SECONDS:
            printed_at = time.monotonic()
            print(f"{done} of {of} {what}", file=sys.stderr, flush=True)  # noqa: T201

    return tell


def say(text: str) -> None:
    """Print a text; what tasks, models and files have put into it does nothing to the terminal."""
    from ..printable import printable

    print(printable(text))  # noqa: T201
