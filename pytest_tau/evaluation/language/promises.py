"""What the agent held out to the customer: phrasings in sentences that affirm. By rule, in English.

"You will be refunded tomorrow" holds it out. "I cannot promise that you will be refunded tomorrow", "if it arrives, you
will be refunded tomorrow", "it may be there tomorrow" and "Who said that you will be refunded tomorrow?" do not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..criteria.communicate import mentions
from .text import plain, sentences

_DENIES = re.compile(
    r"\b(?:not|never|cannot|no|nothing|none|nobody|neither|nor|without|unable|refuse|decline|if|once|unless|until"
    r"|whether|instead of|rather than)\b|n't\b",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"\b(?:may|might|could|would|unlikely|possibly|perhaps|maybe|too (?:early|soon)|hope|hopefully"
    r"|you (?:want|wanted|ask|asked|say|said|mention|mentioned|need|needed))\b",
    re.IGNORECASE,
)


def held_out(text: str, phrasings: Sequence[str | list[str]], unless: Sequence[str] = ()) -> str | list[str] | None:
    """The first of the phrasings that a text affirms, None if it affirms none; ``unless``: what clears a sentence."""
    said = plain(text)
    likely = [phrasing for phrasing in phrasings if all(mentions(said, part) for part in _parts(phrasing))]
    for sentence in sentences(text) if likely else ():
        if "?" in sentence or _DOUBTS.search(sentence) or any(mentions(sentence, one) for one in unless):
            continue
        for phrasing in likely:
            if _affirms(sentence, _parts(phrasing)):
                return phrasing
    return None


def _parts(phrasing: str | list[str]) -> list[str]:
    return [phrasing] if isinstance(phrasing, str) else phrasing


def _affirms(sentence: str, parts: Sequence[str]) -> bool:
    """Whether a sentence says all parts, and nothing before the last of them denies it."""
    if not all(mentions(sentence, part) for part in parts):
        return False
    flat = " ".join(plain(sentence).casefold().split())
    places = [flat.find(" ".join(part.casefold().split())) for part in parts]
    end = max(places)
    before = flat if min(places) < 0 else flat[:end]
    for part in parts:  # "no fee" does not deny itself
        before = before.replace(" ".join(part.casefold().split()), " ")
    return _DENIES.search(before) is None
