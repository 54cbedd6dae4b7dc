"""``pytest-tau customers``: how far the customers of recorded runs are from people, several simulators in one table."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from .arguments import say

HELP = "how far are the simulated customers of recorded runs from people?"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("runs", nargs="+", metavar="FILE", type=Path, help="journals, τ² results or any other log")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status."""
    from dataclasses import asdict

    from ..errors import RecordingError
    from ..metrics.likeness import Likeness, compare_with_people, features
    from ..recordings import read_conversations
    from ..reports.customers import feature_table

    found: dict[str, Likeness] = {}
    for path in arguments.runs:
        said = [
            [one.text for one in conversation.messages if one.role == "user" and one.text]
            for conversation in read_conversations(path)
        ]
        compared = compare_with_people([known for texts in said if (known := features(texts)) is not None])
        if compared is None:
            raise RecordingError(f"{path}: no customer says three things in a conversation, too little to compare")
        name = path.stem if path.stem not in found else str(path)
        found[name] = compared
    if arguments.json:
        print(json.dumps({name: asdict(one) for name, one in found.items()}, ensure_ascii=False))  # noqa: T201
        return 0
    for line in feature_table(found):
        say(line)
    return 0
