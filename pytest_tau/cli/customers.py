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
    from ..metrics.likeness_ranks import likeness_ranks
    from ..recordings import read_conversations
    from ..reports.customers import feature_table

    found: dict[str, Likeness] = {}
    read: dict[str, list[tuple[float, ...]]] = {}
    for path in arguments.runs:
        said = [
            [one.text for one in conversation.messages if one.role == "user" and one.text]
            for conversation in read_conversations(path)
        ]
        form = [known for texts in said if (known := features(texts)) is not None]
        compared = compare_with_people(form)
        if compared is None:
            raise RecordingError(f"{path}: no customer says three things in a conversation, too little to compare")
        name = path.stem if path.stem not in found else str(path)
        found[name], read[name] = compared, form
    ranks = {one.name: one for one in likeness_ranks(read)} if len(read) > 1 else {}
    if arguments.json:
        shown = {name: asdict(one) for name, one in found.items()}
        for name, rank in ranks.items():
            shown[name]["rank"] = [rank.best, rank.worst]
        print(json.dumps(shown, ensure_ascii=False))  # noqa: T201
        return 0
    for line in feature_table(found, ranks):
        say(line)
    if ranks:
        say("Ranks that are possible, all at once with confidence 95 %: one that cannot be told is a range.")
    return 0
