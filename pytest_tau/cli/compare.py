"""``pytest-tau compare``: says of two runs of the same tasks: better, worse, or chance; of more, which ranks may be.

A run of several agents counts as so many.
"""

from __future__ import annotations

import argparse

from ..errors import SettingsError
from .arguments import whole

HELP = "compare runs of the same tasks: better, worse or chance? Ranks several"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="RUN",
        help="a results folder, a run's folder, a journal or a baseline; earlier first",
    )
    parser.add_argument("--k", type=whole, default=1, help="compare pass^K (default: 1)")
    parser.add_argument("--html", metavar="FILE", help="write one HTML report of all runs, with every conversation")
    parser.add_argument(
        "--margin", type=float, default=0.10, help="the smallest difference that matters (default: 0.10)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ..printable import printable
    from ..reports.comparisons import compared_runs, each_once, write_comparison

    if not (arguments.k >= 1 and 0 < arguments.margin < 1):
        raise SettingsError(f"--k {arguments.k} --margin {arguments.margin}: write for example --k 1 --margin 0.10")
    runs = each_once(arguments.runs)
    lines, status = compared_runs(runs, k=arguments.k, margin=arguments.margin)
    for line in lines:
        print(printable(line))  # noqa: T201
    if arguments.html is not None:
        write_comparison(runs, arguments.html)
        print(printable(f"written: {arguments.html}"))  # noqa: T201
    return status
