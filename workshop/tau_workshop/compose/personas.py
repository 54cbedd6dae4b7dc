"""How composed customers are, and how they open and go on: nobody's wish, so the same for every domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from .phrases import phrases_of

Word = TypeVar("Word")


@dataclass(frozen=True)
class Persona:
    """How a customer is; ``text`` is for the user simulator.

    ``one`` and ``several``: ways to open with one wish and with more; ``{noun}`` is what their records are called.
    """

    name: str
    text: str | None = None
    one: tuple[str, ...] = ("",)
    several: tuple[str, ...] = ("",)


say = phrases_of(__file__)
PERSONAS = tuple(Persona(row["name"], row["text"], tuple(row["one"]), tuple(row["several"])) for row in say("personas"))
LINKS: tuple[str, ...] = say("between.links")
LEAVING: str = say("between.leaving")
NEXT: tuple[str, ...] = say("between.next", leaving=LEAVING)
REST: tuple[str, ...] = say("between.rest")


Part = int | tuple[int, int]
"""A share of customers and words: 0 or 1 of two, or (number, of how many); of up to four, as all have four wordings."""


def half(words: Sequence[Word], part: Part | None) -> Sequence[Word]:
    """All, or every other one from the first (0) or the second (1) on, for two suites without common words.

    ``(number, of)``: every ``of``-th one from that number on, for so many suites.
    """
    if part is None:
        return words
    begin, step = part if isinstance(part, tuple) else (part, 2)
    return words[begin::step]


def halved_personas(part: Part | None, name: str | None = None) -> list[Persona]:
    """The personas of a suite; ``name``: only those who are like that."""
    found = [half([p for p in PERSONAS if p.name == kind], part) for kind in dict.fromkeys(p.name for p in PERSONAS)]
    return [persona for alike in found for persona in alike if name in (None, persona.name)]
