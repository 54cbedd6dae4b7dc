"""How a person opens: with a greeting, or with what they want in as many words as they open with, by measured rates.

People greet, say their name, and name what they want before they tell of it: "Hi, I need to cancel an order". That gist
is made of the scenario's own words: the first sentence that asks for something, begun as people begin it, without ids
and details. It is said besides: what is not told entirely at first is told later, word by word. ``people.json`` has the
rates; ``tau_workshop.customers.openings`` counts them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from ..evaluation.language.text import is_common
from ..patterns import lazy

LENGTHS = (3, 6, 9, 14, 20)
"""The words of an opening up to which as many people say their name."""
GREETED = lazy(
    r"^(?:hi|hello|hey|good (?:day|morning|evening|afternoon))\b(?: (?:there|hello))?[,.!]* *", re.IGNORECASE
)
ASKS = lazy(r"(?:can|could|would|will|what|how|is|do|where|when|why)\b", re.IGNORECASE)
_EARLY = 5  # sentences; what is asked for later is not what they open with
_LEAD = lazy(r"^(?:and|also|then|next|besides that|on top of that|another thing|right|so)\b[,:]? ", re.IGNORECASE)
_MINE = lazy(
    r"(?:(?:I|we)(?:'d| would) like to|(?:I|we) (?:want|need|have|wish) to|(?:could|can|may) (?:I|we)) (?P<do>.+)",
    re.IGNORECASE,
)
_YOURS = lazy(r"(?:please|(?:can|could|would|will) you(?: please)?) (?P<do>.+)", re.IGNORECASE)
# What only the other side can be said to do; else "please cancel it" is "I need to cancel it".
_THEIRS = lazy(
    r"\bme\b|(?:^|\band )(?:charge|check|compensate|decide|drop|explain|find|fix|give|look|make|pay|refund|restore"
    r"|resume|send(?! back)|show|suspend|tell|turn|work)\b",
    re.IGNORECASE,
)
_BOTH = lazy(
    r"(?:add|book|buy|cancel|change|close|correct|end|exchange|file|fix|open|order|rebook|reinstate|remove|report"
    r"|reserve|return|send back|swap|switch|update|upgrade)\b",
    re.IGNORECASE,
)
_IMPERATIVE = lazy(rf"(?P<do>(?!(?i:order|claim|book) )(?i:{_BOTH.pattern}).+)")
_GIVEN = lazy(r"(?:give|tell|send|show) me (?P<thing>(?:the|an?|my|what|how|which|when|where|whether|if|why) .+)")
_CLAUSE = lazy(r"(?:what|how|which|when|where|whether|if|why)\b")
_UNSAID = lazy(
    r"(?:\w+ ){1,3}(?:it|them|their|this|that|those|these|both)\b"
    r"|(?:tell|give)(?! me (?:the|an?|my|what|how|which|when|where|why))"
    r"|(?:do not|don't|help|be|note|let|refund|settle|charge|use|pay|go)\b"
)
_IT = lazy(r"\b(?:it|them)\b")
_THING = lazy(
    r"(?P<asks>I(?:'d| would) like|I want|I need) (?P<thing>(?:the|an?|my|your) (?!.*\bthese\b).*\b(?:of|for|to)\b.+)"
)
_RECORDS = "order|reservation|booking|trip|flight|claim|contract|policy|ticket|bill"
_RECORD = lazy(rf"\b((?:{_RECORDS})s?)\b")
_ID = lazy(
    rf"\b(?P<whose>(?i:the|my|our|an?) (?:[A-Z][\w-]+ )*)?(?P<of>(?i:{_RECORDS}))"
    r" (?:#?[A-Z\d-]*\d[\w-]*|[A-Z]{6}\b)"
)
_ORDERED = lazy(r" that I (?:ordered|bought|booked|have|sent)\b(?! (?:to|in|with))")
_THE = lazy(
    r"(?<= )(?<!all )(?<!of )(?<!both )(?<!in )(?<!on )(?<!for )(?<!with )"
    r"(?:the (?!one\b|same\b|\w+est\b)|my (?=order|reservation|booking|trip|flight|claim))(?P<which>[a-z]+(?: [a-z]+)?)"
    r"(?= (?:in|with|from|for|to|on|and)\b|$)"
)
_FOR_ME = lazy(r" for me$")
_DETAIL = lazy(
    r"[;:—]|, (?!please)| (?:because|so that|as it|as they|which|that|who|if|when|where|unless|instead|please|without"
    r"|before|except|and (?:I|tell|charge|refund|put|use|take|give))\b"
)
_BREAK = lazy(r"[;:—]")
_PAUSE = lazy(r"[;:—]|,(?!\d)|\b(?:because|so that|when)\b")
_LOOSE = lazy(r"^(?:as|at|for|from|if|in|of|on|since|when|whenever|with)\b|\bthe one$", re.IGNORECASE)
_STEP = lazy(r" (?:in|with|for|from|to|on|at|by|under)\b")
_WHOLE = lazy(rf"(?:{_BOTH.pattern}|the|an?) .*[a-z]{{3,}}", re.IGNORECASE)
_NAME = lazy(
    r"(?:[Mm]y name is|I'm called|\bI'm|\bI am) (?P<name>[A-Z][a-z]+)|^(?P<first>[A-Z][a-z]+) [A-Z][a-z]+(?:,| is)"
)
_NOUN = lazy(r"\b(?:my|our) ((?:[a-z-]+ )??[a-z]{3,})(?= (?:in|with|that|on|of|to|for|from|and|is|has|\w+n't)\b|$)")
_STARTS = frozenset(
    ["hey", "first", "second", "third", "another", "then", "that's", "these", "does", "its", "whatever", "did", "why"]
)
_ASKED = lazy(r"I (?:need|want|would)\b|I'd like\b|(?:can|could) you\b", re.IGNORECASE)
_CALLS = ("I need help", "I need some help", "Can you help me")
_ABOUT = ("ask about", "sort out", "check on")
_HELP = ("I need help with", "I need some help with")
# What people seldom open with: what is not, and what depends on something.
_TOLD_LATER = lazy(
    r"n't\b|\b(?:no|not|never|nothing)\b|^(?:as|if|when|whenever|since|whatever|instead)\b", re.IGNORECASE
)
_VAGUE, _UNTOLD, _TELLS_ID, _NEW = 0.15, 0.6, 0.2, 0.8
_NAMED = 2.4  # not half of all scenarios tell a name
_MANY, _LONGEST = 18, 45  # words

Said = tuple[str, int]
"""What is said, and how many sentences of the wish it tells entirely."""


def opening(wanted: float, said: Sequence[str], known: Sequence[str], rates: Mapping[str, Any], rng: Random) -> Said:
    """What somebody says first, with its marks and capitals.

    Args:
        wanted: in about so many words.
        said: what they want, sentence by sentence.
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
    body, told = _body(wanted - len(f"{before} {after}".split()), said, rates, rng)
    body = body.replace(";", ".").replace("—", "-")
    asks, begun = ASKS.match(re.split(r"(?<=[.!?]) ", body)[-1]), _ASKED.match(body)
    text = _join(before, body, rates, rng)
    if after:
        text, asks = f"{text}{after}", None
    elif begun and "please" not in text.casefold() and rng.random() < rates["please"]:
        text = f"{text} please"
    elif not asks and "help" not in text and rng.random() < rates["help"]:
        text, asks = f"{text}. {_CALLS[-1]}", ASKS.match(_CALLS[-1])
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


def _body(wanted: float, said: Sequence[str], rates: Mapping[str, Any], rng: Random) -> Said:
    """What follows a greeting and a name, in about so many words."""
    found = list(_bodies(wanted, said, rates["wish"], rng))
    first = found[0][0]
    leads_up = len(said) > 1 and not _RECORD.search(first)
    vague = rates["about"] if _ASKED.match(first) else _UNTOLD if leads_up or _TOLD_LATER.search(first) else _VAGUE
    if wanted <= LENGTHS[1] and rng.random() < rates["calls"]:
        found = [(call, 0) for call in _CALLS]
    elif (
        wanted < LENGTHS[3] and rng.random() < vague and (noun := _NOUN.search(first) or _RECORD.search(" ".join(said)))
    ):
        begun, which = f"{_draw(_mine(rates['wish']), rng)} {rng.choice(_ABOUT)}", rng.choice(("my", "a"))
        about = _some(None, which, noun[1]) if _RECORD.fullmatch(noun[1]) and noun[1][-1] != "s" else f"my {noun[1]}"
        found = [(f"{rng.choice((begun, begun, rng.choice(_HELP)))} {about}", 0)]
    rng.shuffle(found)
    return min(found, key=lambda one: abs(len(one[0].split()) - wanted))


def _bodies(wanted: float, said: Sequence[str], wishes: Mapping[str, float], rng: Random) -> Iterator[Said]:
    """What can be told first, in several lengths, without the mark at the end."""
    place, begun, rest = _wish(said, wishes, rng)
    which = rng.choice(("my", "a", "a")) if begun else "my"
    plain = _FOR_ME.sub("", _ORDERED.sub("", rest.rstrip(".!?")))
    if rng.random() > _TELLS_ID:
        plain = _ID.sub(lambda found: _some(found["whose"], which, found["of"]), plain)
    if begun and rng.random() < _NEW:
        plain = _THE.sub(lambda found: _new(found["which"]), plain)
    for part in _cut(plain, wish=bool(begun)):
        yield f"{begun} {part}".strip(), 0
    if place and wanted < _MANY:
        return  # who says little does not begin with what leads up to a wish
    told = " ".join([*said[:place], f"{begun} {rest}".strip()])
    yield told.rstrip(".!?"), place + 1
    for at in range(place + 1, len(said)):
        told = f"{told} {said[at]}"
        if len(told.split()) > _LONGEST:
            break
        yield told.rstrip(".!?"), at + 1


def _wish(said: Sequence[str], wishes: Mapping[str, float], rng: Random) -> tuple[int, str, str]:
    """The first sentence that asks for something: its place, how a person begins it, and what follows."""
    yours = {one: often for one, often in wishes.items() if one.endswith(" you")}
    ours = {one: often for one, often in wishes.items() if one not in yours}
    for place, sentence in enumerate(said[:_EARLY]):
        text = _LEAD.sub("", sentence)
        mine = _MINE.match(text)
        found = mine or _YOURS.match(text) or _IMPERATIVE.match(text)
        if found and not _UNSAID.match(found["do"]):
            if given := _GIVEN.match(found["do"]):
                thing = given["thing"]
                asks = (
                    _draw(_mine(wishes), rng) + " know" if _CLAUSE.match(thing) else rng.choice(("I need", "I'd like"))
                )
                return place, asks, thing
            begun = ours if mine else yours if _THEIRS.search(found["do"]) else wishes
            return place, _draw(begun, rng), found["do"][0].lower() + found["do"][1:]
        if thing := _THING.match(text):
            return place, rng.choice((thing["asks"], "I need")), thing["thing"]
    place = next((place for place, one in enumerate(said[:_EARLY]) if _RECORD.search(one) and not _IT.search(one)), 0)
    return place, "", _LEAD.sub("", said[place])


def _mine(wishes: Mapping[str, float]) -> Mapping[str, float]:
    """How a wish to do something oneself is begun."""
    return {one: often for one, often in wishes.items() if one.endswith(" to")}


def _new(which: str) -> str:
    """A thing that has not been spoken of."""
    last = which.split()[-1]
    return (
        f"some {which}" if last.endswith("s") and not last.endswith("ss") else f"a{'n' * (which[0] in 'aeiou')} {which}"
    )


def _some(whose: str | None, which: str, of: str) -> str:
    """A record without its id."""
    if whose:
        return f"{whose}{of}"
    some = f"{which}{'n' if which == 'a' and of[0] in 'aeiou' else ''} {of.lower()}"
    return some if of.islower() else f"My {of.lower()}"


def _cut(text: str, *, wish: bool) -> Iterator[str]:
    """Beginnings of a text at which it can end."""
    detail = (_DETAIL if wish else _BREAK if ASKS.match(text) else _PAUSE).search(text)
    head = text[: detail.start()].strip() if detail and len(text[: detail.start()].split()) > 2 else text
    heads = (head[: found.start()] for found in (_STEP.finditer(head) if wish else ()))
    yield from (one for one in heads if _WHOLE.fullmatch(one) and not _LOOSE.search(one))
    yield from dict.fromkeys((text if _LOOSE.search(head) else head, re.split(r"[:;—]", text)[0]))
