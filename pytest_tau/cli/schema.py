"""``pytest-tau schema``: prints the JSON Schema of a task file."""

from __future__ import annotations

import argparse
import json


def add(parser: argparse.ArgumentParser) -> None:
    """It takes no arguments."""


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from pydantic import TypeAdapter

    from ..schema.task import Task

    schema = TypeAdapter(Task | list[Task]).json_schema()
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "pytest-tau task file", **schema}
    print(json.dumps(schema, indent=2, ensure_ascii=False))  # noqa: T201
    return 0
