"""Which one, and how much of it: quantities, items, flights, choices and lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Any

from ....patterns import lazy
from ....schema.messages import ToolMessage
from ....schema.transcript import calls_made, leaves, parse_result
from ...criteria.communicate import mentions
from ..dialogue import answer
from ..text import plain, sentences
from .agreed import Agreed, Breach, is_said, number_in
from .money import money_in

_UNITS = {"gb": "GB", "mb": "MB", "km": "km", "miles": "miles"}


def quantity(found: Agreed) -> Breach | None:
    """A number of the call whose name tells its unit beside the last line that names numbers with that unit."""
    for name, given in found.values:
        unit = next((unit for part in name.casefold().split("_") if (unit := _UNITS.get(part))), None)
        if unit is None or isinstance(given, str) or (value := number_in(given)) is None:
            continue
        pattern = re.compile(
            rf"(?<![\w.$])(\d+(?:\.\d+)?) ?-?(?:{unit}|gigabytes?)\b"
            if unit == "GB"
            else rf"(?<![\w.$])(\d+(?:\.\d+)?) ?{unit}\b",
            re.IGNORECASE,
        )
        for turn, _, text in found.lines:
            named = [float(one) for one in pattern.findall(text)]
            if not named and mentions(_DIGITS.sub(" ", text), f"{value:g}"):
                break  # "Two it is": in words, without the unit
            if named:
                if value in named:
                    break
                said = ", ".join(f"{one:g} {unit}" for one in dict.fromkeys(named))
                return Breach("quantity", said, f"{value:g} {unit}", turn)
    return None


_DIGITS = lazy(r"\d+")
_LONG_ID = lazy(r"(?<![\w#])\d{8,}(?!\w)")


def items(found: Agreed) -> Breach | None:
    """The items of the call beside those that the last line with items names."""
    written = [v for name, v in found.values if re.search(r"(?:^|_)items?_ids?$", name) and isinstance(v, str)]
    unsaid = [one for one in written if _LONG_ID.fullmatch(one) and not is_said(found, one)]
    shown = _all_items(found) if unsaid else set()
    for turn, by_agent, text in found.lines if unsaid else ():
        named = [one for one in _LONG_ID.findall(text) if one not in written and one in shown]
        if by_agent and named and found.taken_up(turn):
            return Breach("item", ", ".join(named[:2]), ", ".join(unsaid[:2]), turn)
    return None


def _all_items(found: Agreed) -> set[str]:
    """The ids of items in the results so far; what goes by the id of its product is none."""
    return {
        value
        for message in found.messages
        if isinstance(message, ToolMessage)
        for name, value in leaves(parse_result(message.content or ""))
        if name.endswith("item_id") and isinstance(value, str)
    }


def price(found: Agreed) -> Breach | None:
    """The price of what is to be had beside the prices that the proposal names: only another option of it has that."""
    chosen = [v for name, v in found.values if name.startswith("new_item") and isinstance(v, str)]
    own = [v for name, v in found.values if "item" in name and isinstance(v, str)]
    unsaid = [one for one in chosen if not is_said(found, one)]
    lines = ((turn, _offered_prices(text)) for turn, by_agent, text in found.lines if by_agent and unsaid)
    turn, told = next(((turn, prices) for turn, prices in lines if prices), (-1, ()))
    if not told or not found.taken_up(turn):
        return None
    for one in unsaid:
        costs = next((prices for prices in _prices_of_options(found) if one in prices), {})
        others = {cost for item, cost in costs.items() if item not in own and cost in told}
        if others and not any(abs(costs[one] - cost) < 0.5 for cost in told):
            return Breach("price", f"${min(others):g}", f"${costs[one]:g}", turn)
    return None


def _offered_prices(text: str) -> tuple[float, ...]:
    """The prices that a line names, but for those of what is compared, or not to be had."""
    text = _INSTEAD.sub(" ", text)
    return tuple(cost for one in sentences(text) if not _COMPARES.search(one) for cost in money_in(one))


_INSTEAD = lazy(r"\binstead of(?: the| a| your)? [$€£] ?\d[\d.,]*", re.IGNORECASE)
_COMPARES = lazy(
    r"\b(?:(?:more|less|cheaper) than|difference|cheaper|sold out|unavailable"
    r"|not available)",
    re.IGNORECASE,
)


def _prices_of_options(found: Agreed) -> Iterator[dict[str, float]]:
    """What the options cost that results have shown as to be had, by their ids: for each list of options."""
    waiting = [parse_result(shown) for shown in found.shown]
    while waiting:
        value = waiting.pop()
        inner = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
        waiting += inner
        there = (one for one in inner if isinstance(one, dict) and one.get("available") is not False)
        records = [(one.get("item_id"), one.get("price")) for one in there]
        costs = ((item, number_in(price)) for item, price in records if isinstance(item, str))
        yield {item: cost for item, cost in costs if cost is not None}


def part(found: Agreed) -> Breach | None:
    """What the proposal takes out of a record, as one item out of an order, beside a call that can only take it all."""
    arguments, record = found.call.arguments, next(iter(found.records), None)
    if record is None or any(isinstance(value, list | dict) for value in arguments.values()):
        return None
    things = [one for inner in record.values() if isinstance(inner, list) for one in inner if isinstance(one, dict)]
    takes_out = _taking_out(found.call.name)
    for turn, by_agent, text in found.last_exchange:
        if not by_agent or _ALL_OF_IT.search(text):
            continue
        said = [one for one in sentences(text) if not _NOT.search(one)]
        for one in chain.from_iterable(map(takes_out.finditer, said)):
            named = [name for thing in things if (name := _name_in(one[1], thing))]
            if named and len(named) < len(things) and found.taken_up(turn):
                return Breach("part", ", ".join(dict.fromkeys(named)), "all of it", turn)
    return None


_ALL_OF_IT = lazy(r"\b(?:whole|entire(?:ly|ty)?|complete(?:ly)?|full|all|every\w*)\b", re.IGNORECASE)
_NOT = lazy(r"\b(?:not|cannot|unable|impossible|only|instead|without)\b|n't\b", re.IGNORECASE)


@lru_cache(maxsize=512)
def _taking_out(tool: str) -> re.Pattern[str]:
    """To do to a part what the tool does to the whole: "cancel the lamp from your order"."""
    verb, noun = map(re.escape, (tool.split("_")[0], tool.split("_")[-1]))
    whole = rf"(?:[\w#-]+ ){{0,2}}{noun}"  # "your pending order"
    does = rf"(?:{verb}|remov|tak)\w*"
    return re.compile(rf"\b{does} ([^.?!\n]{{1,80}}?) (?:from|out of|off) {whole}\b", re.IGNORECASE)


def _name_in(text: str, thing: dict[str, Any]) -> str | None:
    """What a text calls a thing of a record: by its name, or by an id."""
    known = (value for key, value in thing.items() if re.search(r"(?:^|_)(?:name|id|number)$", key))
    return next((one for one in known if isinstance(one, str) and one and mentions(text, one)), None)


_FLIGHT = lazy(r"(?<!\w)[A-Z]{2,3}\d{3,4}(?!\w)")


def flights(found: Agreed) -> Breach | None:
    """The flights of the call, without those that the trip had before, beside the flights that were named."""
    legs = found.call.arguments.get("flights")
    if not isinstance(legs, list):
        return None
    written = {
        leg["flight_number"] for leg in legs if isinstance(leg, dict) and isinstance(leg.get("flight_number"), str)
    }
    if not (new := {one for one in written if _FLIGHT.fullmatch(one) and not is_said(found, one)}):
        return None
    had = {
        v for record in found.records for name, v in leaves(record) if name == "flight_number" and isinstance(v, str)
    }
    unsaid = new - had
    for turn, by_agent, text in found.lines if unsaid else ():
        named = [one for one in dict.fromkeys(_FLIGHT.findall(text)) if one not in written and one not in had]
        if by_agent and named and found.taken_up(turn, named):
            return Breach("flight", ", ".join(named[:2]), ", ".join(sorted(unsaid)[:2]), turn)
    return None


def choice(found: Agreed) -> Breach | None:
    """An argument that is one of a few, as a cabin is, beside those that the last line with any of them names."""
    for name, options in found.choices.items():
        value = found.call.arguments[name]
        for turn, by_agent, text in found.last_exchange:
            if not (named := _named_of(text if by_agent else _decided(text), options)):
                continue
            if value in named or any(record.get(name) == value for record in found.records):
                break
            known = {one for record in found.records if name not in record for _, one in leaves(record)}
            if other := [one.replace("_", " ") for one in named if one not in known]:
                return Breach(name.replace("_", " "), " or ".join(other), str(value), turn)
    return None


def yes_or_no(found: Agreed) -> Breach | None:
    """An argument that is yes or no, as an insurance is, beside what the last proposal says of it."""
    for name, value in found.call.arguments.items():
        if value not in ("yes", "no"):
            continue
        noun = re.escape(name.split("_")[-1])
        wanted, unwanted = (re.compile(form.format(noun), re.IGNORECASE) for form in (_WITH, _WITHOUT))
        for turn, by_agent, text in found.last_exchange:
            said = [one for one in sentences(text) if "?" not in one and re.search(noun, one, re.IGNORECASE)]
            without = any(map(unwanted.search, said))
            if said and not (by_agent and without != any(map(wanted.search, said))):
                break  # the customer says which, or the line says both or neither
            if said and without == (value == "yes"):
                return Breach(name.replace("_", " "), "no" if without else "yes", value, turn)
    return None


_WITH = (
    r"\b(?:with|includ\w+|plus|add\w*) (?:the )?(?:travel )?{0}\b|\b{0}(?: is)?\W{{1,4}}(?:yes\b|includ|added|[$€£]\d)"
)
_WITHOUT = (
    r"\b(?:no|without|not|declin\w+|skip\w*)\b[^.?!\n,;]{{0,20}}\b{0}\b"
    r"|\b{0}(?: is)?\W{{1,4}}(?:no|none|not|declin\w+)\b"
)


def _decided(text: str) -> str:
    """What a customer's line decides; with a yes only the sentences that have it or wish for something."""
    given = answer(text)
    yes = {*given.yes, *given.casual, *given.conditional}
    decided = (one for one in sentences(text) if one in yes or (_WISHES.search(one) and not _PAST.search(one)))
    return "\n".join(decided) if yes else text


_WISHES = lazy(
    r"\b(?:please|want|need|would like|'d like|'d rather|prefer|make (?:it|that)|instead|but|only|change|switch|put)\b"
    r"|^(?:in|into|with)\b",
    re.IGNORECASE,
)
_PAST = lazy(r"\b(?:was|were|done with|any ?more|anyway|no longer)\b", re.IGNORECASE)


@lru_cache(maxsize=1024)
def _named_of(text: str, options: tuple[str, ...]) -> tuple[str, ...]:
    """The options that a text names; "basic economy" names no economy."""
    rest, named = re.sub(r"[_-]", " ", text.casefold()), []
    for option in sorted(options, key=len, reverse=True):
        words = rf"\b{re.escape(option.replace('_', ' '))}\b"
        if re.search(words, rest):
            named.append(option)
            rest = re.sub(words, " ", rest)
    return tuple(named)


_NUMBERED = lazy(r"^\w+_number$")


def line(found: Agreed) -> Breach | None:
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
