"""What differs between two states of a database: the records that are not as in the base, and their fields."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..schema.values import JSON, canonical, mark

if TYPE_CHECKING:
    from .database import DatabaseBase


class _Absent:
    """The value of a record or field that does not exist."""

    def __repr__(self) -> str:
        return "(absent)"

    def __deepcopy__(self, memo: dict[int, Any]) -> _Absent:
        return self


ABSENT = _Absent()
ORDER = "(order of new records)"


@dataclass(frozen=True)
class Change:
    """One field of one record that differs between two states; ``path`` is "" for a whole record.

    Of a table that is a list it can also be the order of its new records; ``key`` is then "" and ``path`` is ORDER.
    """

    table: str
    key: str
    path: str
    before: JSON
    after: JSON


@dataclass(frozen=True)
class Delta:
    """The records of one database that differ from its base: table -> key -> JSON or ABSENT.

    ``added`` holds the order of new records in tables that are lists, where the order is part of the state.
    """

    records: dict[str, dict[str, JSON]] = field(default_factory=dict)
    added: dict[str, list[str]] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        # Types count: 25, 25.0 and True are three different states, as they are in a hash of the JSON text.
        if not isinstance(other, Delta):
            return False
        # What Python finds different has another text as well.
        return self._mark == other._mark or (self.records == other.records and self._text == other._text)

    def __hash__(self) -> int:
        return hash(self._text)

    @cached_property
    def _text(self) -> str:
        return canonical(self._content)

    @cached_property
    def _mark(self) -> bytes:
        return mark(self._content)

    @property
    def _content(self) -> JSON:
        records = {t: {k: None if r is ABSENT else [r] for k, r in rs.items()} for t, rs in self.records.items()}
        return [records, {table: keys for table, keys in self.added.items() if keys}]

    def keys(self) -> list[tuple[str, str]]:
        """(table, key) of every record that differs."""
        return [(table, key) for table, records in self.records.items() for key in records]

    def record(self, base: DatabaseBase, table: str, key: str) -> JSON:
        """A record in this state: changed, else as in the base, else ABSENT."""
        changed = self.records.get(table, {})
        if key in changed:
            return changed[key]
        return base.record(table, key)


def compare(base: DatabaseBase, before: Delta, after: Delta) -> list[Change]:
    """What differs between two states of one base, field by field."""
    found = []
    for table, key in dict.fromkeys([*before.keys(), *after.keys()]):
        old, new = before.record(base, table, key), after.record(base, table, key)
        found += [Change(table, key, path, deepcopy(a), deepcopy(b)) for path, a, b in leaves("", old, new)]
    for table in dict.fromkeys([*before.added, *after.added]):
        was, now = before.added.get(table, []), after.added.get(table, [])
        # A record that only one of them has says enough; one that moved to the end is in both.
        shared = [key for key in was if key in now or after.record(base, table, key) is not ABSENT]
        if shared != [key for key in now if key in was or before.record(base, table, key) is not ABSENT]:
            found.append(Change(table, "", ORDER, list(was), list(now)))
    return found


# Of one type they are equal when their JSON is; floats are not: there is a negative zero.
_PLAIN = (str, int, bool, type(None))


def leaves(path: str, old: JSON, new: JSON) -> Iterator[tuple[str, JSON, JSON]]:
    """Where two JSON values differ: (path, old, new), ABSENT on one side where there is no value."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            yield from leaves(f"{path}.{key}" if path else key, old.get(key, ABSENT), new.get(key, ABSENT))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for position, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from leaves(f"{path}[{position}]", a, b)
    elif old is ABSENT or new is ABSENT:
        if old is not new:
            yield path, old, new
    elif type(old) is type(new) and isinstance(old, _PLAIN):
        if old != new:
            yield path, old, new
    elif canonical(old) != canonical(new):
        yield path, old, new
