"""What the agent tells of the hours of something named: "TAU116 departs at 13:10", while its records show 21:05.

A sentence, or a row of a table, has to name one thing that records with hours are about, and none of the hours that it
tells may be among theirs. What denies or bounds ("by 9:00") tells no hour, and hours of the policy and of the customer
are theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from ....patterns import lazy
from ....schema.messages import AnyMessage
from ....schema.transcript import leaves, records_in
from ..text import own_words, plain, sentences
from .records import UntrueSentence

Hours = frozenset[tuple[int, int]]

_HOUR = lazy(r"(?<![\d:.,$-])([01]?\d|2[0-3]):([0-5]\d)(?!\d)(?::[0-5]\d)?(?:\s?([ap])\.?m\b)?", re.IGNORECASE)
NAME = re.compile(r"(?<!\w)#?(?=\w*\d)(?=\w*[A-Z])[A-Z0-9]{4,}(?!\w)")
"""What a flight, a reservation or a contract goes by: capital letters and digits."""
# Besides: what is offered, what has changed or will, how long something takes, and hours of another place.
_BOUNDS = lazy(
    r"\b(?:not|never|no|cannot|without|instead of|rather than|before|after|by|until|between|around|about"
    r"|if|can|could|would|shall|should|(?-i:may)|might|new|now|instead|mov(?:e|ed|ing)|chang\w+|(?:re)?schedul(?:e|ing)"
    r"|rescheduled|rebook\w*|switch\w*|postpone\w*|delay\w*|take|takes|lasts?|durations?|layovers?|stopovers?|long|left"
    r"|check-?in|gates?|board(?:s|ing)?|opens?|closes?|desk"
    r"|hours?|hrs?|minutes?|min|local|utc|gmt|ce?s?t|[cmp][sd]t)\b|n't\b|\?",
    re.IGNORECASE,
)


def told_of_hours(messages: Sequence[AnyMessage], policy: str) -> Iterator[UntrueSentence]:
    """The sentences that tell other hours of a named thing than any record of it that was seen."""
    for turn, message in enumerate(messages):
        if message.role == "assistant" and (text := message.text) and not message.tool_calls:
            for sentence, name, told in _told_in(text):
                shown = _shown_of(name, messages[:turn])
                if shown and told.isdisjoint(shown) and told.isdisjoint(_said(messages[:turn], policy)):
                    hours = ", ".join(f"{hour:02d}:{minute:02d}" for hour, minute in sorted(shown)[:4])
                    yield UntrueSentence(turn, sentence, f"what was looked up of {name} shows {hours}")


@lru_cache(maxsize=4096)
def _told_in(text: str) -> tuple[tuple[str, str, Hours], ...]:
    """The parts of a message that name one thing and tell hours."""
    if not _HOUR.search(text):
        return ()
    lines = plain(own_words(text)).split("\n")
    parts = [part for line in lines for part in ([line] if line.lstrip().startswith("|") else sentences(line))]
    found = ((part, set(NAME.findall(part)), hours_in(part)) for part in parts if not _BOUNDS.search(part))
    return tuple((part.strip(), names.pop(), told) for part, names, told in found if told and len(names) == 1)


def hours_in(text: str) -> Hours:
    """The hours that a text tells, of 24; one without "pm" may be either."""
    found = set[tuple[int, int]]()
    for hour, minute, half in _HOUR.findall(text):
        plus = 12 if half.casefold() == "p" else 0
        found.add((int(hour) % 12 + plus if half else int(hour), int(minute)))
        if not half and int(hour) < 12 and len(hour) == 1:
            found.add((int(hour) + 12, int(minute)))
    return frozenset(found)


def _said(messages: Sequence[AnyMessage], policy: str) -> Hours:
    """The hours that the policy names, or the customer has said."""
    return hours_in("\n".join((policy, *(plain(one.text) for one in messages if one.role == "user"))))


def _shown_of(name: str, messages: Sequence[AnyMessage]) -> Hours:
    """The hours in all records of a name."""
    results = (one for one in messages if one.role == "tool" and not one.error and one.requestor == "assistant")
    return frozenset().union(*(_hours_by_name(one.content or "").get(name, frozenset()) for one in results))


@lru_cache(maxsize=512)
def _hours_by_name(content: str) -> Mapping[str, Hours]:
    """The hours of the records in a result, and of those inside them, by what names them; of a plain text, its own."""
    found: dict[str, Hours] = {}
    for record in records_in(content):
        names = [value for value in record.values() if isinstance(value, str) and NAME.fullmatch(value)]
        texts = [value for _, value in leaves(record) if isinstance(value, str)] if names else []
        if hours := hours_in("\n".join(texts)):
            found |= {name: found.get(name, frozenset()) | hours for name in names}
    return found or dict.fromkeys(NAME.findall(content), hours_in(content))
