"""What was agreed beside what was written: a proposal's terms, and the arguments and the result of the call. By rule.

Only a value that was named and is another one is a breach; who names nothing has left it open. The latest line that
names such a term counts, whoever said it. Where a line is about several things, only what stands beside the call's own
id counts. Numbers are compared as numbers, with their unit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

from ...patterns import lazy
from ...schema.messages import AnyMessage, ToolCall, ToolMessage
from ..calls import NO_JSON, Line, calls_made, lines_of, parsed
from .dialogue import answer, read_question, rest_stands
from .naming import Subject, leaves, subject_in, subject_of
from .text import plain, sentences


@dataclass(frozen=True)
class Breach:
    """A term that was named and not kept: what it is, what was said in which turn, and what was written instead."""

    what: str
    named: str
    written: str
    turn: int

    def __str__(self) -> str:
        return f"turn {self.turn} names {self.named} as the {self.what}, and it became {self.written}"


@dataclass(frozen=True)
class _Agreed:
    """A call and what was said of it. Each part is worked out when a check asks for it: most calls need few."""

    call: ToolCall
    turn: int
    conversation: Sequence[AnyMessage]
    changes: Sequence[int]

    @cached_property
    def messages(self) -> Sequence[AnyMessage]:
        """What came before the call."""
        return self.conversation[: self.turn]

    @cached_property
    def subject(self) -> Subject:
        """What the call is about."""
        return subject_of(self.call, self.messages)

    @cached_property
    def said(self) -> list[Line]:
        """What both sides said before it."""
        return [line for line in lines_of(self.conversation) if line.turn < self.turn]

    @cached_property
    def lines(self) -> tuple[tuple[int, bool, str], ...]:
        """What was said of it since the last change, the latest first: turn, whether the agent's, text."""
        said = [line for line in self.said if not line.calls]
        return tuple(_about(said, self.changes, self.call, self.messages))

    @cached_property
    def result(self) -> ToolMessage | None:
        """The call's result, if there is one."""
        return _result(self.conversation, self.call)

    @cached_property
    def records(self) -> tuple[dict[str, Any], ...]:
        """What earlier results showed of the call's record, the latest first."""
        return tuple(_records(self.messages, self.subject.keys))

    @cached_property
    def _beside(self) -> list[ToolCall]:
        return _upon_the_same_answer(self.conversation, self.turn)

    @property
    def alone(self) -> bool:
        """Whether no other call of the kind was made upon the same answer."""
        return sum(made.name == self.call.name for made in self._beside) == 1

    @property
    def sole(self) -> bool:
        """Whether no other call was made upon the same answer, but for look-ups."""
        return all(made is self.call or _LOOKS_UP.match(made.name) for made in self._beside)

    @cached_property
    def elsewhere(self) -> frozenset[float]:
        """The numbers that other calls of the conversation give: a sum may be theirs."""
        others = [made for _, made, _ in calls_made(self.conversation) if made is not self.call]
        numbers = (_number(value) for made in others for _, value in leaves(made.arguments))
        return frozenset(number for number in numbers if number is not None)

    @property
    def last_exchange(self) -> list[tuple[int, bool, str]]:
        """The lines in which the call itself was put forward and agreed to."""
        return [line for line in self.lines if line[0] >= len(self.messages) - _LAST_EXCHANGE]


def breach(
    messages: Sequence[AnyMessage], turn: int, call: ToolCall, changes: Sequence[int], *, agreed: bool = True
) -> Breach | None:
    """The first term that was named before a call and that the call, or its result, has otherwise.

    Args:
        messages: the conversation, with the call's result if there is one.
        turn: the message that makes the call.
        call: the call.
        changes: the turns of earlier calls that changed something.
        agreed: whether the customer said yes to a proposal; who wished something else after it has named that, in
            whatever words, and then only what both sides name alike counts: how it is paid, how much, on which line.
    """
    found = _Agreed(call, turn, messages, changes)
    checks = (*_NAMED_ALIKE, *_OF_A_PROPOSAL) if agreed else _NAMED_ALIKE
    return next((one for check in checks if (one := check(found)) is not None), None)


_LOOKS_UP = lazy(r"(?:get|find|search|list|check|calculate|look)_|think$|calculate$")
# A proposal, its answer and what may stand between: what was said before may be about how something else is paid.
_LAST_EXCHANGE = 4


def _upon_the_same_answer(messages: Sequence[AnyMessage], turn: int) -> list[ToolCall]:
    answers = [line.turn for line in lines_of(messages) if not line.by_agent]
    start = max((at for at in answers if at < turn), default=-1)
    end = min((at for at in answers if at > turn), default=len(messages))
    return [made for at, made, _ in calls_made(messages) if start < at < end]


def _result(messages: Sequence[AnyMessage], call: ToolCall) -> ToolMessage | None:
    return next((result for _, made, result in calls_made(messages) if made is call), None)


def _singles(call: ToolCall) -> dict[str, Any]:
    """The arguments that are one value: a list is of parts of what the call is about."""
    return {name: value for name, value in call.arguments.items() if not isinstance(value, list | dict)}


def _about(
    lines: Sequence[Line], changes: Sequence[int], call: ToolCall, shown: Sequence[AnyMessage]
) -> Iterator[tuple[int, bool, str]]:
    """The lines since the change before the last answer, without what they say of other things; the latest first."""
    own = subject_in(_singles(call), shown)
    answered = max((line.turn for line in lines if not line.by_agent), default=-1)
    before = max((line.turn for line in lines if line.by_agent and line.turn < answered), default=answered)
    start = max((at for at in changes if at < before), default=-1)
    for line in reversed(lines):
        if line.turn <= start:
            return
        if text := _own_part(plain(line.text), own):
            yield line.turn, line.by_agent, text


def _own_part(text: str, subject: Subject) -> str:
    """Of a line about several things of the call's kind, what follows the call's own id; of any other, all of it."""
    others = subject.others_in(text) | subject.others_of_letters_in(text)
    if not others:
        return text
    own, parts = not subject.keys_in(text), []
    if own:
        return ""
    for sentence in sentences(text):
        if subject.keys_in(sentence):
            own = True
        elif any(other in sentence for other in others):
            own = False
        if own:
            parts.append(sentence)
    return "\n".join(parts)


# --- money ---------------------------------------------------------------------------------------------------------

_MONEY = lazy(r"[$€£] ?(\d[\d,]*(?:\.\d+)?)|(?<![\w.])(\d[\d,]*(?:\.\d+)?) ?(?:dollars|usd|euros|eur)\b", re.IGNORECASE)
_LABEL = r"refund\w*|charg\w*|differen\w*|deduct\w*|debit\w*|credited|(?:new |grand )?total|pay"
_SUM = lazy(
    rf"\b(?:{_LABEL})\b[^.?!\n$€£;]{{0,25}}{_MONEY.pattern}|{_MONEY.pattern}[^.?!\n$€£;,]{{0,25}}\b(?:{_LABEL})\b",
    re.IGNORECASE,
)
_CHARGED = lazy(r"\b(?:charg|deduct|debit|pay)", re.IGNORECASE)
_IN_PART = lazy(
    r"\b(?:per|each|costs?|fares?|bags?|baggage|insurance|balance|remaining|rest|remainder|fees?|savings?|about|around"
    r"|approximately|up to|at most|if|original|was|were|from|estimat\w*)\b",
    re.IGNORECASE,
)
_NOTHING = lazy(
    r"\b(?:at no|no|without|free of) (?:\w+ )?(?:charges?|costs?|fees?)\b|\bfor free\b|\bfree of charge\b"
    r"|\bcosts? (?:you )?nothing\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def money_in(text: str) -> tuple[float, ...]:
    """The amounts of money in a text."""
    return tuple(round(float((one[1] or one[2]).replace(",", "")), 2) for one in _MONEY.finditer(text))


def _sum(found: _Agreed) -> Breach | None:
    """The sum that the result shows beside the one that the proposal named, and what follows from all that it named."""
    written = _moved_amounts(found) if found.alone else []
    proposal = next((line for line in found.lines if line[1]), None) if written else None
    if proposal is None or found.subject.others_in(_whole(found, proposal[0])):
        return None  # a sum may be that of several things
    turn, _, text = proposal
    shown = ", ".join(f"${abs(amount):.2f}" for amount in written)
    if not (known := {amount for _, _, said in found.lines for amount in money_in(said)}):
        free = _NOTHING.search(text) is not None and found.call.name not in _GIVING and min(written) > 0
        return Breach("price", "nothing", shown, turn) if free else None
    named = {
        amount
        for one in sentences(text)
        if not _IN_PART.search(one)
        for amount in _sums_in(one, refunded=max(written) < 0)
        if amount not in found.elsewhere
    }
    totals = {*map(abs, written), abs(round(sum(written), 2))}
    if len(named) != 1 or any(_near(total, amount) for total in totals for amount in known):
        return None  # of several sums, nobody can say which is meant
    if any(_near(total, amount) for total in totals for amount in _derived_amounts(known)):
        return None
    before = {value for record in found.records for _, one in leaves(record) if (value := _number(one)) and value >= 1}
    if any(_near(total, abs(amount - value)) for total in totals for amount in named for value in before):
        return None  # a new price was named, and the result has the difference
    return Breach("sum", f"${named.pop():.2f}", shown, turn)


def _whole(found: _Agreed, turn: int) -> str:
    """A line with what it says of other things."""
    return plain(found.messages[turn].content or "")


def _sums_in(sentence: str, *, refunded: bool) -> Iterator[float]:
    """The sums that a sentence names; what is charged is none of a refund."""
    for one in _SUM.finditer(sentence):
        if not (refunded and _CHARGED.search(one[0])):
            yield from money_in(one[0])


_GIVING = ("send_certificate",)


@lru_cache(maxsize=1024)
def _is_charge(name: str) -> bool:
    """Whether a field of this name tells what was charged."""
    return re.search(r"(?:^|_)charge[ds]?$|_price_difference$", name) is not None


@lru_cache(maxsize=512)
def _charged(content: str) -> tuple[float, ...]:
    """What a result says was charged."""
    numbers = (_number(value) for name, value in leaves(parsed(content)) if _is_charge(name))
    return tuple(number for number in numbers if number)


def _moved_amounts(found: _Agreed) -> list[float]:
    """The money that a call moved, as its result tells: what is new in a history of payments, or what was charged."""
    if found.result is None or found.result.error:
        return []
    after = _json(found.result.content)
    if not isinstance(after, dict):
        return []
    if charged := _charged(found.result.content or ""):
        return [*charged]
    history = after.get("payment_history")
    if not isinstance(history, list):
        return []
    before = next(
        (record["payment_history"] for record in found.records if isinstance(record.get("payment_history"), list)),
        None,
    )
    new = history[len(before) :] if before is not None else []
    moved = [(one, value) for one in new if isinstance(one, dict) and (value := _number(one.get("amount")))]
    return [-abs(value) if one.get("transaction_type") == "refund" else value for one, value in moved]


def _records(messages: Sequence[AnyMessage], keys: frozenset[str]) -> Iterator[dict[str, Any]]:
    for message in reversed(messages):
        if message.role == "tool" and not message.error and any(key in (message.content or "") for key in keys):
            record = _json(message.content)
            if isinstance(record, dict) and not keys.isdisjoint(v for v in record.values() if isinstance(v, str)):
                yield record


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


def _number(value: Any) -> float | None:
    try:
        return None if isinstance(value, bool) else round(float(value), 2)
    except (TypeError, ValueError):
        return None


def _json(content: str | None) -> Any:
    return None if (value := parsed(content or "")) is NO_JSON else value


# --- how it is paid ------------------------------------------------------------------------------------------------

_METHODS = {
    "credit_card": lazy(
        r"\bcredit card|\bcard ending|\bvisa\b|\bmaster ?card\b|\bamex\b"
        r"|\b(?:my|your|the) (?:\d{4} )?card\b|\bcredit_card_\d+"
        r"|\b(?:kredit)?karte\b|\bcarte (?:de crédit|bancaire)|\btarjeta de crédito",
        re.IGNORECASE,
    ),
    "paypal": lazy(r"\bpaypal", re.IGNORECASE),
    "gift_card": lazy(
        r"\bgift[ _]card|\bgeschenk(?:karte|gutschein)|\bcarte[- ]cadeau|\btarjeta (?:de )?regalo", re.IGNORECASE
    ),
    "certificate": lazy(r"\bcertificates?\b|\bcertificate_\d+|\bvoucher", re.IGNORECASE),
}
_DENIES = lazy(r"\b(?:not|no|cannot|never|nicht|keine?[mnrs]?|nie|pas|jamais|nunca)\b|n't\b", re.IGNORECASE)
_PAID_BY = lazy(r"payment|^(?:source|method)$")
_A_METHOD = lazy(r"^([a-z]+(?:_[a-z]+)*)_\d+$")
_MIXED = lazy(
    r"\b(?:rest|remaining|remainder|balance|split|first|then|instead|(?:an)?statt|bisher|plutôt|lieu|lugar|vez)\b",
    re.IGNORECASE,
)
_AS_BEFORE = lazy(
    r"\boriginal\b|\bsame (?:card|method|payment|way)\b|\bback to (?:the|your) (?:card|account)\b", re.IGNORECASE
)


def _method(found: _Agreed) -> Breach | None:
    """The payment method of the call beside the last one that was named."""
    written = {
        value: kind[1]
        for name, value in leaves(found.call.arguments)
        if isinstance(value, str) and _PAID_BY.search(name) and (kind := _A_METHOD.match(value)) and kind[1] in _METHODS
    }
    if len(written) != 1:
        return None
    for turn, _, text in found.last_exchange if found.sole else ():
        if _MIXED.search(text):
            return None
        text = " ".join(one for one in sentences(text) if not _DENIES.search(one))
        named = {kind for kind, words in _METHODS.items() if words.search(text)}
        if not named:
            continue
        if _AS_BEFORE.search(text) or any(value in text for value in written):
            return None
        other = next((value for value, kind in written.items() if kind not in named), None)
        if other is not None:
            return Breach("payment method", " or ".join(sorted(named)).replace("_", " "), other, turn)
        ids = {
            one
            for one in re.findall(r"\b[a-z]+(?:_[a-z]+)*_\d+\b", text)
            if (kind := _A_METHOD.match(one)) and kind[1] in _METHODS
        }
        if len(ids) == 1 and len(written) == 1 and ids.isdisjoint(written):
            return Breach("payment method", next(iter(ids)), next(iter(written)), turn)
        return None
    return None


# --- how much of it ------------------------------------------------------------------------------------------------

_UNITS = {"gb": "GB", "mb": "MB", "km": "km", "miles": "miles"}


def _quantity(found: _Agreed) -> Breach | None:
    """A number of the call whose name tells its unit beside the last line that names numbers with that unit."""
    for name, value in leaves(found.call.arguments):
        unit = next((unit for part in name.casefold().split("_") if (unit := _UNITS.get(part))), None)
        if unit is None or isinstance(value, bool) or not isinstance(value, int | float):
            continue
        pattern = re.compile(
            rf"(?<![\w.$])(\d+(?:\.\d+)?) ?-?(?:{unit}|gigabytes?)\b"
            if unit == "GB"
            else rf"(?<![\w.$])(\d+(?:\.\d+)?) ?{unit}\b",
            re.IGNORECASE,
        )
        for turn, _, text in found.lines:
            named = [float(one) for one in pattern.findall(text)]
            if named:
                if float(value) in named:
                    break
                said = ", ".join(f"{one:g} {unit}" for one in dict.fromkeys(named))
                return Breach("quantity", said, f"{value:g} {unit}", turn)
    return None


def _check_given_amount(found: _Agreed) -> Breach | None:
    """An amount of money that the call gives beside the last amounts that were told of it."""
    value = found.call.arguments.get("amount")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    noun = found.call.name.split("_")[-1]
    for turn, _, text in found.lines[:2]:  # the proposal and its answer: before, other amounts were wished
        named = [amount for one in sentences(text) if noun in one.casefold() for amount in money_in(one)]
        if named:
            if any(_near(float(value), amount) for amount in _derived_amounts(set(named))):
                return None
            return Breach("amount", ", ".join(f"${one:g}" for one in dict.fromkeys(named)), f"${value:g}", turn)
    return None


# --- which one -----------------------------------------------------------------------------------------------------

_LONG_ID = lazy(r"(?<![\w#])\d{8,}(?!\w)")


def _items(found: _Agreed) -> Breach | None:
    """The items of the call beside those that the last line with items names."""
    written = [
        v for name, v in leaves(found.call.arguments) if re.search(r"(?:^|_)items?_ids?$", name) and isinstance(v, str)
    ]
    unsaid = [one for one in written if _LONG_ID.fullmatch(one) and not _is_said(found, one)]
    shown = _all_items(found) if unsaid else set()
    for turn, by_agent, text in found.lines if unsaid else ():
        named = [one for one in _LONG_ID.findall(text) if one not in written and one in shown]
        if by_agent and named and _taken_up(found, turn):
            return Breach("item", ", ".join(named[:2]), ", ".join(unsaid[:2]), turn)
    return None


def _taken_up(found: _Agreed, turn: int) -> bool:
    """Whether the customer answered a proposal with a yes, and wished nothing else: words may name another item."""
    said = next((line.text for line in found.said if line.turn > turn and not line.by_agent), "")
    given = answer(said)
    return bool(given.yes or given.casual) and not (given.no or given.wait or given.wish or rest_stands(said))


def _is_said(found: _Agreed, value: str) -> bool:
    return any(value in line.text for line in found.said)


def _all_items(found: _Agreed) -> set[str]:
    return {
        one
        for message in found.messages
        if isinstance(message, ToolMessage)
        for one in re.findall(r"\b\d{8,}\b", message.content or "")
    }


_FLIGHT = lazy(r"(?<!\w)[A-Z]{2,3}\d{3,4}(?!\w)")
_DATES = lazy(r"\d{4}-\d\d-\d\d")


def _flights(found: _Agreed) -> Breach | None:
    """The flights of the call, without those that the trip had before, beside the flights that were named."""
    legs = found.call.arguments.get("flights")
    if not isinstance(legs, list):
        return None
    written = {
        leg["flight_number"] for leg in legs if isinstance(leg, dict) and isinstance(leg.get("flight_number"), str)
    }
    if not (new := {one for one in written if _FLIGHT.fullmatch(one) and not _is_said(found, one)}):
        return None
    had = {
        v for record in found.records for name, v in leaves(record) if name == "flight_number" and isinstance(v, str)
    }
    unsaid = new - had
    for turn, by_agent, text in found.lines if unsaid else ():
        named = [one for one in dict.fromkeys(_FLIGHT.findall(text)) if one not in written and one not in had]
        if by_agent and named and _taken_up(found, turn):
            return Breach("flight", ", ".join(named[:2]), ", ".join(sorted(unsaid)[:2]), turn)
    return None


_CABINS = ("basic economy", "premium economy", "economy", "business", "first class")


def _cabin(found: _Agreed) -> Breach | None:
    """The class of the call beside the last line that names classes."""
    value = found.call.arguments.get("cabin")
    if not isinstance(value, str) or value.replace("_", " ") not in _CABINS:
        return None
    for turn, _, text in found.last_exchange:
        rest, named = text.casefold().replace("_", " "), []
        for cabin in _CABINS:
            if re.search(rf"\b{cabin}\b", rest):
                named.append(cabin)
                rest = re.sub(rf"\b{cabin}\b", " ", rest)
        if named:
            if value.replace("_", " ") in named or any(record.get("cabin") == value for record in found.records):
                return None
            return Breach("cabin", " or ".join(named), value, turn)
    return None


_ZIP = lazy(r"(?:\b[A-Z]{2},? |\bzip(?: code)?:? )(\d{5})(?![\w-])")


def _address(found: _Agreed) -> Breach | None:
    """The zip code of the call beside those of the last proposal of an address."""
    value = found.call.arguments.get("zip")
    for turn, by_agent, text in found.lines if isinstance(value, str) else ():
        named = _ZIP.findall(text) if by_agent and read_question(text).leave else []
        if named:
            return None if value in named else Breach("zip code", ", ".join(dict.fromkeys(named)), str(value), turn)
    return None


# --- whose line ----------------------------------------------------------------------------------------------------

_NUMBERED = lazy(r"^\w+_number$")


def _record(found: _Agreed) -> Breach | None:
    """The number that a record goes by with people, as a phone line does, beside the only ones that anybody named."""
    for record in found.records[:1]:  # the latest one
        for name, value in record.items():
            if not (isinstance(value, str) and _NUMBERED.match(name) and re.fullmatch(r"[\d-]{7,}", value)):
                continue
            people = [(line.turn, plain(line.text)) for line in found.said]
            own_words = {line.turn for line in found.said if line.by_agent}
            make = re.compile(
                "(?<![\\w-])" + "".join(r"\d" if c.isdigit() else re.escape(c) for c in value) + "(?![\\w-])"
            )
            named = [(turn, one) for turn, text in people for one in make.findall(text)]
            own = any(one == value for _, one in named) or any(
                re.search(rf"(?<!\d){value[-4:]}(?!\d)", text) for _, text in people
            )
            # What is read back before the customer is looked up by such a number names no line.
            looked_up = max(
                (at for at, call, _ in calls_made(found.messages) if make.search(str(call.arguments))), default=-1
            )
            told = next(((turn, one) for turn, one in reversed(named) if turn in own_words and turn > looked_up), None)
            if told is not None and not own and found.lines:
                return Breach(name.replace("_", " "), told[1], value, told[0])
    return None


_NAMED_ALIKE: tuple[Callable[[_Agreed], Breach | None], ...] = (_quantity, _check_given_amount, _record)
_OF_A_PROPOSAL: tuple[Callable[[_Agreed], Breach | None], ...] = (
    _method,
    _check_given_amount,
    _sum,
    _items,
    _flights,
    _cabin,
    _address,
)
