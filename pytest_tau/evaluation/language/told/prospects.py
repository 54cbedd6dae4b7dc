"""What the agent says that others will do or that will be, and nothing gives: "they'll send you a new one this week".

It is unclear, never a miss. Others are colleagues, a team, "they"; of the agent's own steps and of what the policy, the
tools, the records and the customer speak of it may say that they will be. Not meant either is what a colleague always
does (take over, help, decide), what is denied or hangs on a condition, and amounts, which figures.py sees to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ....environment.environment import Environment
from ....patterns import lazy
from ....schema.messages import AnyMessage
from ....schema.transcript import lines_of
from ..narration import refuses
from ..text import content_words, own_words, plain, sentences, words_of
from .deeds import Claim

_WILL = lazy(r"'ll\b| will\b| (?:is|are) going to\b", re.IGNORECASE)
_OWN = lazy(r"\bi$", re.IGNORECASE)
_OTHERS = lazy(
    r"\b(?:they|s?he|some(?:one|body)|(?:\w+ )?(?:colleagues?|supervisors?|managers?|teams?|specialists?|agents?"
    r"|representatives?|departments?|technicians?|engineers?|person|people|office|desk|relations))$",
    re.IGNORECASE,
)
_SEES_TO_IT = lazy(r"^ (?:\w+ )?(?:make sure|see to it|ensure|guarantee|promise) ", re.IGNORECASE)
# "They will be listed": things.
_IS_DONE = lazy(r"^(?: \w+ly)? be (?:\w+ly )?\w+(?:ed|n)\b", re.IGNORECASE)
_CLAUSE = lazy(r"[:;,]|\b(?:and|so)\b", re.IGNORECASE)
_NEXT_CLAUSE = lazy(r";|, (?:but|so|and) (?:i|we)\b", re.IGNORECASE)
_OPEN_LEFT = lazy(
    r"\b(?:not|cannot|no|nothing|never|whether|what|how|if|when|once|who|where|until|before|after|as soon as)\b|n't\b",
    re.IGNORECASE,
)
_DENIED = lazy(r"^ (?:not|never|no)\b|^ (?:\w+ )?(?:probably|usually|likely|possibly)\b", re.IGNORECASE)
_WHEN_OR_FREE = lazy(
    r"\b(?:today|tonight|tomorrow|this (?:week|month|morning|afternoon|evening|weekend)|next (?:week|month)"
    r"|(?:with)?in (?:the |an? )?(?:next )?(?:\w+ )?(?:hours?|minutes?|days?|weeks?)|the (?:week|month|day) is out"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|free of charge|for free|at no (?:\w+ )?(?:cost|charge))\b",
    re.IGNORECASE,
)
# What colleagues are there for, and words that say nothing of a deed.
_LIGHT = frozenset(
    one[:5]
    for one in words_of(
        """able again ask assist appear automatically back best care case check come connect contact continue decide
        details everything explain find follow further get glad guide handle hands happy issue join keep know let
        listen look matter person questions reach receive remain request review right say see shortly soon stay
        support take tell then through welcome"""
    )
)


def prospects(messages: Sequence[AnyMessage], env: Environment) -> Iterator[Claim]:
    """The sentences of the agent that tell of a deed of others, or of a time, and that nothing before them gives."""
    told = {line.turn: _told_in(line.text) for line in lines_of(messages) if line.by_agent and not line.calls}
    if not any(told.values()):
        return
    given = [_of_the_world(env)]
    for turn, message in enumerate(messages):
        for sentence, deed, times in told.get(turn, ()):
            known = {word[:5] for text in given for word in words_of(text)}
            new = any(word[:5] not in known and word[:5] not in _LIGHT for word in content_words(deed))
            if new or any(one not in text for one in times for text in (" ".join(given),)):
                yield Claim(turn, sentence, "nothing that the conversation has shown gives it")
        if turn not in told:
            given.append(plain(message.content or "").casefold())
            given += [str(call.arguments).casefold() for call in getattr(message, "tool_calls", None) or []]


@lru_cache(maxsize=64)
def _told(policy: str, tools: str) -> str:
    return plain(f"{policy}\n{tools}").casefold()


def _of_the_world(env: Environment) -> str:
    return _told(env.policy, "\n".join(str(spec.schema_copy) for spec in env.tool_specs()))


@lru_cache(maxsize=4096)
def _told_in(text: str) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """The sentences of a message that tell what will be: with the deed of others ("" if none) and the times in it."""
    if not _WILL.search(said := own_words(plain(text))):
        return ()
    return tuple(
        (one, *found) for one in sentences(said) if "?" not in one and (found := _prospect(one)) and any(found)
    )


def _prospect(sentence: str) -> tuple[str, tuple[str, ...]] | None:
    """What a sentence says that others will do, and when something will be."""
    for will in _WILL.finditer(sentence):
        who = _CLAUSE.split(sentence[: will.start()])[-1].strip()
        what = _NEXT_CLAUSE.split(sentence[will.end() :])[0]
        if _OPEN_LEFT.search(who) or _DENIED.search(what) or refuses(f"{who} will{what}"):
            continue
        sees_to_it = _SEES_TO_IT.search(what) is not None
        if _OWN.search(who) and not sees_to_it:
            continue
        others = sees_to_it or (_OTHERS.search(who) and not _IS_DONE.search(what))
        times = tuple(one.casefold() for one in _WHEN_OR_FREE.findall(what))
        if others or times:
            return (what if others else "", times)
    return None
