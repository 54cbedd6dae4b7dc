"""``pytest-tau generate``: composes tasks, where a domain has a generate.py."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..errors import DomainError, SettingsError


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("domain", help="a domain folder, or the name of a domain")
    parser.add_argument("--n", type=int, default=114, help="how many tasks (default: 114)")
    parser.add_argument("--seed", type=int, default=42, help="of the choice among all there are (default: 42)")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the task file to write")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from ..environment.domain import find_domain, load_domain, load_part
    from ..generation.compose import write

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
