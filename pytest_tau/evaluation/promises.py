"""What the agent held out to the customer: phrasings in sentences that affirm. By rule, in English.

"You will be refunded tomorrow" holds it out. "I cannot promise that you will be refunded tomorrow", "if it arrives, you
will be refunded tomorrow" and "Who said that you will be refunded tomorrow?" do not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .communicate import mentions
from .dialogue import plain, sentences

_AFFIRMS_NOT = re.compile(
    r"\b(?:not|never|cannot|no|nothing|none|nobody|neither|nor|without|unable|refuse|decline|if|once|unless|until"
    r"|whether|instead of|rather than)\b|n't\b",
    re.IGNORECASE,
)


def held_out(text: str, phrasings: Sequence[str]) -> str | None:
    """The first of the phrasings that a text affirms, None if it affirms none."""
    said = plain(text)
    if not any(mentions(said, phrasing) for phrasing in phrasings):
        return None
    for sentence in sentences(text):
        for phrasing in phrasings:
            if "?" not in sentence and mentions(sentence, phrasing) and not _denied(sentence, phrasing):
                return phrasing
    return None


def _denied(sentence: str, phrasing: str) -> bool:
    """Whether a negation or a condition stands before the phrasing, or in it where it has none of its own."""
    flat = " ".join(plain(sentence).casefold().split())
    at = flat.find(" ".join(phrasing.casefold().split()))
    return _AFFIRMS_NOT.search(flat if at < 0 else flat[:at]) is not None
