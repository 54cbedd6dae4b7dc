"""How long: a number of days, weeks, months … of the call beside the one that both sides named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ....patterns import lazy
from ..asked import read_question, says_little
from ..dialogue import says_yes
from ..text import NUMBER_WORDS, content_words, sentences
from .agreed import Agreed, Breach

_SPANS = ("days", "nights", "weeks", "months", "years")
_WORDS = NUMBER_WORDS[:12]
_NUMBER = rf"\d{{1,3}}|{'|'.join(_WORDS)}"
_OF_SOMETHING_ELSE = lazy(
    r"\b(?:plus|more|another|extra|ago|since|last|past|already|been|was|were|ha[ds]|in advance|least|longer|shorter"
    r"|later|enough)\b",
    re.IGNORECASE,
)
_IN_OTHER_WORDS = lazy(r"\b(?:quarter|half|year|season|until|till|no|not|later|longer)\b", re.IGNORECASE)


def span(found: Agreed) -> Breach | None:
    """A number of days, months … of the call beside the one that the customer wished for last, and the agent put.

    Only where nobody has named the call's own number since, the agent asks for leave to nothing else, and the answers
    are a bare yes: "the maximum, then" may be any number.
    """
    for name, value in found.values:
        if name not in _SPANS or isinstance(value, bool) or not isinstance(value, int):
            continue
        named = [line for line in found.lines if _measure(name).search(line[2])]
        wish = next((line for line in named if not line[1]), None)
        put = next((line for line in named if line[1]), None)
        if wish is None or put is None:
            continue
        since = [line for line in found.lines if line[0] >= min(wish[0], put[0])]
        answers = [text for at, by_agent, text in since if not by_agent and at > wish[0]]
        if any(value in _numbers(text) for _, _, text in since) or not all(map(_only_agrees, answers)):
            continue
        leave = read_question(put[2]).leave
        if not all(says_little(one) or _measure(name).search(one) for one in leave):
            continue
        proposed = [one for one in sentences(put[2]) if one in leave or found.subject.keys_in(one)]
        agreed = {*_wished(sentences(wish[2]), name)} & {*_wished(proposed, name)}
        if agreed:
            return Breach(name, str(min(agreed)), str(value), wish[0])
    return None


def _only_agrees(text: str) -> bool:
    """Whether each telling word of an answer would be a yes alone: "Agreed.", "I agree, perfect"."""
    return all(says_yes(word) or says_yes(f"I {word}") for word in content_words(text))


def _wished(said: list[str] | tuple[str, ...], unit: str) -> Iterator[int]:
    """The spans of sentences that are whole clauses, or end one: "then rather two months", "a pause of two months"."""
    clauses = (part for one in said if not _IN_OTHER_WORDS.search(one) for part in one.split(","))
    for part in clauses:
        if not _OF_SOMETHING_ELSE.search(part):
            yield from (n for one in _whole(unit).finditer(part) for n in _numbers(one[1]))


def _numbers(text: str) -> list[int]:
    said = re.findall(rf"\b(?:{_NUMBER})\b", text.casefold())
    return [_WORDS.index(one) + 1 if one in _WORDS else int(one) for one in said]


@lru_cache(maxsize=8)
def _measure(unit: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.$])(?:{_NUMBER})[ -](?:\w+ )?{unit[:-1]}s?\b", re.IGNORECASE)


@lru_cache(maxsize=8)
def _whole(unit: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:^\W*|\b(?:for|of|rather|like|want|it|then) )({_NUMBER}) {unit[:-1]}s?"
        r"(?=\W*$|\W+(?:please|if|for|on|will|would|is|it|then)\b)",
        re.IGNORECASE,
    )
