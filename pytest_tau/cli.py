"""``pytest-tau``: what is not a test run."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from .errors import DomainError, SettingsError, TauError


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
    generate = commands.add_parser("generate", help="compose tasks, where a domain has a generate.py")
    generate.add_argument("domain", help="a domain folder, or the name of a domain")
    generate.add_argument("--n", type=int, default=114, help="how many tasks (default: 114)")
    generate.add_argument("--seed", type=int, default=42, help="of the choice among all there are (default: 42)")
    generate.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the task file to write")
    generate.set_defaults(run=_generate)
    schema = commands.add_parser("schema", help="print the JSON Schema of a task file")
    schema.set_defaults(run=_schema)
    return parser


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


if __name__ == "__main__":
    sys.exit(main())
