"""Orders: the sentences in which a customer tells the agent to do what it proposed, "book them now"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...patterns import lazy
from .actions import base_forms
from .text import sentences


def orders(said: str, asked: Sequence[str], verbs: tuple[str, ...]) -> Iterator[str]:
    """The sentences of a line that order an action now, and on no condition.

    Args:
        said: the customer's line.
        asked: the questions that it answers, or what was to be done; their own words count: "Shall I enter that?",
            "I would enter that", "Enter it!"
        verbs: the words for the action.
    """
    if _NOT_YET.search(said):
        return
    taken_up = (verb.casefold() for verb in _ASKED_VERB.findall(" ".join(asked)))
    ordered = base_forms((*verbs, *_CARRY_OUT, *taken_up))
    for sentence in sentences(said):
        if not _PUT_OFF.search(sentence) and any(map(ordered.match, _beginnings(sentence))):
            yield sentence


def _beginnings(sentence: str) -> Iterator[str]:
    """What an order may begin with: a sentence behind its courtesies, and what follows a comma in a plain one."""
    clauses = (
        [sentence]
        if _RESERVED.search(sentence) or _SETS_A_TIME.match(sentence)
        else [sentence, *re.split(r"[,:] ", sentence)[1:]]
    )
    for clause in clauses:
        found = re.match(_POLITE, clause, re.IGNORECASE)
        yield clause[found.end() :] if found else clause


_POLITE = (
    r"^\W*(?:(?:yes|ok|okay|please|now|then|just|so|and|great|perfect|thanks|thank you|alright|fine|good|sure|let's"
    r"|go ahead and"
    r"|in that case|i want you to|i'd like you to|you can|you may|kindly|\d[.)])\b\W*)*"
)
_NOT_YET = lazy(r"\bnot (?:until|before|yet|now)\b", re.IGNORECASE)
_PUT_OFF = lazy(
    r"\?|\"|\b(?:if|unless|until|later|tomorrow|nothing|only after|(?:when|once|after|as soon as) (?:i|you|we))\b",
    re.IGNORECASE,
)
_RESERVED = lazy(
    r"\b(?:no|not|never|nothing|when|once|after|before|then|instead|rather|sa(?:id|ys?)|t(?:old|ells)|thinks?|want(?:ed|s)?"
    r"|would|could|others?|or|only|always|keep|leave|ask|he|she|they)\b|n't\b",
    re.IGNORECASE,
)
# "On Friday, cancel it", "should it be late, cancel it".
_SETS_A_TIME = lazy(
    r"\W*(?:(?:well|ok|okay|and|so|but)\W+)*(?:as|at|by|during|from|given|had|in|next|on|only|provided|assuming|should"
    r"|since|under|were|whenever|while|with|within|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
_ASKED_VERB = lazy(
    r"\b(?:(?:shall|should|may|can|could) (?:i|we)|(?:i|we)(?:'d| would)|(?:me|us) to|to my) "
    r"(?:please |now |then |also |just )?"
    r"(?!(?:have|know|say|be|get|see|look|check|ask|explain|tell|help|like|love|need|rather|recommend|suggest|advise)\b)"
    r"([a-z]+?)(?:ing)?\b",
    re.IGNORECASE,
)
_CARRY_OUT = (
    *("proceed", "use", "execute", "process", "submit", "complete"),
    *("finalize", "apply", "carry out", "do", "make"),
)
