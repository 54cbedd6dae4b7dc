"""The points of a list that an agent puts forward, and which of them a yes names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...patterns import lazy
from .dialogue import answer, decides, speaks_of_several
from .text import content_words, is_item, sentences

_NUMBERED = lazy(r"[ #]*(?:(?:step|point|part|change|no\.) ?)?(?:\d+|[a-h])[.):] ", re.IGNORECASE)
_DASHED = lazy(r"[-•–] | (?=\w)")  # plain() takes the asterisk away
_NUMBER = lazy(r"\d[\d,]*(?:\.\d\d)?")
_ONLY = lazy(r"\b(?:only|just)\b", re.IGNORECASE)
_DENIES = lazy(r"\b(?:not|no|never|nor|unsure|unless|if)\b|n't\b", re.IGNORECASE)


def points_of(text: str) -> list[str]:
    """What stands at each point of a line's list, at its numbers if it has any, else at its dashes; [] without one."""
    lines = text.splitlines()
    for begins in (_NUMBERED, _DASHED):
        if sum(begins.match(line) is not None for line in lines) < 2:
            continue
        points: list[str] = []
        within = blank = False
        for line in lines:
            if begins.match(line):
                points.append(line)
                within = True
            elif blank and not is_item(line):
                within = False  # a new paragraph
            elif within and line.strip():
                points[-1] += f"\n{line}"
            blank = not line.strip()
        return points
    return []


def names_only_others(said: str, own: str, others: Sequence[str]) -> bool:
    """Whether the yes of a line names one of these points and nothing of its ``own``: "The profile, yes"."""
    given = answer(said)
    yes = (*given.yes, *given.casual)
    mine = _telling_words(own)
    theirs = set[str]().union(*map(_telling_words, others)) - mine
    if speaks_of_several(said) or any(decides(one) and theirs.isdisjoint(_telling_words(one)) for one in yes):
        return False  # "go ahead" is a yes to all of it, "go ahead with the lamp" is not
    limited = any(_ONLY.search(one) for one in yes)
    agreeing = yes if limited else [one for one in sentences(said) if not _DENIES.search(one)]
    if any("?" not in one and not mine.isdisjoint(_telling_words(one)) for one in agreeing):
        return False
    return any(not theirs.isdisjoint(_telling_words(one)) for one in yes)


def _telling_words(text: str) -> set[str]:
    """The words of a text that tell what it is about, and its numbers."""
    return {*content_words(text), *(number.replace(",", "").removesuffix(".00") for number in _NUMBER.findall(text))}
