"""What a simulated customer says turn by turn, as the rules of the user audit read it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..schema.messages import USER_STOP_TOKENS, AnyMessage, AssistantMessage, UserMessage

TOKENS = re.compile("|".join(map(re.escape, USER_STOP_TOKENS)))
_WORD = re.compile(r"[^\W_]+(?:['_][^\W_]+)*")


class Turn(NamedTuple):
    """What the customer says in a turn, and the agent's last words before it ("" if the agent said nothing since)."""

    at: int
    text: str
    asked: str


def turns_of(messages: Sequence[AnyMessage]) -> Iterator[Turn]:
    """The turns in which the customer speaks; calls are none."""
    asked = ""
    for index, message in enumerate(messages):
        if isinstance(message, AssistantMessage) and message.text and not message.tool_calls:
            asked = plain(message.text)
        elif isinstance(message, UserMessage) and message.text and not message.tool_calls:
            yield Turn(index, plain(message.text), asked)
            asked = ""


def plain(text: str) -> str:
    """A text without Markdown's stars, with plain quotes and real line ends."""
    # Some agents speak JSON, whose line ends are two characters.
    return text.replace("’", "'").replace("‘", "'").replace("*", "").replace("\\n", "\n")


def words_in(text: str) -> list[str]:
    """The words of a text in small letters; "don't" and "user_1" are one."""
    return _WORD.findall(text.casefold())


def sentences_in(text: str) -> list[str]:
    """The sentences and lines of a text."""
    return [part for part in re.split(r"(?<=[.!?])\s+|\n+", text) if part.strip()]


_COMMON = frozenset(
    words_in(
        """a an the and or but of to in on at by for from with without as is are was were be been it its this that
        these those i i'm i'd i've i'll my me you you're your he she they them his her we our us not no do
        does don't did will would can could should may might want wants need needs have has had if so then than
        also any all only just there when what which who how about into out up got get give please agent user say
        says mention ask asks make sure"""
    )
)


def content_of(text: str) -> set[str]:
    """The beginnings of the words of a text that tell what it is about."""
    return {word[:6] for word in words_in(text) if word not in _COMMON}


def alike(one: str, other: str) -> bool:
    """Whether two texts have most of their words in common."""
    first, second = set(words_in(one)), set(words_in(other))
    return bool(first and second) and len(first & second) / len(first | second) >= 0.6


def short(text: str) -> str:
    """A text on one line of at most 80 characters, for a finding."""
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else flat[:79] + "…"
