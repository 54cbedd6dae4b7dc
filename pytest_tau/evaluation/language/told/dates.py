"""What the agent tells of the day of something named: "your flight TAU314 on 21 May", while its records show 19 May.

A part of a sentence has to name only what records with days are about and then tell a day, and no such day may be
among theirs, in the search that found them, in the policy or in the customer's words. Sentences that deny, bound or
tell of a change are left out, and those about what follows from the day (arriving, a refund, the check-in). It is
unclear, never a miss.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache

from ....patterns import lazy
from ....schema.messages import AnyMessage
from ....schema.transcript import calls_done, leaves, records_in
from ..days import days_in
from ..text import own_words, plain, sentences
from .deeds import Claim
from .hours import NAME

_ENDS = re.compile(r"[,;|]")
_OF_ANOTHER = lazy(
    r"\b(?:not|never|no|cannot|without|instead|rather than|before|after|by|until|between|from|to|as of|if|can|could"
    r"|would|shall|should|(?-i:may)|might|will|new|mov(?:e|ed|ing)|chang\w+|(?:re)?schedul\w*|rebook\w*|switch\w*|postpone\w*"
    r"|delay\w*|today|currently|effective|search\w*|available|options?|born|arriv\w*|land(?:s|ed|ing)?|next|overnight|refund\w*"
    r"|expir\w*|end(?:s|ed)|check-?in|opens?|opened|closed?|closes)\b|n't\b|'ll\b|\?",
    re.IGNORECASE,
)


def told_of_dates(messages: Sequence[AnyMessage], policy: str) -> Iterator[Claim]:
    """The sentences that tell another day of named things than any record of them that was seen."""
    told = {
        turn: found
        for turn, message in enumerate(messages)
        if message.role == "assistant" and not message.tool_calls and (found := _told_in(message.text or ""))
    }
    for turn, found in told.items():
        shown = _shown_before(turn, messages)
        said = {day for one in messages[:turn] if one.role == "user" for day in days_in(plain(one.text))}
        for sentence, names, days in found:
            known = [shown.get(name) for name in names]
            if not all(known) or not days.isdisjoint(said.union(days_in(policy), *filter(None, known))):
                continue
            seen = ", ".join(f"{day:%B} {day.day}" for day in sorted(frozenset[date]().union(*filter(None, known)))[:4])
            yield Claim(turn, sentence, f"what was looked up of {' and '.join(sorted(names))} shows {seen}")


@lru_cache(maxsize=4096)
def _told_in(text: str) -> tuple[tuple[str, frozenset[str], frozenset[date]], ...]:
    """The sentences of a message that name things and tell days of them."""
    if not days_in(text) or not NAME.search(text):
        return ()
    told = (_named_first(one) for one in sentences(own_words(text)) if not _OF_ANOTHER.search(one))
    return tuple(one for one in told if one is not None)


def _named_first(sentence: str) -> tuple[str, frozenset[str], frozenset[date]] | None:
    """The names in a sentence and the days that stand behind them in its part; None where there are none."""
    first = NAME.search(sentence)
    part = "" if first is None else _ENDS.split(sentence[first.start() :])[0]
    names = [*NAME.finditer(part)]
    days = frozenset(days_in(part[names[-1].end() :])) if names else frozenset[date]()
    return (sentence, frozenset(name[0] for name in names), days) if days else None


def _shown_before(turn: int, messages: Sequence[AnyMessage]) -> Mapping[str, frozenset[date]]:
    """The days that results showed of what they name, with those that they were asked for by."""
    shown: dict[str, frozenset[date]] = {}
    for at, call, result in calls_done(messages):
        if at < turn and call.requestor == "assistant":
            asked = frozenset(days_in(str(call.arguments)))
            for name, days in _days_by_name(result.content or "").items():
                shown[name] = shown.get(name, frozenset()) | days | asked
    return shown


@lru_cache(maxsize=512)
def _days_by_name(content: str) -> Mapping[str, frozenset[date]]:
    """The days of the records in a result, and of those inside them, by what names them."""
    found: dict[str, frozenset[date]] = {}
    for record in records_in(content):
        names = [value for value in record.values() if isinstance(value, str) and NAME.fullmatch(value)]
        texts = [value for _, value in leaves(record) if isinstance(value, str)] if names else []
        days = frozenset(day for text in texts for day in days_in(text))
        found |= {name: found.get(name, frozenset()) | days for name in names}
    return found
