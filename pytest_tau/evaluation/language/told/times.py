"""What the agent tells of how long ago something was made, beside its record: "booked within the last 24 hours"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from ....patterns import lazy
from ....schema.messages import AnyMessage
from ....schema.transcript import records_in
from ..text import is_item, own_words, plain, sentences
from .records import UntrueSentence, names_an_id, telling

_MADE = (
    r"\b(?:was|were|been|you) (?:\w+ly |also |just )?(?:made|booked|placed|created|ordered|purchased|bought|opened)\b"
)
_TILL = r"(?:,? (?!(?:is|are|was|were|and|but|to)\b)[\w:]+){0,6}?"
_OF = r"(?P<n>\d{1,3})[- ](?P<of>hour|day)s?\b"
_WITHIN = lazy(
    rf"(?:{_MADE}{_TILL}(?:,? (?:which|it|that|this)(?: is|'s))?"
    rf"|\b(?:it|this|that)(?: is|'s)(?=[^.]{{0,80}} after (?:it|this|that) {_MADE}))"
    rf" within (?:the |our )?(?:last |past )?{_OF}(?! (?:of|before|prior|from|after)\b)",
    re.IGNORECASE,
)
_BEYOND = lazy(rf"{_MADE}{_TILL} (?:more than|over) {_OF} ago\b", re.IGNORECASE)
_OF_ANY = lazy(
    r"\b(?:any|every|each|all|those) (?:\w+ )?(?:that|which)\b|\b(?:departure|departs?|arrival)\b", re.IGNORECASE
)
_DENIED = lazy(r"\b(?:not|no|never|nor|neither|passed|unless|only|must|or|policy)\b|n't\b", re.IGNORECASE)
_MADE_AT = lazy(r"(?:^|_)(?:created|booked|placed|ordered|purchased|opened)(?:_at|_on|_date|_time)?$")


def told_of_times(messages: Sequence[AnyMessage], now: datetime | None) -> Iterator[UntrueSentence]:
    """The sentences that say of a record that it was made within some hours or days, or before, and it was not."""
    for turn, message in enumerate(messages) if now is not None else ():
        if message.role == "assistant" and (text := message.text) and not message.tool_calls:
            for sentence in _ages_in(text):
                made = _made_at(sentence, text, messages[:turn])
                if made and now and (why := _otherwise(sentence, made, now)) is not None:
                    yield UntrueSentence(turn, sentence, why)


@lru_cache(maxsize=4096)
def _ages_in(text: str) -> tuple[str, ...]:
    """The sentences of a message that tell an age."""
    said = text.casefold()
    if "within" not in said and " ago" not in said:
        return ()
    told = [(one, _WITHIN.search(one) or _BEYOND.search(one)) for one in sentences(own_words(text)) if "?" not in one]
    return tuple(
        one
        for one, found in told
        if found and not _OF_ANY.search(one) and not _DENIED.search(one) and telling(one[: found.end()])
    )


def _made_at(sentence: str, text: str, messages: Sequence[AnyMessage]) -> str:
    """When the one record was made that a sentence is about: that it names, its message does, or that alone was seen.

    An item of a list may be a condition, so it has to name its record.
    """
    made: dict[str, str] = {}
    for message in messages:
        if message.role == "tool" and not message.error and message.requestor == "assistant":
            for record in records_in(message.content or ""):
                made |= _when_made(record)
    named = [one for one in made if one in sentence]
    listed = any(sentence in line and is_item(line) for line in plain(text).split("\n"))
    if not named and not listed:
        named = [one for one in made if one in text] or [*made]
    return made[named[0]] if len(named) == 1 else ""


def _when_made(record: dict[str, Any]) -> dict[str, str]:
    """By the id of a record when it was made, if it says so."""
    ids = [value for key, value in record.items() if isinstance(value, str) and names_an_id(key)]
    times = [value for key, value in record.items() if isinstance(value, str) and _MADE_AT.search(key)]
    return {ids[0]: times[0]} if ids and len(times) == 1 else {}


def _otherwise(sentence: str, made: str, now: datetime) -> str | None:
    """Why an age is not that of a record; a day without a time may be any hour of it."""
    within = _WITHIN.search(sentence)
    found = within or _BEYOND.search(sentence)
    try:
        oldest = now.replace(tzinfo=None) - datetime.fromisoformat(made).replace(tzinfo=None)
    except ValueError:
        return None
    youngest = oldest - timedelta(days=1) if len(made) <= 10 else oldest
    if found is None or oldest < timedelta():
        return None
    limit = timedelta(**{f"{found['of'].casefold()}s": int(found["n"])})
    return f"it was made at {made}" if (youngest > limit if within else oldest < limit) else None
