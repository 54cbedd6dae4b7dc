"""What the agent tells of options beside the list that a result showed: which is cheapest or largest, which can be had.

An option is a record with a price in a list of such records. Another one is better only if nothing that the customer or
the sentence names tells the two apart: "the cheapest green one" is not held against a red one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ....patterns import lazy
from ....schema.messages import AnyMessage
from ....schema.transcript import leaves, parse_result
from ..terms.money import money_in
from ..text import is_common, is_item, own_words, plain, sentences
from .records import UntrueSentence, names_an_id

_PRICE = lazy(r"(?:^|_)(?:price|cost|fare|fee|premium|rate|rent)(?:_|$)")
_OPEN = lazy(r"^(?:is_)?(?:available|in_stock|sellable)$")
_LOWEST = lazy(r"\b(?:cheapest|lowest[- ](?:priced?|cost)|least expensive|most affordable)\b", re.IGNORECASE)
_HIGHEST = lazy(r"\b(?:most expensive|priciest|highest[- ]priced?)\b", re.IGNORECASE)
_MOST = lazy(
    r"\b(?:(?P<high>highest|largest|biggest|longest)|lowest|smallest|shortest)[- ](?:available )?"
    r"(?P<of>[a-z]+(?: [a-z]+)?)",
    re.IGNORECASE,
)
_HINTS = """available stock cheapest priciest expensive affordable lowest
    smallest shortest highest largest biggest longest""".split()  # noqa: SIM905
_DEAREST = 1e12
_NOT_THE = lazy(
    r"\b(?:second|third|next|other|of the|among the|some|if|would|could|than|to|with)[- ](?:\w+ )?$"
    r"|\b(?:of|among|out of|from) (?:the|these|those|your|all)\b",
    re.IGNORECASE,
)
# The cheapest of some only, and nobody can say by rule which: "that meets your needs", "way to do it", "of these".
_OF_SOME = lazy(
    r"\b(?:that|which|ways?|to|with|within|meet\w*|fit\w*|suit\w*|match\w*|under|over|above|below|of|in|from|compatible|for)\b",
    re.IGNORECASE,
)
_TO_BE_HAD = lazy(r"\b(?:available|in stock)\b", re.IGNORECASE)
_NOT_YET = lazy(
    r"\b(?:will|would|should|could|may|might|becomes?|soon|again|back|instead|alternatives?|pre-?orders?|back-?orders?"
    r"|back-?ordered|discontinued|restock\w*|expected|out|which|only|false|null|0 available)\b"
    r"|\b(?:available|in stock)\W{1,6}(?:0|x|n|from|on|starting|as of|by)\b|[❌✗✘✖🚫]",
    re.IGNORECASE,
)
_OPEN_LEFT = lazy(
    r"\b(?:not|no|none|never|neither|nor|cannot|unavailable|out of stock|sold out|if|whether|when|once|unless|until|was"
    r"|were)\b"
    r"|n't\b|\?",
    re.IGNORECASE,
)
_ENDS_A_NOUN = re.compile(r"[(:,.$;]|\b(?:is|are|was|at|for|priced|would|which|from|in your|in the)\b")
_ENDS_A_SUBJECT = re.compile(r"[(:;,$]|\b(?:is|are|was|costs?|for (?:each|all|both|every|the))\b")
_LIKE_ANOTHER = lazy(
    r"\b(?:same (?!price|payment|card|method|order|address)|similar|match\w*|identical|like (?:my|the)|comparable"
    r"|(?:small|bigg?|large?|long|short|tall|light|heav[yi]|fast|bright|dark)(?:e?r)?|better|suit\w*|fits?)\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(r"(\d+(?:\.\d+)?)[ -]?([a-z]*)", re.IGNORECASE)
_TOKEN = re.compile(r"[a-z]+|\d+(?:\.\d+)?")


class Option(NamedTuple):
    """One of several: its id, what it costs, whether it can be had (None: its record does not say), and the rest."""

    key: str
    price: float
    open: bool | None
    traits: tuple[tuple[str, str], ...]


Options = tuple[Option, ...]


def told_of_options(messages: Sequence[AnyMessage]) -> Iterator[UntrueSentence]:
    """The sentences that call an option the cheapest or available, while a list seen by then has it otherwise."""
    for turn, message in enumerate(messages):
        if message.role != "assistant" or message.tool_calls or not (text := message.text) or not _claims_in(text):
            continue
        before = messages[:turn]
        if lists := lists_of(before):
            wishes = " ".join(one.text or "" for one in before if one.role == "user")
            for claim in _alone(_claims_in(text), lists):
                if (why := _untrue(claim, lists, wishes)) is not None:
                    yield UntrueSentence(turn, claim.text, why)


def lists_of(messages: Sequence[AnyMessage]) -> list[Options]:
    """The lists of options that results have shown; of the same options the latest."""
    lists: dict[frozenset[str], Options] = {}
    for message in messages:
        if message.role == "tool" and not message.error and message.requestor == "assistant":
            content = message.content or ""
            if content.startswith(("{", "[")):
                lists |= {frozenset(one.key for one in options): options for options in _lists_in(content)}
    return [*lists.values()]


def _alone(claims: Sequence[_Claim], lists: Sequence[Options]) -> Iterator[_Claim]:
    """The claims; of several options of one list below a heading none is called the cheapest of all."""
    named = [
        (claim.heading, number) for claim in claims for number, one in enumerate(lists) if named_in(claim.text, one)
    ]
    for claim in claims:
        several = any(
            claim.heading and named.count((claim.heading, number)) > 1 and named_in(claim.text, one)
            for number, one in enumerate(lists)
        )
        yield claim._replace(end=0) if several else claim


@lru_cache(maxsize=256)
def _lists_in(content: str) -> tuple[Options, ...]:
    """The lists of options in a result."""
    waiting, found = [parse_result(content)], list[Options]()
    while waiting:
        value = waiting.pop()
        inner = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
        waiting += inner
        options = [_option(one) for one in inner if isinstance(one, dict)] if len(inner) > 1 else []
        if len(options) == len(inner) and (known := tuple(one for one in options if one is not None)):
            found += [known] if len(known) == len(inner) else []
    return tuple(found)


def _option(record: dict[str, Any]) -> Option | None:
    """A record as an option; None if it has no id of its own or no single price."""
    numbers = [value for name, value in record.items() if _PRICE.search(name) and type(value) in (int, float)]
    prices = [value for value in numbers if 0 < value < _DEAREST]
    keys = [value for name, value in record.items() if names_an_id(name) and isinstance(value, str)]
    if len(prices) != 1 or not keys:
        return None
    said = [value for name, value in record.items() if _OPEN.search(name) and isinstance(value, bool)]
    traits = tuple((name, value) for name, value in leaves(record) if isinstance(value, str) and not names_an_id(name))
    return Option(keys[-1], float(prices[0]), said[0] if said else None, traits)


class _Claim(NamedTuple):
    """What a line calls the one option that it names: the lowest (-1) or highest (1) ``of`` its list, and available."""

    text: str
    end: int
    of: str
    available: bool
    noun: str
    heading: str = ""


@lru_cache(maxsize=4096)
def _claims_in(text: str) -> tuple[_Claim, ...]:
    """What a message claims of options: in a sentence, or in a heading for each line below it."""
    said = text.casefold()
    if not any(one in said for one in _HINTS):  # in no time; most messages speak of no option
        return ()
    found, heading = list[_Claim](), None
    for line in plain(own_words(text)).split("\n"):
        if is_item(line):
            if heading is not None and not _OPEN_LEFT.search(line):
                available = heading.available and not _NOT_YET.search(line)
                found.append(heading._replace(text=line.strip(), heading=heading.text, available=available))
            elif heading is None:
                found += filter(None, map(_claim, sentences(line)))
        elif line.strip():
            heading = _claim(line) if line.rstrip().endswith(":") else None
            found += () if heading is not None else filter(None, map(_claim, sentences(line)))
    return tuple(found)


def _claim(sentence: str) -> _Claim | None:
    """What a sentence calls an option; None where it leaves that open."""
    if _OPEN_LEFT.search(sentence):
        return None
    named = [(end, "price", one) for end, words in ((-1, _LOWEST), (1, _HIGHEST)) for one in words.finditer(sentence)]
    named = named or [(1 if one["high"] else -1, one["of"].casefold(), one) for one in _MOST.finditer(sentence)]
    if len(named) > 1 or any(_NOT_THE.search(sentence[: one.start()]) for _, _, one in named):
        return None
    available = _TO_BE_HAD.search(sentence) is not None and not _NOT_YET.search(sentence)
    if not named:
        return _Claim(sentence, 0, "", True, "") if available else None
    end, of, found = named[0]
    after = sentence[found.end() if of == "price" else found.start("of") :]
    if _OF_SOME.search(_ENDS_A_SUBJECT.split(after, maxsplit=1)[0]):
        return None
    noun = _ENDS_A_NOUN.split(after, maxsplit=1)[0]
    return _Claim(sentence, end, of, available, noun)


def _untrue(claim: _Claim, lists: Sequence[Options], wishes: str) -> str | None:
    """Why a claim does not hold in any list that has the option it names."""
    held = [(option, options) for options in lists for option in named_in(claim.text, options)]
    if not held or len({option.key for option, _ in held}) > 1:
        return None
    own = {one.key for options in lists for one in options if not any(options is other for _, other in held)}
    if claim.available and any(option.open is False and option.key not in own for option, _ in held):
        return f"{held[0][0].key} is not available"
    if not claim.end or any(option.open is False for option, _ in held) or _LIKE_ANOTHER.search(wishes):
        return None
    named = _tokens(f"{wishes} {claim.noun}")
    better = [_better(option, options, claim, named, own) for option, options in held]
    found = better[0]
    if found is None or None in better:
        return None
    other, amount = found
    return f"{other.key} has {amount}, for ${other.price:.2f}" if amount else f"{other.key} costs ${other.price:.2f}"


def named_in(text: str, options: Options) -> list[Option]:
    """The options of a list that a line names: by their ids, or else by a price to the cent."""
    by_id = [one for one in options if one.key in text and re.search(rf"(?<!\w){re.escape(one.key)}(?!\w)", text)]
    if by_id:
        return by_id
    told = {amount for amount in money_in(text) if amount != int(amount)}
    return [one for one in options if one.price in told]


def _better(
    option: Option, options: Options, claim: _Claim, named: frozenset[str], own: set[str]
) -> tuple[Option, str] | None:
    """An option with more (or less) of it that can be had, is not the customer's, and nothing named tells apart."""
    mine = _measured(option, claim.of)
    others = [one for one in options if one.open is not False and one.key not in own and one is not option]
    known = [(one, *measured) for one in others if (measured := _measured(one, claim.of)) is not None]
    if mine is None:
        return None
    trait, amount, unit = mine
    for other, _, theirs, its in sorted(known, key=lambda one: (one[2] * -claim.end, one[0].price)):
        ahead = (theirs - amount) * claim.end > 0.005 or (trait and theirs == amount and other.price < option.price)
        if its == unit and ahead and not _told_apart(option, other, trait, named):
            return other, trait and dict(other.traits)[trait]
    return None


def _measured(option: Option, of: str) -> tuple[str, float, str] | None:
    """How much of something an option has: the trait's name ("" for the price), the number and its unit."""
    if of == "price":
        return "", option.price, "$"
    for name, value in option.traits:
        if set(_TOKEN.findall(name.casefold())).intersection(of.split()) and (found := _MEASURE.fullmatch(value)):
            return name, float(found[1]), found[2].casefold()
    return None


def _told_apart(one: Option, other: Option, trait: str, named: frozenset[str]) -> bool:
    """Whether another trait differs whose name or value, in either option, is among the words."""
    theirs = dict(other.traits)
    for name, value in one.traits:
        if name != trait and (of_other := theirs.get(name)) != value:
            words = _tokens(f"{name.replace('_', ' ')} {value} {of_other or ''}")
            if any(word in named or any(len(word) > 3 and each.startswith(word) for each in named) for word in words):
                return True
    return False


@lru_cache(maxsize=2048)
def _tokens(text: str) -> frozenset[str]:
    """The telling words and numbers of a text."""
    found = _TOKEN.findall(plain(text).casefold())
    return frozenset(one.rstrip("s") for one in found if len(one) > 1 and not is_common(one))
