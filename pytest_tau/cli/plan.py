"""``pytest-tau plan``: says how small a drop a suite can see, and how many trials that takes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import SettingsError
from .arguments import whole

if TYPE_CHECKING:
    from ..metrics.plan import Design
    from ..metrics.task_results import TaskResult

HELP = "how small a drop can a suite detect, and how many trials does that take?"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--tasks", type=whole, help="tasks in the suite (default: those of --like, else 50)")
    parser.add_argument("--trials", type=whole, help="trials per task (default: a table of several)")
    parser.add_argument("--k", type=whole, default=1, help="compare pass^K (default: 1)")
    parser.add_argument("--difference", type=float, help="the drop to detect, such as 0.05")
    parser.add_argument(
        "--like", metavar="RUN", help="take tasks, rate and icc from this run (two or more trials per task)"
    )
    parser.add_argument("--rate", type=float, help="the expected mean success rate (default: 0.7)")
    parser.add_argument("--icc", type=float, help="the share of variance between tasks (default: 0.5)")
    parser.add_argument("--unpaired", action="store_true", help="the two runs have different tasks")
    parser.add_argument("--power", type=float, default=0.8, help="how often the drop should be found (default: 0.8)")
    parser.add_argument("--margin", type=float, default=0.10, help="margin of the gate 'no regression' (default: 0.10)")
    parser.add_argument("--alpha", type=float, default=0.05, help="one-sided error rate (default: 0.05)")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ..metrics.plan import describe
    from ..printable import printable
    from ..reports.comparisons import results

    like = results(arguments.like) if arguments.like else {"": None}
    lines = []
    for name, tasks in like.items():  # of several agents each by itself: their mean is nobody's
        lines += [f"{name}:"] if len(like) > 1 else []
        lines += describe(_designs(arguments, name, tasks), arguments.difference)
    for line in lines:
        print(printable(line))  # noqa: T201
    return 0


def _designs(arguments: argparse.Namespace, name: str, like: Sequence[TaskResult] | None) -> list[Design]:
    """What is asked for, with what is not given taken from a run of this name, or else assumed."""
    from dataclasses import replace

    from ..metrics.plan import Design, fit

    counts = [(task.passed, task.graded) for task in like or () if task.graded]
    fitted = (0.7, 0.5) if like is None else fit(counts)
    if fitted is None:
        raise SettingsError(f"{name}: fewer than two tasks with two trials; give --rate and --icc instead")
    design = Design(
        tasks=len(counts) or 50 if arguments.tasks is None else arguments.tasks,
        trials=max(1, arguments.k) if arguments.trials is None else arguments.trials,
        k=arguments.k,
        rate=fitted[0] if arguments.rate is None else arguments.rate,
        icc=fitted[1] if arguments.icc is None else arguments.icc,
        paired=not arguments.unpaired,
        power=arguments.power,
        alpha=arguments.alpha,
        margin=arguments.margin,
    )
    choices = (
        [max(design.k, trials) for trials in (1, 2, 4, 8, 16, 32)] if arguments.trials is None else [design.trials]
    )
    return [replace(design, trials=trials) for trials in dict.fromkeys(choices)]
