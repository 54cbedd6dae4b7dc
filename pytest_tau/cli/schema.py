"""``pytest-tau schema``: prints the JSON Schema of a task file, or the page about it."""

from __future__ import annotations

import argparse
import json

HELP = "print the JSON Schema of a task file"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--markdown", action="store_true", help="print a Markdown page instead: one table per kind of object"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print it; returns 0."""
    from ..schema.reference import described_schema, markdown

    text = markdown() if arguments.markdown else json.dumps(described_schema(), indent=2, ensure_ascii=False) + "\n"
    print(text, end="")  # noqa: T201
    return 0
