"""Amounts: the sum that the proposal named beside the one that was moved, and an amount that the call gives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from math import isfinite
from typing import Any

from ....patterns import lazy
from ....schema.transcript import leaves, parse_result
from ..text import sentences
from .agreed import Agreed, Breach, json_of, number_in, whole_line

# A number begins where no other goes on: from each digit of "1,1,1,…" anew, it would take minutes.
_MONEY = lazy(
    r"(?<!\d)[$€£] ?(\d[\d,]*(?:\.\d+)?)"
    r"|(?<![\w.])(?<!\d,)(\d[\d,]*(?:\.\d+)?)(?:[ -]?(?:US ?)?(?:dollars?|usd|euros?|eur)\b|(?: ?US)?[$€£](?!\d)"
    r"| [$€£](?! ?\d))",
    re.IGNORECASE,
)
OTHERWISE_WRITTEN = lazy(
    r"[$€£] ?\d[\d.,]*(?<=\d) ?(?:k|m|mio|mn|bn|thousand|million|billion)\b"
    r"|[$€£] ?\d{1,3}(?:[. ']\d{3}){1,3}(?![.,]?\d)"
    r"|(?<![\d.,])\d{1,3}(?:[. ']\d{3}){1,3} ?(?:[$€£]|(?:euros?|eur|dollars?|usd)\b)"
    r"|(?<![\d.,])\d[\d.,]* ?(?:k|thousand|million) ?(?:[$€£]|(?:euros?|eur|dollars?|usd)\b)",
    re.IGNORECASE,
)
"""Amounts of which :func:`money_in` reads a part: "€69k", "€69.000", "69 000 €"."""
_LABEL = r"refund\w*|charg\w*|differen\w*|deduct\w*|debit\w*|credited|(?:new |grand )?total|pay"
_SUM = lazy(
    rf"\b(?:{_LABEL})\b[^.?!\n$€£;]{{0,25}}(?:{_MONEY.pattern})|(?:{_MONEY.pattern})[^.?!\n$€£;,]{{0,25}}\b(?:{_LABEL})\b",
    re.IGNORECASE,
)
_CHARGED = lazy(r"\b(?:charg|deduct|debit|pay)", re.IGNORECASE)
_IN_PART = lazy(
    r"\b(?:per|each|costs?|fares?|bags?|baggage|insurance|balance|remaining|rest|remainder|fees?|savings?|about|around"
    r"|approximately|up to|at most|if|original|was|were|from|estimat\w*)\b",
    re.IGNORECASE,
)
_REFUNDED = lazy(r"\b(?:refund|credited)", re.IGNORECASE)
_FOR_ONE = lazy(
    r"\b(?:per|each|every|apiece|both|times|respectively|one[- ]way|for the first|daily)\b"
    r"|\b(?:week|month|year|quarter|instal)\w*|\d ?[×*] ?[$€£\d]|\bx ?\d|\d x\b|\d ?/ ?[a-z]"
    r"|[$€£] ?[\d.,]+ (?:an?|for (?:one|an?))\b",
    re.IGNORECASE,
)
_TOTAL = lazy(r"\btotal\b|\bin all\b|\baltogether\b", re.IGNORECASE)
_LEFT = lazy(r"\byou(?:'ll| will| would)? (?:get|receive)\b|\bleaves\b|\bcomes to\b|\bremains?\b", re.IGNORECASE)
_DIGITS = lazy(r"(?<![\w.,-])\d[\d,]{0,9}(?:\.\d+)?(?![\w-])")
_NOTHING = lazy(
    r"\b(?:at no|no|without|free of) (?:\w+ )?(?:charges?|costs?|fees?)\b|\bfor free\b|\bfree of charge\b"
    r"|\bcosts? (?:you )?nothing\b",
    re.IGNORECASE,
)
# A fee of nothing says nothing of a price; this does, whatever amounts were spoken of before.
_NOTHING_TO_PAY = lazy(
    r"\bno (?:\w+ )?difference to pay\b|\bnothing (?:more |else |extra )?(?:to pay|(?:is|will be|would be) charged)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def money_in(text: str) -> tuple[float, ...]:
    """The amounts of money in a text."""
    found = (float((one[1] or one[2]).replace(",", "")) for one in _MONEY.finditer(text))
    return tuple(round(one, 2) for one in found if isfinite(one))


_CURRENCIES = {
    "$": lazy(r"\$|\b(?:dollars?|usd)\b", re.IGNORECASE),
    "€": lazy(r"€|\b(?:euros?|eur)\b", re.IGNORECASE),
    "£": lazy("£"),
}


def currencies(text: str) -> frozenset[str]:
    """The signs of the currencies in which a text has amounts."""
    return frozenset(sign for sign, pattern in _CURRENCIES.items() if pattern.search(text))


def moved_sum(found: Agreed) -> Breach | None:
    """The sum that the result shows beside the one that the proposal named, and what follows from all that it named."""
    written = _moved_amounts(found) if found.alone else []
    proposal = next((line for line in found.lines if line[1]), None) if written else None
    if proposal is None:
        return None
    turn, _, text = proposal
    whole = whole_line(found, turn)
    if found.subject.others_in(whole) & found.own_subject.others_in(whole):
        return None  # a sum may be that of several things
    told = [float(one.replace(",", "")) for one in _DIGITS.findall(text)]
    split = len(written) > 1 and min(written) > 0  # paid with several methods
    are_told = [any(_near(abs(amount), one) for one in told) for amount in written]
    if all(are_told) if split else any(are_told):
        return None  # with a sign of money or without
    shown = ", ".join(f"${abs(amount):.2f}" for amount in written)
    charged = found.call.name not in _GIVING and min(written) > 0
    if charged and not money_in(text) and _NOTHING_TO_PAY.search(text):
        return Breach("price", "nothing", shown, turn)
    if not (known := {amount for _, _, said in found.lines for amount in money_in(said)}):
        return Breach("price", "nothing", shown, turn) if charged and _NOTHING.search(text) else None
    said = [one for one in sentences(text) if not _IN_PART.search(one)]
    refunded = max(written) < 0
    named = {sum for one in said for sum in _sums_in(one, refunded=refunded)} - found.elsewhere
    if refunded and (back := {sum for one in said for sum in _sums_in(one, refunded=True, label=_REFUNDED)} & named):
        named = back  # a new total beside it is not what comes back
    totals = {abs(round(sum(written), 2)), *(() if split else map(abs, written))}
    if len(named) != 1 or any(_near(total, amount) for total in totals for amount in known):
        return None  # of several sums, nobody can say which is meant
    # Several times as much may be for several persons, but not where nobody spoke of an amount for one of them.
    if any(_is_multiple(total, of=amount) for total in totals for amount in named) and not _tells_parts(found):
        return Breach("sum", f"${named.pop():.2f}", shown, turn)
    in_all = split and any(_TOTAL.search(one) and money_in(one) for one in sentences(text))
    if any(_near(total, amount) for total in totals for amount in _derived_amounts(named if in_all else known)):
        return None
    before = _numbers_before(found)
    if any(_near(total, abs(amount - value)) for total in totals for amount in named for value in before):
        return None  # a new price was named, and the result has the difference
    return Breach("sum", f"${named.pop():.2f}", shown, turn)


def _numbers_before(found: Agreed) -> set[float]:
    """The numbers in what earlier results showed of the call's record."""
    numbers = (number_in(one) for record in found.records for _, one in leaves(record))
    return {number for number in numbers if number and number >= 1}


def listed_sum(found: Agreed) -> Breach | None:
    """What the things that the call lists come to beside the sum that the proposal named: that of others of the record.

    Five items are in the order, three of them come to the sum that was told, and the call lists four.
    """
    lists = [value for value in found.call.arguments.values() if isinstance(value, list)]
    proposal = next((line for line in found.last_exchange if line[1]), None)
    if len(lists) != 1 or proposal is None or not found.alone:
        return None
    turn, _, text = proposal
    prices = next((known for record in found.records if (known := _prices_in(record, lists[0]))), [])
    own = round(sum(cost for one, cost in prices if one in lists[0]), 2)
    sums = set(money_in(text)) if prices else set[float]()
    if not sums or any(_near(own, amount) for amount in sums):
        return None
    for many in range(2, len(prices) + 1):
        for some in combinations(prices, many):
            total = round(sum(cost for _, cost in some), 2)
            if total in sums and sorted(one for one, _ in some) != sorted(lists[0]):
                return Breach("sum", f"${total:.2f}", f"${own:.2f}", turn)
    return None


_MOST_LISTED = 10  # of more there are thousands of sums


def _prices_in(record: dict[str, Any], ids: list[Any]) -> list[tuple[str, float]]:
    """What the things of a record cost, by their ids, where all of these are among them; else nothing."""
    for inner in record.values():
        things = [one for one in inner if isinstance(one, dict)] if isinstance(inner, list) else []
        known = [(one.get("item_id"), number_in(one.get("price"))) for one in things]
        prices = [(id, cost) for id, cost in known if isinstance(id, str) and cost is not None]
        if 1 < len(prices) <= _MOST_LISTED and ids and all(any(one == id for id, _ in prices) for one in ids):
            return prices
    return []


def _sums_in(sentence: str, *, refunded: bool, label: re.Pattern[str] | None = None) -> Iterator[float]:
    """The sums that a sentence names, beside such a ``label`` if one is given; what is charged is none of a refund."""
    for one in _SUM.finditer(sentence):
        if not (refunded and _CHARGED.search(one[0])) and (label is None or label.search(one[0])):
            yield from money_in(one[0])


def _is_multiple(total: float, *, of: float) -> bool:
    """Whether it is several times as much, as for several persons."""
    times = round(total / of) if of else 0
    return 2 <= times <= _MOST_LISTED and abs(total - times * of) < 0.011


def _tells_parts(found: Agreed) -> bool:
    """Whether anybody spoke of amounts for one of several."""
    return any(_FOR_ONE.search(text) for _, _, text in found.lines)


_GIVING = ("send_certificate",)


@lru_cache(maxsize=1024)
def _is_charge(name: str) -> bool:
    """Whether a field of this name tells what was charged."""
    return re.search(r"(?:^|_)charge[ds]?$|_price_difference$", name) is not None


@lru_cache(maxsize=512)
def _charges_in(content: str) -> tuple[float, ...]:
    """What a result says was charged."""
    numbers = (number_in(value) for name, value in leaves(parse_result(content)) if _is_charge(name))
    return tuple(number for number in numbers if number)


def _moved_amounts(found: Agreed) -> list[float]:
    """The money that a call moved, as its result tells: what is new in a history of payments, or what was charged."""
    if found.result is None or found.result.error:
        return []
    after = json_of(found.result.content)
    if not isinstance(after, dict):
        return []
    if charged := _charges_in(found.result.content or ""):
        return [*charged]
    history = after.get("payment_history")
    if not isinstance(history, list):
        return []
    before = next(
        (record["payment_history"] for record in found.records if isinstance(record.get("payment_history"), list)),
        None,
    )
    if before is None and found.own_subject.keys:
        return []  # a record that nobody has seen before
    new = history[len(before or ()) :]
    moved = [(one, value) for one in new if isinstance(one, dict) and (value := number_in(one.get("amount")))]
    return [-abs(value) if one.get("transaction_type") == "refund" else value for one, value in moved]


def _derived_amounts(known: set[float]) -> set[float]:
    """Amounts, and what follows from them: sums, differences and multiples."""
    some = sorted(known)[:12]
    found = {0.0, *known, round(sum(some), 2)}
    for one, other in combinations(some, 2):
        found |= {round(one + other, 2), round(other - one, 2)}
    found |= {round(one + two + three, 2) for one, two, three in combinations(some, 3)}
    return {round(amount * times, 2) for amount in found for times in range(1, 7)} | {
        round(abs(one - times * other), 2) for one in some for other in some for times in range(1, 7)
    }


def _near(one: float, other: float) -> bool:
    """The same amount, as a person rounds it."""
    return abs(one - other) < 0.011 or (other == int(other) and abs(one - other) < 1)


def given_amount(found: Agreed) -> Breach | None:
    """An amount of money that the call gives beside the last amounts that were told of it."""
    given = found.call.arguments.get("amount")
    if isinstance(given, str) or (value := number_in(given)) is None:
        return None
    noun = found.call.name.split("_")[-1]
    last = found.lines[:2]  # the proposal and its answer: before, other amounts were wished
    if any(_near(value, float(one.replace(",", ""))) for _, _, text in last for one in _DIGITS.findall(text)):
        return None  # with a sign of money or without
    for turn, _, text in last:
        said = [one for one in sentences(text) if money_in(one)]
        told = [one for one in said if noun in one.casefold()]
        named = [amount for one in told or said if told or _LEFT.search(one) for amount in money_in(one)]
        if named:
            follows = _derived_amounts(set(named if told else money_in(text)))
            if any(_near(value, amount) for amount in (*follows, *money_in(text))):
                return None
            return Breach("amount", ", ".join(f"${one:g}" for one in dict.fromkeys(named)), f"${value:g}", turn)
    return None


def given_sums(found: Agreed) -> Breach | None:
    """The sums and premiums that the call gives, none of which anybody named, beside the amounts of the proposal.

    One of several counts where the proposal tells another by its name: "sum insured €69,000".
    """
    given = [(name, number) for name, value in found.values if _A_SUM.search(name) and (number := number_in(value))]
    proposal = next((line for line in found.last_exchange if line[1]), None)
    told = money_in(proposal[2]) if given and proposal is not None and found.taken_up(proposal[0]) else ()
    if proposal is None or not told or len(told) > _MOST_LISTED or OTHERWISE_WRITTEN.search(proposal[2]):
        return None
    known = {float(one.replace(",", "")) for line in found.said for one in _DIGITS.findall(line.text)}
    follows = _derived_amounts(set(told)) | {
        round(before + sign * one, 2) for before in _numbers_before(found) for one in told for sign in (1, -1)
    }
    unnamed = [(name, number) for name, number in given if not any(_near(number, one) for one in (*known, *follows))]
    if len(unnamed) < len(given):
        unnamed = [(name, number) for name, number in unnamed if _told_by_name(name, proposal[2])]
    if not unnamed:
        return None
    name, number = unnamed[0]
    return Breach(
        name.replace("_", " "), ", ".join(f"${one:g}" for one in dict.fromkeys(told)), f"${number:g}", proposal[0]
    )


def _told_by_name(name: str, text: str) -> bool:
    """Whether a text has an amount right behind the name of an argument."""
    parts = re.split(rf"\b{re.escape(name.replace('_', ' '))}\b", text, flags=re.IGNORECASE)
    return any(money_in(one[:_BESIDE]) and not _BY.match(one) for one in parts[1:])


_BESIDE = 20  # letters
_BY = lazy(r"[^.,;:\d]*\b(?:by|from|per)\b", re.IGNORECASE)
_A_SUM = re.compile(r"(?:^|_)(?:sum|premium|price|instal?lment)(?:_|$)")
