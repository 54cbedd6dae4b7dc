"""``pytest-tau merge``: puts several runs into one, such as the shards of a suite."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..journal import FILE_NAME
from .arguments import add_output

HELP = "join several runs, such as the shards of a suite"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="a results folder or a run's folder")
    add_output(parser, "the results folder for the new run")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from dataclasses import replace

    from ..journal import read_trials
    from ..manifest import ENDED, JUDGE, RESULT, early_decisions, plan_of
    from ..merging import merge
    from ..metrics.judge_errors import JudgeErrors
    from ..metrics.tally import tally
    from ..printable import printable
    from ..reports.history import result_of
    from ..reports.run_facts import fact_lines, run_facts
    from ..reports.tables import run_tables

    merged = merge(arguments.runs, arguments.output)
    decided, k = bool(early_decisions(merged.run)), merged.manifest.k
    judge = JudgeErrors.of_text(merged.manifest.about.get(JUDGE, ""))
    totals = tally(read_trials(merged.run), k, plan=plan_of(merged.run), decided=decided, judge=judge)
    about = {**merged.manifest.about, RESULT: result_of(totals)}
    if totals.done() >= totals.planned():  # what ended one run, another has played
        about.pop(ENDED, None)
    manifest = replace(merged.manifest, about=about)
    manifest.save(merged.run)
    blocks = [*run_tables(totals), fact_lines(run_facts(manifest, totals))]
    said = [line for block in blocks for line in (*block, "")]
    missing = [f"shard {shard} is missing: the table is without its trials" for shard in merged.missing]
    if not totals.of():
        missing.append("None of these runs has a trial: look at how their commands ended.")
    said += missing
    if len(merged.commits) > 1:
        said.append(f"The runs were made from different commits: {', '.join(merged.commits)}.")
    for line in [*said, f"journal: {merged.run / FILE_NAME}"]:
        print(printable(line))  # noqa: T201
    return 1 if missing else 0
