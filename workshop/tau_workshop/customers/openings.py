"""How people open: the rates that ``pytest_tau/users/openings.py`` draws a person's first words by.

Counted over the first turns of the dialogues that are not kept back. Only words that say nothing of the matter are
told apart: greetings, how somebody says their name and begins a wish, marks and capitals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_tau.users.openings import ASKS, LENGTHS

_GREETING = re.compile(r"\W*(hello|hi|hey)\b( there)?\s*([^\w\s]?)[^\w\s]*\s*", re.IGNORECASE)
_NAMED = re.compile(r"(?i:\b(my name is|i'?m|i am|this is)) [A-Z]\w+(?: [A-Z]\w+)?([^\w\s]?)\s*(and\b)?")
_WISHES = ("I need to", "I would like to", "I want to", "I'd like to", "Can you help me", "Can you", "Could you")
_CALL = re.compile(
    r"(?:(?:i )?need (?:some |your )?help|(?:can|could) you (?:please )?help(?: me)?(?: out)?|(?:please )?help(?: me)?)"
    r"(?: please)?\W*",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\b(?:help|question|problem|issue|trouble)s? (?:with|about)\b", re.IGNORECASE)
_HELP = re.compile(
    r"(?<=[.,!?])\s*((?:can|could) you(?: please)? help(?: me)?(?: out)?|please help(?: me)?)\W*$", re.IGNORECASE
)


def _rates(found: Iterable[str], least: int = 3) -> dict[str, float]:
    """What was found at least so often, with its share."""
    kept = {one: often for one, often in Counter(found).most_common() if often >= least}
    return {one: round(often / sum(kept.values()), 3) for one, often in kept.items()}


def _share(found: Sequence[object]) -> float:
    return round(sum(map(bool, found)) / max(1, len(found)), 3)


def _end(text: str) -> str:
    return text[-1] if text[-1] in ".!?" else "" if text[-1].isalnum() else "."


def opening_rates(openings: Iterable[str]) -> Mapping[str, Any]:
    """The rates: of each choice a mapping from what is chosen to its share, and of each habit its share.

    Args:
        openings: what customers wrote first.
    """
    every = [text for one in openings if re.search(r"\w", text := one.strip())]
    read = [(one, found, one[found.end() :] if found else one) for one in every for found in [_GREETING.match(one)]]
    bare = [(one, found) for one, found, body in read if found and not re.search(r"\w", body)]
    told = [(one, found, body) for one, found, body in read if re.search(r"\w", body)]
    names = [(len(one.split()), _NAMED.search(body)) for one, _, body in told]
    bodies = [_NAMED.sub("", body, count=1).strip(" ,.!-") for _, _, body in told]
    begun = [next((wish for wish in _WISHES if re.match(wish, body, re.IGNORECASE)), None) for body in bodies]
    last = [re.split(r"(?<=[.!?,])\s|(?<=and) ", one)[-1] for one, _, _ in told]
    helped = [_HELP.search(body) for _, _, body in told]
    asks = [one.endswith("?") or bool(ASKS.match(_GREETING.sub("", one, count=1))) for one in last]
    return {
        "bare": _rates(found[1].capitalize() for _, found in bare),
        "greeting": _rates(found[1].capitalize() for _, found, _ in told if found),
        "after": _rates(found[3] for _, found, _ in told if found),
        "bare_end": _rates(_end(one) for one, _ in bare),
        "end": _rates(_end(one) for one, asked in zip(last, asks, strict=True) if not asked),
        "asked_end": _rates(_end(one) for one, asked in zip(last, asks, strict=True) if asked),
        "name": _rates(_as_written(found[1]) for _, found in names if found),
        "join": _rates((found[2] + (" and" if found[3] else "")).strip(",") for _, found in names if found),
        "wish": _rates(one for one in begun if one),
        "named": [
            _share([found for words, found in names if low < words <= high])
            for low, high in zip((0, *LENGTHS), (*LENGTHS, 1000), strict=True)
        ],
        "named_last": _share([found.start() > 1 for _, found in names if found]),
        "greets": _share([found for _, found, _ in told]),
        "there": _share([found[2] for _, found, _ in told if found]),
        "small_bare": _share([one[0].islower() for one, _ in bare]),
        "small": _share([one[0].islower() for one, _, _ in told]),
        "small_after": _share([body[0].islower() for _, found, body in told if found and found[3] in ("", ",")
                               and not re.match(r"i\b", body, re.IGNORECASE)]),
        "calls": _share([_CALL.fullmatch(body) for one, _, body in told if len(one.split()) <= LENGTHS[1]]),
        "about": _share([_ABOUT.search(body) for _, _, body in told]),
        "help": _share(helped),
        "help_said": _rates(found[1].capitalize() for found in helped if found),
        "please": _share([re.search(r"\bplease\b", one, re.IGNORECASE) for one, _, _ in told]),
        "two_spaces": _share(["  " in one for one, _, _ in told if re.search(r"[.!?]\s+\w", one)]),
    }  # fmt: skip


def _as_written(text: str) -> str:
    small = text.casefold().replace("im", "i'm")
    return small[0].upper() + small[1:]
