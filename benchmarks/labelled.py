"""Recorded conversations with what a reader says of them, in two halves: rules are written on one, and then measured.

A folder ``recordings`` holds them: ``labels.json`` (writes, false claims, errors of the customer …) and
``consent.json`` (for each writing call, whether the customer had agreed). What three later readers say of the
conversations that ``labels.json`` leaves out is in ``read_later``, in the same form but for the words that it quotes.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_tau.recordings.rescored import Library, Recording, read_recordings
from pytest_tau.schema.messages import ToolCall, ToolMessage

HALVES = ("tuned", "held out")
LABELS = ("consent.json", "labels.json")


@dataclass(frozen=True)
class Labelled:
    """A conversation, and what the reader says of it: one entry of ``labels.json``."""

    recording: Recording
    label: dict[str, Any]

    @property
    def half(self) -> str:
        """In which half it is: as its label says, else by a hash of its id."""
        return self.label.get("half") or HALVES[hashlib.sha256(self.recording.simulation.id.encode()).digest()[0] % 2]

    @property
    def clean(self) -> bool:
        """Whether the reader found no error of the agent's in it."""
        return not any(self.label[kind] for kind in ("false_claims", "leaks", "promises", "policy_breaks"))


@dataclass(frozen=True)
class Write:
    """A writing call: where it is, and what the reader says. ``terms``: match, mismatch, unstated, "" if not read."""

    recording: Recording
    turn: int
    call: ToolCall
    consent: str
    terms: str
    half: str


def recorded(folder: Path, library: Library) -> dict[str, list[Recording]]:
    """The recordings of a folder, by the names of their files."""
    files = [path for path in sorted(folder.glob("*.json")) if path.name not in LABELS]
    return {path.name: list(read_recordings(path, library)) for path in files}


def labelled(labels_file: Path, found: dict[str, list[Recording]]) -> list[Labelled]:
    """The conversations of a ``labels.json``."""
    by = {(file, one.simulation.id): one for file, recordings in found.items() for one in recordings}
    labels = json.loads(labels_file.read_text(encoding="utf-8"))
    return [Labelled(by[label["file"], label["sim_id"]], label) for label in labels]


def writes(conversations: list[Labelled]) -> Iterator[Write]:
    """The labelled writing calls of ``labels.json``."""
    for one in conversations:
        for label in one.label["writes"]:
            message = one.recording.simulation.messages[label["turn"]]
            calls = [] if isinstance(message, ToolMessage) else message.tool_calls or []
            call = calls[label["index_in_message"]]
            assert call.name == label["call"], (one.recording.simulation.id, label)
            yield Write(one.recording, label["turn"], call, label["consent"], label["terms"], one.half)


def older_writes(folder: Path, found: dict[str, list[Recording]]) -> Iterator[Write]:
    """The labelled writing calls of ``consent.json``; those of a task are in the same half."""
    by: dict[tuple[str, ...], Recording] = {}
    for file, recordings in found.items():
        for one in recordings:
            by[file, one.simulation.task_id, str(one.simulation.trial - 1)] = by[file, one.simulation.id] = one
    taken: Counter[tuple[str, int, str]] = Counter()
    for label in json.loads((folder / "consent.json").read_text(encoding="utf-8")):
        first = label["file"].startswith("tau1")
        name = (str(label["task_id"]), str(label["trial"])) if first else (label["sim_id"],)
        one = by[label["file"], *name]
        turn = label["turn"] + first  # τ-bench v1 has no greeting in its files
        message = one.simulation.messages[turn]
        calls = [] if isinstance(message, ToolMessage) else message.tool_calls or []
        same = [call for call in calls if call.name == label["call"]]
        place = (one.simulation.id, turn, label["call"])
        call = same[min(taken[place], len(same) - 1)]
        taken[place] += 1
        yield Write(one, turn, call, "yes" if label["consented"] else "no", "", of_task(one))


def of_task(recording: Recording) -> str:
    """In which half a conversation is where those of a task are in the same."""
    digest = hashlib.sha256(f"{recording.domain.name}/{recording.task.id}".encode()).digest()
    return HALVES[digest[0] % 2]
