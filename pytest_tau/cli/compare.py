"""``pytest-tau compare``: says of two runs of the same tasks: better, worse, or chance."""

from __future__ import annotations

import argparse

from ..errors import RecordingError, SettingsError
from .counts import counts_of


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("before", help="a results folder, a run's folder, a journal or a baseline file")
    parser.add_argument("after", help="the later run, likewise")
    parser.add_argument("--k", type=int, default=1, help="compare pass^K (default: 1)")
    parser.add_argument("--margin", type=float, default=0.10, help="the smallest difference that matters (0.10)")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ..metrics.compare import Verdict, compare
    from ..metrics.gate import describe

    if not (arguments.k >= 1 and 0 < arguments.margin < 1):
        raise SettingsError(f"--k {arguments.k} --margin {arguments.margin}: write such as --k 1 --margin 0.10")
    found = compare(counts_of(arguments.before), counts_of(arguments.after), k=arguments.k, margin=arguments.margin)
    if found is None:
        both = f"here and in {arguments.before}"
        raise RecordingError(f"{arguments.after}: no task has {arguments.k} graded trials {both}")
    print(describe(found).replace("; ", "\n"))  # noqa: T201
    return 1 if found.verdict is Verdict.WORSE else 0
