"""Rows of training files, each a conversation told from its agent's side: one to learn from, or a pair to compare."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from .telling import AgentChat

Row = dict[str, Any]


def chat_row(told: AgentChat) -> Row:
    """A whole conversation."""
    return {"messages": told.messages, "tools": [*told.tools]}


def pair_row(good: AgentChat, bad: AgentChat) -> Row | None:
    """Two conversations on one task as a pair that branches where they differ; None where one begins the other."""
    both = zip(good.messages, bad.messages, strict=False)
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
    chosen, rejected = good.messages[common:], bad.messages[common:]
    if not chosen or not rejected:
        return None
    return {"prompt": good.messages[:common], "chosen": chosen, "rejected": rejected, "tools": [*good.tools]}
