"""What each of several agents inside an agent has called, cost and lost; nothing where messages name no author."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..printable import count_of


@dataclass(frozen=True)
class AuthorShare:
    """One author's part: calls, USD (None is unknown), hand-overs to others, and trials that were missed in its turns.

    A miss counts for the author of the point of no return, else of the turn that the fault is about, else of the last
    message.
    """

    calls: int = 0
    cost: float | None = 0.0
    handoffs: int = 0
    misses: int = 0

    def __add__(self, other: AuthorShare) -> AuthorShare:
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        handoffs, misses = self.handoffs + other.handoffs, self.misses + other.misses
        return AuthorShare(self.calls + other.calls, cost, handoffs, misses)

    def __str__(self) -> str:
        told = [count_of(self.calls, "calls")]
        told += [count_of(self.handoffs, "hand-overs")] if self.handoffs else []
        told += [f"lost {count_of(self.misses, 'trials')}"] if self.misses else []
        return ", ".join([*told, *([f"${self.cost:.4f}"] if self.cost else [])])


def shares(content: Mapping[str, Any]) -> dict[str, AuthorShare]:
    """The part of each author in a trial, of its record as plain data."""
    messages = (content.get("simulation") or {}).get("messages") or []
    found: dict[str, AuthorShare] = {}
    for message in messages:
        author = message.get("author")
        if not isinstance(author, str):
            continue
        cost, handoffs = message.get("cost"), message.get("handoffs") or []
        for one in handoffs:  # its cost is part of the message's
            spent = one.get("cost") or 0.0
            found[one["from"]] = found.get(one["from"], AuthorShare()) + AuthorShare(cost=spent, handoffs=1)
            cost = None if cost is None else max(0.0, cost - spent)
        part = AuthorShare(len(message.get("tool_calls") or []), cost)
        found[author] = found.get(author, AuthorShare()) + part
    if found and content.get("outcome") == "missed" and (lost := _lost_by(content, messages)):
        found[lost] += AuthorShare(misses=1)
    return found


def _lost_by(content: Mapping[str, Any], messages: list[Any]) -> str | None:
    fault = content.get("fault") or {}
    turns = [(fault.get("no_return") or {}).get("turn"), fault.get("turn")]
    turn = next((one for one in turns if isinstance(one, int)), len(messages))
    named = (message["author"] for message in reversed(messages[: turn + 1]) if message.get("author"))
    return next(named, None)
