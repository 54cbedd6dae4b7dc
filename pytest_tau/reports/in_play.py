"""Conversations that are being played, as ``pytest-tau view`` shows them: a small file of each process, written anew.

Texts are shortened, and known keys are taken out before they are written. A file that nobody has written for a while is
of a process that has died, and does not count.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..files import write_whole
from ..schema.calls import render_call
from ..schema.messages import AnyMessage, ToolMessage
from ..scrub import conceal_json

FILE = ".in-play-"
"""How the names of the files begin, in the folder of a run."""
_STALE = 30.0  # seconds
_LINES = 12
_WIDTH = 240


@dataclass(frozen=True)
class InPlay:
    """A conversation that is being played.

    Attributes:
        name: the domain and the task; who plays it where several do, and how where that is not as it is.
        trial: which trial of the task, from 1.
        turns: how many messages there are.
        lines: the last of them, who and what, shortened.
    """

    name: str
    trial: int
    turns: int
    lines: tuple[str, ...]


def in_play(name: str, trial: int, messages: Sequence[AnyMessage]) -> InPlay:
    """A conversation as it stands now; safe while another thread goes on with it."""
    last = list(messages[-_LINES:])
    lines = [line for message in last for line in _lines_of(message)]
    return InPlay(name, trial, len(messages), tuple(lines[-_LINES:]))


def _lines_of(message: AnyMessage) -> Iterator[str]:
    if isinstance(message, ToolMessage):
        yield _short(f"tool: {message.content or ''}")
        return
    who = "agent" if message.role == "assistant" else "customer"
    if message.content:
        yield _short(f"{who}: {message.content}")
    for call in message.tool_calls or []:
        yield _short(f"{who} calls {render_call(call.name, call.arguments)}")


def _short(text: str) -> str:
    flat = " ".join(text[: 4 * _WIDTH].split())
    return flat if len(flat) <= _WIDTH else f"{flat[: _WIDTH - 2]} …"


def write_in_play(file: Path, conversations: Iterable[InPlay]) -> None:
    """Write what one process plays; what cannot be written is left."""
    with suppress(OSError):
        write_whole(file, conceal_json(json.dumps([vars(one) for one in conversations], ensure_ascii=False)))


def read_in_play(run: Path) -> list[InPlay]:
    """What all processes of a run play at this moment, those with the most messages first."""
    found: list[InPlay] = []
    for file in run.glob(f"{FILE}*"):
        try:
            if time.time() - file.stat().st_mtime > _STALE:
                continue
            for one in json.loads(file.read_text(encoding="utf-8")):
                lines = tuple(str(line) for line in one["lines"])
                found.append(InPlay(str(one["name"]), int(one["trial"]), int(one["turns"]), lines))
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            continue  # it is being written, or gone by now
    return sorted(found, key=lambda one: (-one.turns, one.name, one.trial))
