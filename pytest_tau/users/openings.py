"""How a person opens: with a greeting, or with what they want in as many words as they open with, by measured rates.

People greet, say their name, and call what they want by a few words before they tell of it: "Hi, I need to cancel an
order". What a wish is called stands in the domain's ``openings.toml``. Who opens with more words adds a fact, or says
the scenario's own sentences. What is not told entirely at first is told later, word by word. The rates stand in
``people.json``; ``tau_workshop.customers.openings`` counts them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from ..environment.gists import Gists
from ..evaluation.language.text import is_common
from ..patterns import lazy
from .pieces import sentences

LENGTHS = (3, 6, 9, 14, 20)
"""The words of an opening up to which as many people say their name."""
GREETED = lazy(
    r"^(?:hi|hello|hey|good (?:day|morning|evening|afternoon))\b(?: (?:there|hello))?[,.!]* *", re.IGNORECASE
)
ASKS = lazy(r"(?:can|could|would|will|what|how|is|do|where|when|why)\b", re.IGNORECASE)
_NAME = lazy(
    r"(?:[Mm]y name is|I'm called|\bI'm|\bI am) (?P<name>[A-Z][a-z]+)|^(?P<first>[A-Z][a-z]+) [A-Z][a-z]+(?:,| is)"
)
_FACT = lazy(r"My (?:\S+ ){1,4}is \S+$")
_STARTS = frozenset(
    ["hey", "first", "second", "third", "another", "then", "that's", "these", "does", "its", "whatever", "did", "why"]
)
_ASKED = lazy(r"I (?:need|want|would)\b|I'd like\b|(?:can|could) you\b", re.IGNORECASE)
_CALLS = ("I need help", "I need some help", "Can you help me")
_NAMED = 2.4  # not half of all scenarios tell a name
_DRAWN = 4  # gists, of which the one whose length fits best is said
_FEW, _LONGEST = 16, 45  # words: up to so many call a wish by its gist; in so many at most it is told

Said = tuple[str, int]
"""What is said, and how many sentences of the wish it tells entirely."""


def opening(
    wanted: float, said: Sequence[str], gists: Gists, known: Sequence[str], rates: Mapping[str, Any], rng: Random
) -> Said:
    """What somebody says first, with its marks and capitals.

    Args:
        wanted: in about so many words.
        said: what they want, sentence by sentence.
        gists: what people call it.
        known: what they know; their name may be in it.
        rates: as people.json has them.
        rng: draws what is drawn.
    """
    if wanted < 2:
        greeting = _draw(rates["bare"], rng) + _draw(rates["bare_end"], rng)
        return (greeting.lower() if rng.random() < rates["small_bare"] else greeting), 0
    before = ""
    if rng.random() < rates["greets"]:
        before = _draw(rates["greeting"], rng) + (" there" if rng.random() < rates["there"] else "")
        before += _draw(rates["after"], rng)
    name = next((found["name"] or found["first"] for one in known if (found := _NAME.search(one))), None)
    after = ""
    if name and rng.random() < _NAMED * rates["named"][bisect_left(LENGTHS, wanted)]:
        called = f"{_draw(rates['name'], rng)} {name}"
        if wanted > LENGTHS[1] and rng.random() < rates["named_last"]:
            after = f". {called}"
        else:
            before = _join(before, f"{called}{_draw(rates['join'], rng)}", rates, rng)
        if wanted - len(before.split()) < 2:
            return before.removesuffix(" and").rstrip(".,") + _draw(rates["end"], rng), 0
    facts = [one for line in known for one in sentences(line) if _FACT.match(one) and not _NAME.search(one)]
    body, told = _body(wanted - len(f"{before} {after}".split()), said, gists, facts, rates, rng)
    body = body.replace(";", ".").replace("—", "-")
    asks, begun = ASKS.match(re.split(r"(?<=[.!?]) ", body)[-1]), _ASKED.match(body)
    text = _join(before, body, rates, rng)
    if after:
        text, asks = f"{text}{after}", None
    elif begun and "please" not in text.casefold() and rng.random() < rates["please"]:
        text = f"{text} please"
    elif not asks and "help" not in text and rng.random() < rates["help"]:
        call = _draw(rates["help_said"], rng)
        text, asks = f"{text}. {call}", ASKS.match(call)
    text += _draw(rates["asked_end" if asks else "end"], rng)
    if rng.random() < rates["two_spaces"]:
        text = re.sub(r"(?<=[.!?]) ", "  ", text)
    if rng.random() < rates["small"]:
        text = re.sub(r"\bI\b(?!-)", "i", small_start(text) if not text.startswith("I") else text)
    return text, told


def _draw(rates: Mapping[str, float], rng: Random) -> str:
    return rng.choices(list(rates), list(rates.values()))[0]


def _join(before: str, text: str, rates: Mapping[str, Any], rng: Random) -> str:
    """A text as it begins after what stands before it."""
    small = before and before[-1] not in ".!?" and rng.random() < rates["small_after"]
    return f"{before} {small_start(text) if small else text}".strip()


def small_start(text: str) -> str:
    """A text that begins with a common word in small letters; a name or an id stays."""
    first = text.split(" ", 1)[0]
    common = is_common(first) or first.casefold().strip(",.!?") in _STARTS
    return text[:1].lower() + text[1:] if common and first != "I" and not first.startswith("I'") else text


def _body(
    wanted: float, said: Sequence[str], gists: Gists, facts: Sequence[str], rates: Mapping[str, Any], rng: Random
) -> Said:
    """What follows a greeting and a name, in about so many words."""
    vague = not gists.wish or rng.random() < rates["about"]
    called = gists.any if vague else gists.wish
    if wanted <= LENGTHS[1] and (not called or rng.random() < rates["calls"]):
        called = _CALLS
    found = [(_begin(one, rates["wish"], rng), 0) for one in rng.sample(called, min(_DRAWN, len(called)))]
    if wanted > _FEW or not found:
        found += [(f"{one}. {fact}".rstrip(".!?"), 0) for one, _ in found for fact in facts]
        found += _told_whole(said)
        rng.shuffle(found)
    return min(found, key=lambda one: abs(len(one[0].split()) - wanted))


def _begin(gist: str, wishes: Mapping[str, float], rng: Random) -> str:
    """A gist as a person begins a wish; one with a capital is said as it stands."""
    if gist[0].isupper():
        return gist
    return f"{_draw({one: often for one, often in wishes.items() if not one.endswith(' you')}, rng)} {gist}"


def _told_whole(said: Sequence[str]) -> Iterator[Said]:
    """The first sentences of what they want, more and more of them, without the mark at the end."""
    for at in range(1, len(said) + 1):
        told = " ".join(said[:at])
        if at > 1 and len(told.split()) > _LONGEST:
            return
        yield told.rstrip(".!?"), at
