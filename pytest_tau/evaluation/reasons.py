"""Whether a message gives a reason in one of its phrasings: whole words, in a sentence that does not deny it.

The fragments of a phrasing may stand in different sentences of the message. A sentence denies what follows a "not"
directly ("is not basic economy"), and one in which the agent tells what it has done ("I have moved it to another
address") gives no reason why something is not done.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .dialogue import plain

_DENIES = re.compile(
    r"(?:\b(?:not|never|isn't|wasn't|aren't|weren't)|n't)(?: (?:been|be|a|an|the|in|on|under|because|because of"
    r"|due to))*$"
)
_DEED = re.compile(
    r"^\W*(?:\w+\W+){0,2}?i(?:'ve| have) (?!(?:found|checked|looked|to|no|not|reviewed|verified|confirmed"
    r"|seen)\b)\w+(?:ed|t|ne|en)\b"
)
_REFUSES = re.compile(r"\b(?:not|never|cannot|unable|only|because|since|unfortunately|no)\b|n't\b")


def gives(text: str, phrasing: str | list[str]) -> bool:
    """Whether a text gives a reason in this phrasing."""
    fragments = [phrasing] if isinstance(phrasing, str) else phrasing
    said = _flat(text)
    if not all(_flat(fragment) in said for fragment in fragments):
        return False
    return all(_stands(_flat(fragment), said) for fragment in fragments)


def _stands(fragment: str, text: str) -> bool:
    return any(not _denied(text, found) for found in _whole(fragment).finditer(text))


@lru_cache(maxsize=4096)
def _whole(fragment: str) -> re.Pattern[str]:
    before = r"(?<!\w)" if fragment[:1].isalnum() and not fragment.startswith("n't") else ""
    after = r"(?!\w)" if fragment[-1:].isalnum() else ""
    return re.compile(rf"{before}{re.escape(fragment)}{after}")


def _denied(text: str, found: re.Match[str]) -> bool:
    """Whether the sentence around a fragment says the opposite of it, or tells a deed."""
    start = max(text.rfind(mark, 0, found.start()) for mark in (". ", "! ", "? ", "; ")) + 1
    before = text[start : found.start()].rstrip()
    if _DENIES.search(before) and not re.match(r"(?:not|no|never)\b", found[0]):
        return True
    end = re.search(r"[.!?;](?:\s|$)", text[found.end() :])
    sentence = text[start : found.end() + (end.start() if end else len(text))]
    return _DEED.search(sentence) is not None and _REFUSES.search(sentence) is None


@lru_cache(maxsize=4096)
def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", plain(text).casefold()).strip()
