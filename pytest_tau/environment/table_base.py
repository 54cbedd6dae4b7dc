"""One table as it stands in its file: how it is declared, and its records, shared by all worlds of the process."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from ..errors import DomainError, describe
from ..schema.problems import as_read, first_problem
from ..schema.values import JSON, canonical, mark
from .sharing import kinds, shares
from .views import RecordView


@dataclass(frozen=True)
class TableKind:
    """How a table stands in its file, and whose its records are.

    Attributes:
        key: the field that holds the key of each object, where they are stored as a list; None: they are stored by key.
        owner: to whom the records belong, as :func:`owned_by` has it.
        noted: the table is stored beside a text about it.
        singleton: it is a single object.
    """

    key: str | None = None
    owner: str | None = None
    noted: bool = False
    singleton: bool = False


def listed_by(key: str, *, owned_by: str | None = None) -> Any:
    """Declare a table as a JSON list whose objects have their key in the field ``key``; for ``owned_by`` see below."""
    return TableKind(key, owned_by)


def owned_by(field: str) -> Any:
    """Declare to whom the records of a table belong.

    Args:
        field: the field of a record that holds the id of the customer, in the table of the customers their own id; or
            ``table.field``, where the customers' records in that table list what is theirs.
    """
    return TableKind(owner=field)


def with_notes() -> Any:
    """Declare a table as an object with ``data``, the records by key, and ``notes``; if missing, it is empty."""
    return TableKind(noted=True)


class TableBase:
    """One table as it stands in the file: raw records by key, shared by every environment of the process."""

    def __init__(
        self,
        name: str,
        model: Any,
        raw: JSON,
        *,
        where: str,
        kind: TableKind = TableKind(),
        texts: dict[int, str | None] | None = None,
    ) -> None:
        self.name = name
        self.owner = kind.owner
        self.listed = kind.key
        self.singleton = kind.singleton
        self.where = where
        self.notes: str | None = None
        if kind.noted:
            data, self.notes = self._apart(raw)
            raw = {} if data is None else data
        self.adapter: TypeAdapter[Any] = TypeAdapter(model)
        self.raw: dict[str, JSON] = self._by_key(raw)
        self._packed: dict[str, bytes] = {}
        self._lent: dict[str, Any] = {}
        self._lent_texts: dict[int, str | None] = {} if texts is None else texts
        self._normal: dict[str, JSON] = {}
        self._packed_normal: dict[str, bytes] = {}
        self._texts: dict[str, str] = {}
        self._marks: dict[str, bytes] = {}
        self._indexes: dict[Any, dict[Hashable, list[str]]] = {}

    def _apart(self, raw: JSON) -> tuple[JSON, str]:
        """The records and the notes of a table that has both; other keys are ignored."""
        if not isinstance(raw, Mapping) or not isinstance(raw.get("notes", ""), str):
            raise DomainError(f"{self.where}: '{self.name}' must be an object with 'data' and the text 'notes'")
        return raw.get("data"), raw.get("notes", "")

    def apply_patch(self, value: JSON, notes: str | None) -> tuple[JSON, str | None]:
        """The records of a patch to a table with notes, and the notes from then on."""
        data, text = self._apart(value)
        return ({} if data is None else data), (text if "notes" in value else notes)

    def by_key(self, written: JSON) -> dict[str, JSON]:
        """The records in a patch to the table, as :meth:`Database.patch` takes it."""
        return self._by_key(written if self.notes is None else self.apply_patch(written, None)[0])

    def _by_key(self, raw: JSON) -> dict[str, JSON]:
        if self.singleton:
            return {"": raw}
        if self.listed is None:
            if not isinstance(raw, dict):
                raise DomainError(f"{self.where}: '{self.name}' must be an object of records by key")
            return raw
        if not isinstance(raw, list):
            wanted = f"a list of records with the field '{self.listed}'"
            raise DomainError(f"{self.where}: '{self.name}' must be {wanted}")
        records: dict[str, JSON] = {}
        for position, record in enumerate(raw):
            key = record.get(self.listed) if isinstance(record, dict) else None
            if not isinstance(key, str) or key in records:
                said = f"{self.where}: {self.name}[{position}]"
                if key is not None and not isinstance(key, str):
                    raise DomainError(f"{said}: '{self.listed}' is no text; keys are, so write quotes around it")
                raise DomainError(f"{said} {'has no' if key is None else 'has the same'} '{self.listed}'")
            records[key] = record
        return records

    @cached_property
    def positions(self) -> dict[str, int]:
        """Where each record stands."""
        return {key: position for position, key in enumerate(self.raw)}

    def alike(self, fields: Mapping[str, JSON]) -> list[str]:
        """The keys of the records that have these values; where each value leads is worked out once."""
        names = tuple(fields)
        index = self._index(names, lambda record: canonical([record.get(name) for name in names]))
        return index.get(canonical([*fields.values()]), [])

    def having(self, of: Callable[[Mapping[str, Any]], Hashable], value: Hashable) -> list[str]:
        """The keys of the records of which a function says this; it is asked once for each of them."""
        return self._index(of, lambda record: of(RecordView(record))).get(value, [])

    def _index(self, name: Any, of: Callable[[dict[str, Any]], Hashable]) -> dict[Hashable, list[str]]:
        """Where each value leads."""
        if name not in self._indexes:
            index = dict[Hashable, list[str]]()
            for key, record in self.shown.items():
                index.setdefault(of(record), []).append(key)
            self._indexes[name] = index
        return self._indexes[name]

    def fresh(self, key: str) -> Any:
        """A newly validated copy of a record; nothing it holds is shared with the base."""
        try:
            return self.adapter.validate_python(self._copy_record(key) if self._shares else self.raw[key])
        except ValidationError as error:
            raise DomainError(f"{self.where}: {self.describe(key)}: {first_problem(error)}") from None

    def shared_record(self, key: str) -> Any:
        """A validated record, made once and shared: for reading only."""
        if key not in self._lent:
            record = self._lent.setdefault(key, self.fresh(key))  # another thread may have been quicker
            self._lent_texts.setdefault(id(record), None)
        return self._lent[key]

    def altered(self) -> Iterator[str]:
        """The keys of shared records that somebody has changed, for all worlds."""
        return (key for key, record in self._lent.items() if not self.holds(key, self.dump(record)))

    @cached_property
    def _shares(self) -> bool:
        """Whether a validated record may hold objects of the JSON that it was made of."""
        return shares(self.adapter.core_schema)

    @cached_property
    def _has_sets(self) -> bool:
        """Whether a record may hold a set, of which Python gives the members in another order each time."""
        return not {"set", "frozenset"}.isdisjoint(kinds(self.adapter.core_schema))

    def _copy_record(self, key: str) -> JSON:
        """A deep copy of a raw record; a round trip through marshal is the cheapest one of JSON data."""
        if key not in self._packed:
            self._packed[key] = marshal.dumps(self.raw[key])
        return marshal.loads(self._packed[key])  # noqa: S302 (our own bytes, made above)

    def describe(self, key: str) -> str:
        """How error messages name a record."""
        return self.name if self.singleton else f"{self.name}[{key!r}]"

    def dump(self, record: Any) -> JSON:
        """A record as JSON: all fields, null for absent optionals, ISO dates, sets in one order."""
        return self._dump(record)

    def as_written(self, record: Any) -> JSON:
        """A record as JSON that its model reads again: without what it computes, and by the keys that it reads."""
        return as_read(record, self._dump(record, round_trip=True))

    def _dump(self, record: Any, *, round_trip: bool = False) -> JSON:
        def dump(mode: Literal["json", "python"]) -> Any:
            return self.adapter.dump_python(record, mode=mode, by_alias=True, round_trip=round_trip, warnings=False)

        try:
            dumped = dump("json")
            if self._has_sets:
                with suppress(TypeError):  # a set of records, which this one dump cannot make a set of
                    return in_order(dump("python"), dumped)
            return dumped
        except ValueError as error:  # a PydanticSerializationError is one
            what = f"a tool stored what is not JSON in the table '{self.name}' ({describe(error)})"
            raise DomainError(f"{what}: store what the fields of its model can hold") from None

    def normal(self, key: str) -> JSON:
        """The base record as :meth:`dump` gives it, computed once and shared: for reading only."""
        if key not in self._normal:
            self._normal[key] = self.dump(self.fresh(key))
        return self._normal[key]

    @cached_property
    def shown(self) -> dict[str, JSON]:
        """All records as :meth:`dump` gives them, for searches: what one finds must not hang on what was touched."""
        return {key: self.normal(key) for key in self.raw}

    def normal_text(self, key: str) -> str:
        """The base record as canonical JSON, computed once."""
        if key not in self._texts:
            self._texts[key] = canonical(self.normal(key))
        return self._texts[key]

    def holds(self, key: str, record: JSON) -> bool:
        """Whether a record is as in the base, types included; ``record`` as :meth:`dump` gives it."""
        if key not in self.raw:
            return False
        normal = self.normal(key)
        if record != normal:  # what Python finds different has another text, and costs least to find
            return False
        if key not in self._marks:
            self._marks[key] = mark(normal)
        return mark(record) == self._marks[key] or canonical(record) == self.normal_text(key)

    def dumped_record(self, key: str) -> JSON:
        """The base record as :meth:`dump` gives it, for the caller to change."""
        if key not in self._packed_normal:
            self._packed_normal[key] = marshal.dumps(self.normal(key))
        return marshal.loads(self._packed_normal[key])  # noqa: S302 (our own bytes)


def in_order(record: Any, dumped: JSON) -> JSON:
    """``dumped`` with each list sorted that is a set in the record, so that equal records are equal JSON."""
    if isinstance(dumped, list) and isinstance(record, (set, frozenset)):
        return sorted(dumped, key=canonical)
    if (
        not isinstance(dumped, (dict, list))
        or not isinstance(record, (dict, list, tuple))
        or len(record) != len(dumped)
    ):
        return dumped  # a value, or what a serializer of its own has made of one
    if isinstance(dumped, list):
        return [in_order(*both) for both in zip(record, dumped, strict=True)]
    inner = record.values() if isinstance(record, dict) else record
    return {name: in_order(one, dumped[name]) for one, name in zip(inner, dumped, strict=True)}
