"""A text of a scenario in pieces: its sentences, the facts in them, and messages of a length that people write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

_END = re.compile(r"[.!?][\"”’)]*(\s+)(?=[\"“‘(]*[A-Z0-9#$“‘'\"])")
_ABBREVIATED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|St|Ave|Rd|Apt|No|Inc|Jr|Sr|vs|etc|e\.g|i\.e|U\.S|a\.m|p\.m|[A-Z])\.[\"”’)]*$"
)
_AND_MY = re.compile(r",? and (?=my |our )")
# Where a long sentence can be sent in two messages. Each half keeps its words.
_JOINT = re.compile(
    r"(?:;|, and(?= (?:I|please|my|then|it|they|you)\b)|, but|, so(?= that\b)|, because|(?<=[a-z]),(?= [a-z])) "
)
_LEAST = 4
_WORD = re.compile(r"\w+")


def sentences(text: str) -> list[str]:
    """The sentences of a text. Abbreviations end none."""
    text = text.strip()
    ends = [found.span(1) for found in _END.finditer(text)]
    parts: list[str] = []
    for part in (text[a:b] for (_, a), (b, _) in pairwise([(0, 0), *ends, (len(text), len(text))])):
        if parts and _ABBREVIATED.search(parts[-1]):
            parts[-1] = f"{parts[-1]} {part}"
        else:
            parts.append(part)
    return [part for part in parts if part]


def facts(block: str) -> list[str]:
    """ "My name is A and my zip code is B." as two sentences."""
    if not re.match(r"(?:my|our) ", block, re.IGNORECASE) or len(sentences(block)) > 1:
        return [block]
    parts = _AND_MY.split(block.rstrip("."))
    return [f"{part[0].upper()}{part[1:]}." for part in parts] if len(parts) > 1 else [block]


def pack(parts: Sequence[str], most: float, heard: str = "") -> list[str]:
    """Sentences in messages of so many words at most, where they allow it.

    ``heard``: what was said before; what has no other words is no message of its own.
    """
    found: list[str] = []
    known, new = _words(heard), True
    for part in (short for one in parts for short in _halves(one, most)):
        again, new = not new, not known or not known.issuperset(_words(part))
        if found and (again or not new or len(found[-1].split()) + len(part.split()) <= most):
            found[-1] = f"{found[-1]} {part}"
            new = new or not again
        else:
            found.append(part)
    return found


def repeats(text: str, heard: str) -> bool:
    """Whether a text has only words that were heard."""
    return _words(heard, 1).issuperset(_words(text, 1))


def _words(text: str, least: int = _LEAST) -> frozenset[str]:
    """The words of so many letters."""
    return frozenset(word for word in _WORD.findall(text.casefold()) if len(word) >= least)


def _halves(sentence: str, most: float) -> Iterator[str]:
    """A sentence, in two if it is too long and can be parted."""
    if len(sentence.split()) <= most:
        yield sentence
        return
    half = len(sentence) / 2
    joints = sorted(_JOINT.finditer(sentence), key=lambda found: abs(found.start() - half))
    for found in joints:
        before, after = sentence[: found.start()], sentence[found.start() :].lstrip(";, ")
        if min(len(before.split()), len(after.split())) >= _LEAST:
            yield from _halves(before, most)
            yield from _halves(after, most)
            return
    yield sentence
