"""What a call is about, and whether a text names it: its ids and other values, or what these ids stand for.

What an id stands for is read off the results of earlier calls: the name of the item, the places of a trip.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from ...schema.messages import AnyMessage, ToolCall
from ...schema.transcript import NO_JSON, leaves, parse_result, records_in
from .days import MONTHS

_KEY = re.compile(r"(^|_)(ids?|numbers?|codes?)$")
_OF_THE_CUSTOMER = re.compile(r"^(user|customer|payment)_?\w*id$|payment|certificate|^zip$", re.IGNORECASE)
_DESCRIBES = re.compile(
    r"^(name|product_name|item_name|title|origin|destination|flight_number|phone_number|description)$"
)
_KIND_OF_ID = re.compile(r"([a-z]+(?:_[a-z]+)*)_\d+$")
_KIND = re.compile(r"(?:^|_)([a-z]+)_(?:id|number|code)s?$")
_AN_ID = re.compile(r"_ids?$")
_CODE = re.compile(r"[A-Z0-9]{5,8}")
_LONGEST = 60


@dataclass(frozen=True)
class Subject:
    """What a call is about.

    ``keys``: the ids of what is changed. ``facts``: its other values that are telling (amounts, dates, addresses,
    payment methods). ``messages``: what was said and shown before it. ``kinds``: what the keys are ids of, as far as
    the call tells: "reservation".
    """

    keys: frozenset[str] = frozenset()
    facts: frozenset[str] = frozenset()
    messages: Sequence[AnyMessage] = field(default=(), repr=False, compare=False)
    kinds: frozenset[str] = field(default=frozenset(), repr=False, compare=False)

    @cached_property
    def objects(self) -> frozenset[str]:
        """What the ids stand for, read off the results of earlier calls."""
        return frozenset(_objects(self.keys, self.messages))

    @cached_property
    def amounts(self) -> frozenset[str]:
        """The telling numbers in the records of the ids, read off the results of earlier calls: 74, and 74.00."""
        return frozenset(_amounts(_records_of(self.keys, self.messages)))

    def keys_in(self, text: str) -> bool:
        """Whether one of the ids stands in a text."""
        return any(_stands(key, text) for key in self.keys)

    def named_in(self, text: str) -> bool:
        """Whether a text names the ids, another telling value, or what the ids stand for."""
        return self.keys_in(text) or self.objects_in(text) or self.facts_in(text)

    def facts_in(self, text: str) -> bool:
        """Whether a text names another telling value."""
        return any(_stands(fact, text) for fact in self.facts)

    def amounts_in(self, text: str) -> bool:
        """Whether a text names a number of the records: what a bill comes to."""
        return any(_stands(amount, text) for amount in self.amounts)

    def objects_in(self, text: str) -> bool:
        """Whether a text names in words what the ids stand for."""
        return any(_names_it(name, text) for name in self.objects)

    def alone_in(self, text: str) -> bool:
        """Whether a text names it, and nothing else of its kind: no record that was shown, and not "the other line"."""
        others = self.others_in(text)
        if not self.named_in(text) or (others and not self.are_of_another_kind(others)) or self._speaks_of_more(text):
            return False
        return not any(_names_it(name, text) for record in self._others for name in _descriptions(record))

    def amounts_alone_in(self, text: str) -> bool:
        """Whether a text names a number of the records, and none that only another record of their kind has."""
        others = {*_amounts(self._others)} - self.amounts
        return self.amounts_in(text) and not any(_stands(amount, text) for amount in others)

    def _speaks_of_more(self, text: str) -> bool:
        return any(_several(kind).search(text) for kind in self.kinds)

    @cached_property
    def _others(self) -> list[dict[str, Any]]:
        """The records that results have shown of other things under the same kind of id."""
        own = [*_records_of(self.keys, self.messages)]
        texts = ((name, value) for record in own for name, value in record.items() if isinstance(value, str))
        names = {name for name, value in texts if value in self.keys}
        shown = (record for content in _results(self.messages) for record in records_in(content))
        return [record for record in shown if record.keys() & names and record not in own]

    def others_in(self, text: str) -> set[str]:
        """Ids of the same make in a text, without the call's own and those that are known as ids of other things."""
        found = set[str]().union(*(_alike(key, text) for key in self.keys)) - self.keys
        return {other for other in found if not self._of_another_kind(other)} if found and self.kinds else found

    def are_of_another_kind(self, others: Collection[str]) -> bool:
        """Whether all of these are known as ids of other records than the call's: of a bill, and not of a line."""
        known = (kinds_of(self.messages, other) for other in others)
        return bool(self.kinds) and all(kinds and self.kinds.isdisjoint(kinds) for kinds in known)

    def others_of_letters_in(self, text: str) -> set[str]:
        """Ids in a text that look like words, since they are letters only (VSYTBB): those that were shown or called."""
        lengths = {len(key) for key in self.keys if _CODE.fullmatch(key)}
        if not lengths:
            return set()
        words = {word for word in re.findall(r"(?<![\w#])[A-Z]{5,8}(?!\w)", text) if len(word) in lengths} - self.keys
        return {word for word in words if kinds_of(self.messages, word) is not None}

    def _of_another_kind(self, other: str) -> bool:
        # Only what goes by a number or code: what goes by an id is a record, which a proposal may be about.
        if other not in self._numbered:
            self._numbered[other] = kinds_of(self.messages, other, numbered=True)
        kinds = self._numbered[other]
        return kinds is not None and self.kinds.isdisjoint(kinds)

    @cached_property
    def _numbered(self) -> dict[str, set[str] | None]:
        """What has been found of other ids: each line about the call names the same."""
        return {}


def subject_of(call: ToolCall, messages: Sequence[AnyMessage]) -> Subject:
    """What a call is about, after these messages."""
    return subject_in(call.arguments, messages)


def subject_in(arguments: Mapping[str, Any], messages: Sequence[AnyMessage]) -> Subject:
    """What a call with these arguments is about."""
    keys, facts = set(), set()
    kinds: set[str] = set()
    for name, value in leaves(arguments):
        if _names_an_id(name) and isinstance(value, str) and _is_id(value):
            keys.add(value)
            kinds.update(kind_of(name))
        elif not name.startswith(("user", "customer")) and telling(value):
            facts.add(str(value))
            if kind := _KIND_OF_ID.match(str(value)):
                facts.add(kind[1].replace("_", " "))  # credit_card_123 is spoken of as "credit card"
    return Subject(frozenset(keys), frozenset(facts), messages, frozenset(kinds))


@lru_cache(maxsize=1024)
def kind_of(name: str) -> frozenset[str]:
    """What goes by this name is an id of: {"item"} for "new_item_ids", nothing for what is no id."""
    found = _KIND.search(name)
    return frozenset({found[1]}) if found else frozenset()


def kinds_of(messages: Sequence[AnyMessage], text: str, *, numbered: bool = False) -> set[str] | None:
    """What a text in calls and results is an id of, as the names it goes by tell: {"flight"} for "TAU162".

    None for one that stands in none of them. ``numbered``: only where it goes by a number or a code.
    """
    names, looks_the_same = set[str](), _LOOKS_THE_SAME.fullmatch(text) is not None
    for message in messages:
        if message.role != "tool":
            for call in message.tool_calls or ():
                names.update(name for name, value in _texts(call.arguments) if value == text)
        elif not message.error and (content := message.content or "") and (not looks_the_same or text in content):
            names.update(_names_shown(content).get(text, ()))
    kinds = [kind_of(name) for name in names if not numbered or _is_numbered(name)]
    return set().union(*kinds) if kinds else None


_LOOKS_THE_SAME = re.compile(r"[\w#-]+", re.ASCII)  # in JSON as in words


@lru_cache(maxsize=512)
def _names_shown(content: str) -> Mapping[str, frozenset[str]]:
    """The texts in a result, each with the names it goes by."""
    found: dict[str, frozenset[str]] = {}
    for name, text in () if (value := parse_result(content)) is NO_JSON else _texts(value):
        found[text] = found[text] | {name} if text in found else frozenset({name})
    return found


@lru_cache(maxsize=1024)
def _is_numbered(name: str) -> bool:
    """Whether this is the name of a number or code, and not of an id."""
    return bool(kind_of(name)) and not _AN_ID.search(name)


def _texts(value: Any) -> tuple[tuple[str, str], ...]:
    """The texts among the leaves, in any order: results are large, and a loop takes a third of the time."""
    found: list[tuple[str, str]] = []
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        name, one = waiting.pop()
        if isinstance(one, str):
            found.append((name, one))
        elif isinstance(one, dict):
            waiting.extend(one.items())
        elif isinstance(one, list):
            waiting.extend((name, inner) for inner in one)
    return tuple(found)


@lru_cache(maxsize=1024)
def _names_an_id(argument: str) -> bool:
    """Whether what goes by this name is an id, of something else than the customer."""
    return _KEY.search(argument) is not None and _OF_THE_CUSTOMER.search(argument) is None


def _is_id(value: str) -> bool:
    """Whether a text is long enough to be found as an id: "L1" is, "L" and "1" are not."""
    return len(value) >= 3 or (len(value) == 2 and value[0].isalpha() and value[1].isdigit())


def telling(value: Any) -> bool:
    """Whether a value says which thing is meant: words such as "economy" or small numbers do not."""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, (int, float)):
        return abs(value) >= 10
    return len(str(value)) >= 4 and (any(c.isdigit() for c in str(value)) or " " in str(value).strip())


def _objects(keys: frozenset[str], messages: Sequence[AnyMessage]) -> Iterator[str]:
    for record in _records_of(keys, messages):
        yield from _descriptions(record)


def _amounts(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The telling numbers in records, each as it may be written."""
    for record in records:
        told = (value for _, value in leaves(record) if isinstance(value, int | float) and telling(value))
        yield from (form for number in told for form in (f"{number:.10g}", f"{number:.2f}"))


def _records_of(keys: frozenset[str], messages: Sequence[AnyMessage]) -> Iterator[dict[str, Any]]:
    """The records in results that have one of these ids."""
    shown = (content for content in _results(messages) if any(key in content for key in keys))
    for record in (record for content in shown for record in records_in(content)):
        if keys & {value for value in record.values() if isinstance(value, str)}:
            yield record


def _results(messages: Sequence[AnyMessage]) -> Iterator[str]:
    """What successful calls have given."""
    return (one.content for one in messages if one.role == "tool" and not one.error and one.content)


def _descriptions(record: dict[str, Any]) -> Iterator[str]:
    for name, value in leaves(record):
        if _DESCRIBES.search(name) and isinstance(value, str) and 2 < len(value) <= _LONGEST:
            yield value


def _stands(value: str, text: str) -> bool:
    part, before = _part_of(value)
    if not (part and text.isascii()):
        return _whole(value).search(text) is not None
    at = text.lower().find(part)  # a pattern looks at each character, and most texts do not hold what it looks for
    return at >= 0 and _whole(value).search(text, max(0, at - before)) is not None


@lru_cache(maxsize=4096)
def _part_of(value: str) -> tuple[str, int]:
    """What a text in ASCII holds in small letters where a value stands in it, and how far behind the value's begin.

    "" where that varies, as dates do. Of a number it is the last three digits before the point: commas may stand
    between the others.
    """
    part, before = value.lstrip("#").lower(), 0
    if _NUMBER.fullmatch(value):
        part, before = value.partition(".")[0][-3:], 2 * len(value)
    if _DATE.fullmatch(value) or not value.isascii():
        part = ""
    return part, before


@lru_cache(maxsize=4096)
def _whole(value: str) -> re.Pattern[str]:
    """How a value stands in a text."""
    return re.compile(_value_pattern(value), re.IGNORECASE)


_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBER = re.compile(r"\d+(\.\d+)?")


def _value_pattern(value: str) -> str:
    if _DATE.fullmatch(value):
        month, day = int(value[5:7]), int(value[8:])
        named = MONTHS[month - 1] if 1 <= month <= 12 else "-"
        return rf"{value}|\b{named}\.?\s+0?{day}(?!\d)|(?<!\d)0?{day}(?:st|nd|rd|th)?\s+(?:of\s+)?{named}\b"
    if _NUMBER.fullmatch(value):
        whole, _, part = value.partition(".")
        grouped = re.sub(r"(?<=\d)(?=(\d{3})+$)", ",?", whole)
        cents = rf"\.{part}0*" if (part := part.rstrip("0")) else r"(?:\.0+)?"
        return rf"(?<![\w.,]){grouped}{cents}(?!\d|[.,]\d)"
    return rf"(?<!\w){re.escape(value.lstrip('#'))}(?!\w)"


def _names_it(name: str, text: str) -> bool:
    """By its whole name, or by its last word ("the chair"); codes of places as they are written."""
    return _name_pattern(name).search(text) is not None


@lru_cache(maxsize=1024)
def _name_pattern(name: str) -> re.Pattern[str]:
    if name.isupper():
        return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    head = name.split()[-1]
    wanted = [re.escape(name), *([re.escape(head)] if len(head) >= 3 and head.isalpha() else [])]
    return re.compile(rf"(?<!\w)(?:{'|'.join(wanted)})(?:e?s)?(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=1024)
def _several(kind: str) -> re.Pattern[str]:
    """Words for another thing of a kind than the one at hand: "both lines", "the other one", "my daughter's"."""
    noun = rf"(?:\w+ )?(?:{kind}|one|number)\b"
    whose = r"\b(?:my|your|his|her|our|their) \w+(?:'s|s')"
    return re.compile(
        rf"\b{kind}s\b|\b(?:other|another|second|third) {noun}|{whose}(?: {noun}| (?:is|too|as)\b|(?! ?\w))",
        re.IGNORECASE,
    )


@lru_cache(maxsize=4096)
def _alike(key: str, text: str) -> frozenset[str]:
    """What in a text is of the same make as an id."""
    return frozenset(_make(key).findall(text))


@lru_cache(maxsize=1024)
def _make(key: str) -> re.Pattern[str]:
    """Texts of the same make as an id: as many characters of the same kinds."""
    if _CODE.fullmatch(key):
        return re.compile(rf"(?<![\w#])(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{{{len(key)}}}(?!\w)")
    parts = (r"\d" if c.isdigit() else "[A-Za-z]" if c.isalpha() else re.escape(c) for c in key)
    return re.compile(rf"(?<!\w){''.join(parts)}(?!\w)")
