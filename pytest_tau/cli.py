"""``pytest-tau``: what is not a test run."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from .errors import DomainError, RecordingError, SettingsError, TauError
from .journal import FILE_NAME


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
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    check = commands.add_parser("check", help="name every fault of a domain folder and its tasks, without a model")
    check.add_argument("domain", help="a domain folder, such as domains/shop, or the name of a built-in domain")
    check.add_argument("--tasks", metavar="PATH", help="its tasks (default: the folder tasks/NAME beside domains/)")
    check.set_defaults(run=_check)
    audited = commands.add_parser(
        "audit", help="what a suite's grades are worth: trivial agents, mutants, unclear goals"
    )
    audited.add_argument("domain", help="a domain folder, such as domains/shop, or the name of a domain")
    audited.add_argument("--tasks", metavar="PATH", help="its tasks (default: the folder tasks/NAME beside domains/)")
    audited.add_argument("--mutants", type=int, default=24, metavar="N", help="at most so many a task (default: 24)")
    audited.add_argument("--seed", type=int, default=300, help="of the mutants (default: 300)")
    audited.set_defaults(run=_audit)
    generate = commands.add_parser("generate", help="compose tasks, where a domain has a generate.py")
    generate.add_argument("domain", help="a domain folder, or the name of a domain")
    generate.add_argument("--n", type=int, default=114, help="how many tasks (default: 114)")
    generate.add_argument("--seed", type=int, default=42, help="of the choice among all there are (default: 42)")
    generate.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the task file to write")
    generate.set_defaults(run=_generate)
    schema = commands.add_parser("schema", help="print the JSON Schema of a task file")
    schema.set_defaults(run=_schema)
    _add_plan(commands.add_parser("plan", help="how small a drop a suite can see, and how many trials that takes"))
    merged = commands.add_parser("merge", help="put several runs into one, such as the shards of a suite")
    merged.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="a results folder or a run's folder")
    merged.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="the results folder for the new run"
    )
    merged.set_defaults(run=_merge)
    compared = commands.add_parser("compare", help="two runs of the same tasks: better, worse, or chance?")
    compared.add_argument("before", help="a results folder, a run's folder, a journal or a baseline file")
    compared.add_argument("after", help="the later run, likewise")
    compared.add_argument("--k", type=int, default=1, help="compare pass^K (default: 1)")
    compared.add_argument("--margin", type=float, default=0.10, help="the smallest difference that matters (0.10)")
    compared.set_defaults(run=_compare)
    return parser


def _add_plan(plan: argparse.ArgumentParser) -> None:
    plan.add_argument("--tasks", type=int, help="tasks in the suite (default: those of --like, else 50)")
    plan.add_argument("--trials", type=int, help="trials a task; without it, a table")
    plan.add_argument("--k", type=int, default=1, help="compare pass^K (default: 1)")
    plan.add_argument("--difference", type=float, help="the drop to be found, such as 0.05")
    plan.add_argument(
        "--like", metavar="RUN", help="take tasks, rate and icc from a run with two or more trials a task"
    )
    plan.add_argument("--rate", type=float, help="the mean success rate expected (0.7)")
    plan.add_argument("--icc", type=float, help="the share of variance that lies between tasks (0.5)")
    plan.add_argument("--unpaired", action="store_true", help="the two runs have different tasks")
    plan.add_argument("--power", type=float, default=0.8, help="how often it is to be found (0.8)")
    plan.add_argument("--alpha", type=float, default=0.05, help="the one-sided error rate (0.05)")
    plan.set_defaults(run=_plan)


def _check(arguments: argparse.Namespace) -> int:
    from .environment.domain import find_domain
    from .generation.check import check

    given = Path(arguments.domain)
    # A folder that is not a domain yet is what this command is for, so it is not looked up like a name.
    folder = given if given.is_dir() else find_domain(arguments.domain)
    suite = Path(arguments.tasks) if arguments.tasks else folder.resolve().parent.parent / "tasks" / folder.name
    count = 0
    for fault in check(folder, suite):
        count += 1
        print(fault)  # noqa: T201
    print(f"{folder}: " + ("no faults" if not count else f"{count} fault{'s' * (count > 1)}"))  # noqa: T201
    return 1 if count else 0


def _audit(arguments: argparse.Namespace) -> int:
    from .environment.domain import find_domain, load_domain
    from .environment.tasks import read_tasks, suite_files
    from .generation.audit import audit, render

    if arguments.mutants < 0:
        raise SettingsError(f"--mutants must not be negative, and is {arguments.mutants}")
    folder = find_domain(arguments.domain).resolve()
    suite = Path(arguments.tasks) if arguments.tasks else folder.parent.parent / "tasks" / folder.name
    tasks = [task for file in suite_files(suite) for task in read_tasks(file)]
    audits = list(audit(tasks, load_domain(folder), number=arguments.mutants, seed=arguments.seed))
    for line in render(folder.name, audits):
        print(line)  # noqa: T201
    return 1 if any(found.findings for found in audits) else 0


def _generate(arguments: argparse.Namespace) -> int:
    from .environment.domain import find_domain, load_domain, load_part
    from .generation.compose import write

    folder = find_domain(arguments.domain).resolve()
    compose = getattr(load_part(folder, "generate"), "generate", None) if (folder / "generate.py").is_file() else None
    if compose is None:
        raise DomainError(f"{folder}: tasks cannot be composed, because it has no generate.py with generate()")
    if arguments.n < 1:
        raise SettingsError(f"--n must be at least 1, not {arguments.n}")
    tasks = compose(load_domain(folder), arguments.n, arguments.seed)
    try:
        write(tasks, arguments.output)
    except OSError as error:
        raise SettingsError(f"{arguments.output}: cannot be written: {error.strerror}") from None
    print(f"{arguments.output}: {len(tasks)} tasks")  # noqa: T201
    return 0


def _schema(arguments: argparse.Namespace) -> int:
    from pydantic import TypeAdapter

    from .schema.task import Task

    schema = TypeAdapter(Task | list[Task]).json_schema()
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "pytest-tau task file", **schema}
    print(json.dumps(schema, indent=2, ensure_ascii=False))  # noqa: T201
    return 0


def _plan(arguments: argparse.Namespace) -> int:
    from dataclasses import replace

    from .metrics.plan import Design, describe, fit

    counts = _counts(arguments.like) if arguments.like else {}
    fitted = fit(counts.values()) if arguments.like else (0.7, 0.5)
    if fitted is None:
        raise SettingsError(f"{arguments.like}: fewer than two tasks with two trials; give --rate and --icc instead")
    design = Design(
        tasks=len(counts) or 50 if arguments.tasks is None else arguments.tasks,
        trials=max(1, arguments.k) if arguments.trials is None else arguments.trials,
        k=arguments.k,
        rate=fitted[0] if arguments.rate is None else arguments.rate,
        icc=fitted[1] if arguments.icc is None else arguments.icc,
        paired=not arguments.unpaired,
        power=arguments.power,
        alpha=arguments.alpha,
    )
    choices = (
        [max(design.k, trials) for trials in (1, 2, 4, 8, 16, 32)] if arguments.trials is None else [design.trials]
    )
    designs = [replace(design, trials=trials) for trials in dict.fromkeys(choices)]
    for line in describe(designs, arguments.difference):
        print(line)  # noqa: T201
    return 0


def _merge(arguments: argparse.Namespace) -> int:
    from .journal import read_trials
    from .merging import merge
    from .metrics.tally import tally
    from .reports.terminal import notes, summary_table
    from .reports.verdict import printable

    merged = merge(arguments.runs, arguments.output)
    totals = tally(read_trials(merged.run), merged.manifest.k)
    said = [*summary_table(totals), "", *notes(totals), ""]
    said += [f"shard {shard} is missing: the table is without its trials" for shard in merged.missing]
    if len(merged.commits) > 1:
        said.append(f"The runs were made from different commits: {', '.join(merged.commits)}.")
    for line in [*said, f"journal: {merged.run / FILE_NAME}"]:
        print(printable(line))  # noqa: T201
    return 1 if merged.missing else 0


def _compare(arguments: argparse.Namespace) -> int:
    from .metrics.compare import Verdict, compare
    from .metrics.gate import describe

    if not (arguments.k >= 1 and 0 < arguments.margin < 1):
        raise SettingsError(f"--k {arguments.k} --margin {arguments.margin}: write such as --k 1 --margin 0.10")
    found = compare(_counts(arguments.before), _counts(arguments.after), k=arguments.k, margin=arguments.margin)
    if found is None:
        both = f"here and in {arguments.before}"
        raise RecordingError(f"{arguments.after}: no task has {arguments.k} graded trials {both}")
    print(describe(found).replace("; ", "\n"))  # noqa: T201
    return 1 if found.verdict is Verdict.WORSE else 0


def _counts(given: str) -> dict[str, tuple[int, int]]:
    """(passed, graded) by task, from a run or a baseline."""
    if given.endswith(".json"):
        from .metrics.baseline import load_baseline

        return load_baseline(Path(given)).counts()
    from .journal import load_journal

    counts: dict[str, tuple[int, int]] = {}
    for record in load_journal(given):
        if record.outcome in ("passed", "missed"):
            key = f"{record.domain}/{record.task_id}"
            passed, graded = counts.get(key, (0, 0))
            counts[key] = (passed + (record.outcome == "passed"), graded + 1)
    return counts


if __name__ == "__main__":
    sys.exit(main())
