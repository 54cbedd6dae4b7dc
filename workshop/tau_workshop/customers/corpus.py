"""Dialogues of people with a service desk, a line each: ``{"id", "domains", "events": [{"who", "text", "t", …}, …]}``.

As the STAR corpus has them: an event's ``who`` is customer, agent or tool; an agent's event may have a ``call`` with
``arguments``. Half of all dialogues, by a hash of their ids, is kept back, and nothing is fitted to it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class CustomerTurn:
    """What a customer wrote; the agent's words since their last turn, and how many seconds after those."""

    text: str
    after: str
    seconds: float | None


@dataclass(frozen=True)
class Dialogue:
    """A dialogue; ``values``: what the agent's calls were made with, in small letters."""

    id: object
    domains: tuple[str, ...]
    turns: tuple[CustomerTurn, ...]
    values: tuple[str, ...]

    @property
    def said(self) -> list[str]:
        """The customer's turns."""
        return [turn.text for turn in self.turns]


def is_kept_back(name: object) -> bool:
    """Whether a dialogue belongs to the half that nothing is fitted to."""
    return hashlib.sha256(str(name).encode()).digest()[0] % 2 == 1


def dialogues(path: Path) -> Iterator[Dialogue]:
    """The dialogues of a file in their order."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield _dialogue(json.loads(line))


def _dialogue(written: dict[str, Any]) -> Dialogue:
    turns: list[CustomerTurn] = []
    after, since = "", None
    values: dict[str, None] = {}
    for event in written["events"]:
        if event["who"] == "customer":
            seconds = None if since is None or event.get("t") is None else float(event["t"] - since)
            turns.append(CustomerTurn(str(event["text"]), after, seconds))
            after, since = "", None
        elif event["who"] == "agent" and event.get("text"):
            after, since = f"{after} {event['text']}".strip(), event.get("t")
        elif event["who"] == "agent":
            told = (value for one in event.get("arguments") or [] for value in one.values())
            texts = (str(value).strip("\" '").casefold() for value in told)
            values |= dict.fromkeys(text for text in texts if len(text) > 1)
    return Dialogue(written["id"], tuple(written.get("domains") or ()), tuple(turns), tuple(values))
