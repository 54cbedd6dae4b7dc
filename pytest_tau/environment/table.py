"""One table of one world: the records of its file, and what this world has touched of them.

A record is read in two ways: ``table[key]`` is a copy that this world may change, ``table.read(key)`` is for looking at
and costs nothing. Searches look at all records as JSON (``scan``, ``where``, ``having``). :mod:`.database` says how the
two layers work together.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, MutableMapping, Sequence
from copy import deepcopy
from typing import Any, Generic, TypeVar

from pydantic_core import to_jsonable_python

from ..errors import DomainError
from ..schema.values import JSON, canonical
from .delta import ABSENT
from .table_base import TableBase, in_order
from .views import RecordView

T = TypeVar("T")


class Table(MutableMapping[str, T], Generic[T]):
    """A mapping of records by key; reading one validates and copies it, so it can be changed in place.

    ``base``: the table as it stands in the file.
    """

    def __init__(self, base: TableBase) -> None:
        self.base = base
        self._touched: dict[str, T] = {}
        self._held: Mapping[str, T] = {}  # touched before the table was copied: shared with copies, handed to nobody
        self._deleted: set[str] = set()
        self._again: set[str] = set()  # keys of the base that were deleted and added again: they stand at the end
        self.notes = base.notes

    def __contains__(self, key: object) -> bool:
        return key in self._touched or key in self._held or (key in self.base.raw and key not in self._deleted)

    def __getitem__(self, key: str) -> T:
        if key not in self._touched:
            if key in self._held:
                self._touched[key] = deepcopy(self._held[key])
            elif key in self:
                self._touched[key] = self.base.fresh(key)
            else:
                raise KeyError(key)
        return self._touched[key]

    def read(self, key: str) -> T:
        """A record that the caller does not change, nor hands to who does; raises KeyError.

        All worlds in which nobody has touched it share one object, so that it costs nothing to look at.
        """
        for mine in (self._touched, self._held):
            if key in mine:
                return mine[key]
        if key not in self:
            raise KeyError(key)
        shared: T = self.base.shared_record(key)
        return shared

    def __setitem__(self, key: str, record: T) -> None:
        if not isinstance(key, str):
            what = f"a tool stored a record of the table '{self.base.name}' under a key of type {type(key).__name__}"
            raise DomainError(f"{what}: keys are text, so write str() around it")
        if key in self._deleted:
            self._deleted.discard(key)
            self._again.add(key)
        self._touched[key] = record

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        self._touched.pop(key, None)
        if key in self._held:
            self._held = {held: record for held, record in self._held.items() if held != key}
        if key in self.base.raw:
            self._deleted.add(key)
            self._again.discard(key)

    def __iter__(self) -> Iterator[str]:
        moved = self._deleted | self._again
        yield from (key for key in self.base.raw if key not in moved)
        yield from self.appended_keys()

    def __len__(self) -> int:
        return len(self.base.raw) - len(self._deleted) + len(self.added_keys())

    def __repr__(self) -> str:
        return f"<Table {self.base.name}: {len(self)} records>"

    def copy(self) -> Table[T]:
        """A table with the same records that goes its own way from here."""
        self._held, self._touched = self.touched_records, {}
        twin: Table[T] = Table(self.base)
        twin._held, twin._deleted, twin._again, twin.notes = self._held, {*self._deleted}, {*self._again}, self.notes
        return twin

    @property
    def touched_records(self) -> Mapping[str, T]:
        """The records that have been read or written, in the order of the first time; not to be changed."""
        return {**self._held, **self._touched} if self._held else self._touched

    def scan(self) -> Iterator[RecordView]:
        """All records in order as read-only views of their JSON, without copying any: for searches."""
        if not (self._touched or self._held or self._deleted):
            return map(RecordView, self.base.shown.values())
        return (record for _, record in self.scan_items())

    def scan_items(self) -> Iterator[tuple[str, RecordView]]:
        """As :meth:`scan`, each record with its key."""
        touched, moved, dump = self.touched_records, self._deleted | self._again, self.base.dump
        for key, record in self.base.shown.items():
            if key not in moved:
                yield key, RecordView(dump(touched[key]) if key in touched else record)
        for key in self.appended_keys():
            yield key, RecordView(dump(touched[key]))

    def changed_records(self) -> Iterator[tuple[str, Any]]:
        """The records that may differ from the base, as they are held: touched or added ones, ABSENT for those gone."""
        yield from self.touched_records.items()
        for key in self._deleted:
            yield key, ABSENT

    @property
    def is_changed(self) -> bool:
        """Whether a record may differ from the base."""
        return bool(self._touched or self._held or self._deleted)

    def where(self, **fields: JSON) -> Iterator[RecordView]:
        """Like :meth:`scan`, only the records with these values; the others are not read."""
        # As the base is searched: 1, 1.0 and True are three values.
        fields = in_order(fields, to_jsonable_python(fields))  # an enum, a day or a set, as a tool has it
        wanted = canonical([*fields.values()])
        alike = self.base.alike(fields)
        return self._matching(alike, lambda now: canonical([now.get(name) for name in fields]) == wanted)

    def having(self, of: Callable[[Mapping[str, Any]], Hashable], value: Hashable) -> Iterator[RecordView]:
        """As :meth:`where`, the records of which a function says this, such as a text without its case.

        Args:
            of: a function of a module, so that what it says of the file's records is worked out once a process.
            value: what it says of those that are meant.
        """
        return self._matching(self.base.having(of, value), lambda now: of(RecordView(now)) == value)

    def _matching(self, alike: Sequence[str], fits: Callable[[dict[str, Any]], bool]) -> Iterator[RecordView]:
        """The records that fit, in order; ``alike``: those of them that the base has."""
        base, touched = self.base, self.touched_records
        seen = {key: base.normal(key) for key in alike if key not in touched and key not in self._deleted}
        for key, record in touched.items():
            now = base.dump(record)
            if fits(now):
                seen[key] = now
        last = len(base.raw)
        behind = {key: last + n for n, key in enumerate(self.appended_keys())}
        for key in sorted(seen, key=lambda key: behind.get(key, base.positions.get(key, last))):
            yield RecordView(seen[key])

    def state(self) -> dict[str, JSON]:
        """Every record as JSON, by key."""
        touched, base = self.touched_records, self.base
        return {key: base.dump(touched[key]) if key in touched else base.dumped_record(key) for key in self}

    def delta(self) -> dict[str, JSON]:
        """The records that differ from the base, as JSON by key; ABSENT for those that are gone."""
        changed: dict[str, JSON] = dict.fromkeys(self._deleted, ABSENT)
        for key, record in self.touched_records.items():
            now = self.base.dump(record)
            if not self.base.holds(key, now):
                changed[key] = now
        return changed

    def added_keys(self) -> list[str]:
        """The keys the base does not have, in the order they were added."""
        return [key for key in self.touched_records if key not in self.base.raw]

    def appended_keys(self) -> list[str]:
        """The keys that stand behind those of the base, in the order they were added; some the base has as well."""
        return [key for key in self.touched_records if key not in self.base.raw or key in self._again]

    def behind(self) -> list[str]:
        """As :meth:`appended_keys`, without the first that stand where the base has them; states are told by it."""
        appended = self.appended_keys()
        if self._again:
            moved, positions = self._deleted | self._again, self.base.positions
            last = next((at for key, at in reversed(positions.items()) if key not in moved), -1)
            while appended and positions.get(appended[0], -1) > last:
                last = positions[appended.pop(0)]
        return appended
