"""What the agent says that others will do or that will be, and nothing gives: "they'll send you a new one this week".

It is unclear, never a miss. Others are colleagues, a team, "they". The agent may tell of its own steps, unless they are
for another day, and of what the policy, the tools, the records or the customer speak of. Left out is what a colleague
always does (take over, help, decide), what is denied or hangs on a condition, and amounts, which figures.py sees to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime
from functools import lru_cache
from itertools import islice

from ....environment.environment import Environment
from ....patterns import lazy
from ....schema.messages import AnyMessage
from ....schema.transcript import lines_of
from ..days import LEAP_YEAR, WEEKDAYS, dates_with_year, days_in
from ..narration import refuses
from ..text import content_words, own_words, plain, sentences, words_of
from .deeds import Claim

_WILL = lazy(r"'ll\b| will\b| (?:is|are) going to\b", re.IGNORECASE)
_OWN = lazy(r"\bi$", re.IGNORECASE)
_PARTY = (
    r"(?:colleagues?|supervisors?|managers?|teams?|specialists?|agents?|representatives?|departments?|technicians?"
    r"|engineers?|people|staff|guys|crew|couriers?|drivers?|relations|someone|somebody)"
)
_SOMEBODY = lazy(
    rf"\b{_PARTY}\b|\b(?:hand|pass|transfer|put|connect)\b.{{0,30}}\b(?:over|on|to|through)\b", re.IGNORECASE
)
_OTHERS = lazy(rf"\b{_PARTY}(?: (?:at|in|from|of) (?:the|our|this) \w+)?$", re.IGNORECASE)
_THEY = lazy(r"\b(?:they|s?he)$", re.IGNORECASE)
_SEES_TO_IT = lazy(
    r"^ (?:\w+ )?(?:make sure|see to it|ensure|guarantee|promise) (?!(?:that )?(?:i|we|nothing|no)\b)", re.IGNORECASE
)
# "They will be listed": things.
_IS_DONE = lazy(r"^(?: \w+ly)? be (?:\w+ly )?\w+(?:ed|n)\b", re.IGNORECASE)
_CLAUSE = lazy(r"[:;,]|\b(?:and|so)\b", re.IGNORECASE)
_NEXT_CLAUSE = lazy(r";|, (?:but|so|and)(?: then)? (?:i|we|you)\b", re.IGNORECASE)
_OPEN_LEFT = lazy(
    r"\b(?:not|cannot|no|nothing|never|whether|what|how|if|when|once|who|where|until|before|after|as soon as)\b|n't\b",
    re.IGNORECASE,
)
_DENIED = lazy(
    r"^ (?:not|never|no)\b|^ (?:\w+ )?(?:probably|usually|likely|possibly|love|like|enjoy)\b|^ (?:need|have) to\b",
    re.IGNORECASE,
)
_WHEN = lazy(
    r"\b(?:tonight|tomorrow|this (?:week|month|morning|afternoon|evening|weekend)|next (?:week|month)"
    r"|(?:with)?in (?:the |an? )?(?:next )?(?:\w+ ){0,2}(?:hours?|days?|weeks?)|the (?:week|month|day) is out"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
# Whoever answers here acts now; what is looked up may be of any day.
_ANOTHER_DAY = lazy(
    r"^(?! (?:\w+ly )?(?:search|check|look|see|find|be|show|help)\b)[^?]*?(?<!\bfor )"
    r"\b(?:tonight|overnight|tomorrow|next (?:week|month)|(?:on|by) (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
_FREE = lazy(r"\b(?:free of charge|for free|at no (?:\w+ )?(?:cost|charge)|at our (?:cost|expense))\b", re.IGNORECASE)
_COSTS_NOTHING = lazy(
    r"\bfree\b|\bno (?:\w+ )?(?:cost|charge|fee)s?\b|\bcosts? (?:you )?nothing\b|\$0\b", re.IGNORECASE
)
_NUMBER = lazy(r"\d+")
_SOON = 14  # days within which a weekday is meant by its name
_MOST, _LONGEST = 20, 400  # of a sentence; what a model repeats without end is as long as it likes
# What colleagues are there for, and words that say nothing of a deed.
_LIGHT = frozenset(
    one[:5]
    for one in words_of(
        """able again appear ask assist automatically back best care case chat check come connect contact
        continue decide details everything explain find follow further get glad guide handle hands happy
        issue join joining keep know left let listen look matter off person pick questions reach receive
        remain request rest review right say see shortly soon stay support take tell then through walk
        welcome where"""
    )
)


def told_to_come(messages: Sequence[AnyMessage], env: Environment) -> Iterator[Claim]:
    """The sentences of the agent that tell of a deed of others, or of a time, and that nothing before them gives."""
    told = {line.turn: _told_in(line.text) for line in lines_of(messages) if line.by_agent and not line.calls}
    if not any(told.values()):
        return
    given = [_of_the_world(env)]
    for turn, message in enumerate(messages):
        found = told.get(turn, ())
        shown = "\n".join(given) if found else ""
        known = {word[:5] for word in words_of(shown)}
        for sentence, deed, times in found:
            new = any(word[:5] not in known and word[:5] not in _LIGHT for word in content_words(deed))
            if new or not all(_gives(shown, one, sentence, env.tools.now) for one in times):
                yield Claim(turn, sentence, "nothing that the conversation has shown gives it")
        if turn not in told:
            given.append(plain(message.content or "").casefold())
            given += [str(call.arguments).casefold() for call in getattr(message, "tool_calls", None) or []]


def _gives(shown: str, time: str, sentence: str, now: datetime | None) -> bool:
    """Whether a time, or that something is free, follows from what was shown; days stand there as dates, too.

    A weekday is one of the next days, or of a date that the sentence tells as well.
    """
    if time in shown or (_FREE.search(time) and _COSTS_NOTHING.search(shown)):
        return True
    if number := _NUMBER.search(time):
        return re.search(rf"\b{number[0]} (?:\w+ )?{time.split()[-1].removesuffix('s')}", shown) is not None
    days = list(_days_in(shown))
    if time in WEEKDAYS:
        told = days_in(sentence)
        meant = [
            day
            for day in days
            if now is None or 0 <= (day - now.date()).days <= _SOON or day.replace(year=LEAP_YEAR) in told
        ]
        return any(WEEKDAYS[day.weekday()] == time for day in meant)
    return time == "tomorrow" and now is not None and any((day - now.date()).days == 1 for day in days)


def _days_in(text: str) -> Iterator[date]:
    for day in dates_with_year(text):
        with suppress(ValueError):  # the 30th of February
            yield date.fromisoformat(day)


def _of_the_world(env: Environment) -> str:
    """What an agent knows before anything is said: the policy, and what its tools say of themselves."""
    return _in_small_letters(env.policy, "\n".join(str(spec.schema) for spec in env.tool_specs()))


@lru_cache(maxsize=64)
def _in_small_letters(policy: str, tools: str) -> str:
    return plain(f"{policy}\n{tools}").casefold()


@lru_cache(maxsize=4096)
def _told_in(text: str) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """The sentences of a message that tell what will be: with the deed of others ("" if none) and the times in it."""
    if not _WILL.search(said := own_words(plain(text))):
        return ()
    somebody = _SOMEBODY.search(said) is not None
    told = ((one, _what_will_be(one, somebody=somebody)) for one in sentences(said) if "?" not in one)
    return tuple((one, *found) for one, found in told if found is not None)


def _what_will_be(sentence: str, *, somebody: bool) -> tuple[str, tuple[str, ...]] | None:
    """What a sentence says that others will do ("" if nothing), and when something will be.

    ``somebody``: whether its message speaks of others, whom "they" may mean; else things are meant.
    """
    for will in islice(_WILL.finditer(sentence), _MOST):
        who = _CLAUSE.split(sentence[max(0, will.start() - _LONGEST) : will.start()])[-1].strip()
        what = _NEXT_CLAUSE.split(sentence[will.end() : will.end() + _LONGEST])[0]
        if _OPEN_LEFT.search(who) or _DENIED.search(what) or refuses(f"{who} will{what}"):
            continue
        sees_to_it = _SEES_TO_IT.search(what) is not None
        if _OWN.search(who) and not sees_to_it and not _ANOTHER_DAY.search(what):
            continue
        by_others = _OTHERS.search(who) or (somebody and _THEY.search(who))
        others = sees_to_it or (by_others and not _IS_DONE.search(what))
        times = tuple(one[0].casefold() for pattern in (_WHEN, _FREE) for one in pattern.finditer(what))
        if others or times:
            return (what if others else "", times)
    return None
