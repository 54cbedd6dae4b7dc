"""Lazy, typed tables that copy a record on first touch, over a base that is parsed once and never changes.

A database is a class with annotations, the JSON object in ``db.json`` has a key for each:

    class ShopDatabase(Database):
        orders: Table[Order]                          # {"O1": {...}, ...}
        plans: Table[Plan] = listed_by("plan_id")     # [{"plan_id": "P1", ...}, ...]
        device: Record[Device]                        # one object
        cards: Table[Card] = with_notes()             # {"data": {"C1": {...}, ...}, "notes": "..."}; may be left out
        bills: Table[Bill] = owned_by("customer_id")  # whose a record is, see owned_by

How it works. There are two layers:

- The base (:class:`DatabaseBase`, a :class:`TableBase` for each table) is the file as it was parsed: raw JSON, shared
  by all environments of a process and never changed.
- A database holds, for each table, the records that were touched, by key, and the keys that were deleted. Reading a
  record validates a copy of its raw JSON and keeps it; from then on tools get and change that very object. Writing puts
  an object there; deleting notes the key. Everything else is still the base's.

So a fresh database costs microseconds whatever its size: it is empty layers. And only touched or deleted records can
differ from the base: :meth:`Database.delta` looks at no other, and grading compares deltas. A record that was touched
and is as it was before is no difference: both sides are brought into one canonical text, the base's once a process.

A copy of a database is as cheap as a fresh one, however much was touched: from then on the records touched so far are
held by both, and each copies one when it next reads it, as it does with the base's.

Three things follow from it. Searches go through :meth:`Table.scan`, which gives read-only views of the raw JSON and
touches nothing. Order is the base's, then what was added in the order of adding, as in a dict or list; a record that
was deleted and added again counts as added. And nothing a tool is handed is shared: copies go through ``marshal``,
which for JSON data is several times faster than ``deepcopy``.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Mapping, MutableMapping
from copy import copy, deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints, overload

from pydantic import TypeAdapter, ValidationError

from ..errors import DomainError
from ..printable import one_line
from .delta import ABSENT, JSON, Delta, canonical
from .views import RecordView

T = TypeVar("T")


@dataclass(frozen=True)
class Listed:
    """Marks a table that is stored as a list of objects which carry their own key."""

    key: str
    owner: str | None = None


@dataclass(frozen=True)
class Owned:
    """Marks a table of objects by key whose records belong to customers."""

    owner: str


def listed_by(key: str, *, owned_by: str | None = None) -> Any:
    """Say that a table is a JSON list whose objects are told apart by the field ``key``; ``owned_by`` as below."""
    return Listed(key, owned_by)


def owned_by(field: str) -> Any:
    """Say to whom the records of a table belong.

    Args:
        field: the field of a record that holds the id of the customer, in the table of the customers their own id; or
            ``table.field``, where the customers' records in that table list what is theirs.
    """
    return Owned(field)


@dataclass(frozen=True)
class Noted:
    """Marks a table that is stored beside a text about it."""


def with_notes() -> Any:
    """Say that a table is an object of ``data``, its records by key, and ``notes``; where it is missing it is empty."""
    return Noted()


class TableBase:
    """One table as it stands in the file: raw records by key, shared by every environment of the process."""

    def __init__(
        self,
        name: str,
        model: Any,
        raw: JSON,
        *,
        where: str,
        listed: Listed | None = None,
        singleton: bool = False,
        noted: bool = False,
    ) -> None:
        self.name = name
        self.owner: str | None = None
        self.listed = listed
        self.singleton = singleton
        self.where = where
        self.notes: str | None = None
        if noted:
            data, self.notes = self._apart(raw)
            raw = {} if data is None else data
        self.adapter: TypeAdapter[Any] = TypeAdapter(model)
        self.raw: dict[str, JSON] = self._by_key(raw)
        self._packed: dict[str, bytes] = {}
        self._normal: dict[str, JSON] = {}
        self._packed_normal: dict[str, bytes] = {}
        self._texts: dict[str, str] = {}
        self._indexes: dict[tuple[str, ...], dict[str, list[str]]] = {}

    def _apart(self, raw: JSON) -> tuple[JSON, str]:
        """The records and the notes of a table that has both; other keys are ignored."""
        if not isinstance(raw, Mapping) or not isinstance(raw.get("notes", ""), str):
            raise DomainError(f"{self.where}: '{self.name}' must be an object with 'data' and the text 'notes'")
        return raw.get("data"), raw.get("notes", "")

    def patched(self, value: JSON, notes: str | None) -> tuple[JSON, str | None]:
        """The records of a patch to a table with notes, and the notes from then on."""
        data, text = self._apart(value)
        return ({} if data is None else data), (text if "notes" in value else notes)

    def _by_key(self, raw: JSON) -> dict[str, JSON]:
        if self.singleton:
            return {"": raw}
        if self.listed is None:
            if not isinstance(raw, dict):
                raise DomainError(f"{self.where}: '{self.name}' must be an object of records by key")
            return raw
        if not isinstance(raw, list):
            raise DomainError(
                f"{self.where}: '{self.name}' must be a list of records with the field '{self.listed.key}'"
            )
        records: dict[str, JSON] = {}
        for position, record in enumerate(raw):
            key = record.get(self.listed.key) if isinstance(record, dict) else None
            if not isinstance(key, str) or key in records:
                problem = "has the same" if key in records else "has no"
                raise DomainError(f"{self.where}: {self.name}[{position}] {problem} '{self.listed.key}'")
            records[key] = record
        return records

    @cached_property
    def positions(self) -> dict[str, int]:
        """Where each record stands."""
        return {key: position for position, key in enumerate(self.raw)}

    def alike(self, fields: Mapping[str, JSON]) -> list[str]:
        """The keys of the records that have these values; where each value leads is worked out once."""
        names, values = tuple(fields), tuple(fields.values())
        if names not in self._indexes:
            index = self._indexes[names] = dict[str, list[str]]()
            for key, record in self.raw.items():
                index.setdefault(canonical([record.get(name) for name in names]), []).append(key)
        return self._indexes[names].get(canonical(list(values)), [])

    def fresh(self, key: str) -> Any:
        """A newly validated copy of a record; nothing it holds is shared with the base."""
        packed = self._packed.get(key)
        if packed is None:
            # pydantic shares what is typed Any; a round trip through marshal is the cheapest deep copy of JSON data.
            packed = self._packed[key] = marshal.dumps(self.raw[key])
        try:
            return self.adapter.validate_python(marshal.loads(packed))  # noqa: S302 (our own bytes, made above)
        except ValidationError as error:
            raise DomainError(f"{self.where}: {self.describe(key)}: {first_problem(error)}") from None

    def describe(self, key: str) -> str:
        """How error messages name a record."""
        return self.name if self.singleton else f"{self.name}[{key!r}]"

    def dump(self, record: Any) -> JSON:
        """A record as JSON: all fields, null for absent optionals, ISO dates."""
        return self.adapter.dump_python(record, mode="json", warnings=False)

    def normal(self, key: str) -> JSON:
        """The base record as :meth:`dump` gives it, computed once and shared: for reading only."""
        if key not in self._normal:
            self._normal[key] = self.dump(self.fresh(key))
        return self._normal[key]

    def normal_text(self, key: str) -> str:
        """The base record as canonical JSON, computed once."""
        if key not in self._texts:
            self._texts[key] = canonical(self.normal(key))
        return self._texts[key]

    def copied(self, key: str) -> JSON:
        """The base record as :meth:`dump` gives it, for the caller to change."""
        if key not in self._packed_normal:
            self._packed_normal[key] = marshal.dumps(self.normal(key))
        return marshal.loads(self._packed_normal[key])  # noqa: S302 (our own bytes)


class Table(MutableMapping[str, T], Generic[T]):
    """A mapping of records by key; reading one validates and copies it, so it can be changed in place."""

    def __init__(self, base: TableBase) -> None:
        self._base = base
        self._touched: dict[str, T] = {}
        self._held: Mapping[str, T] = {}  # touched before the table was copied: shared with copies, handed to nobody
        self._deleted: set[str] = set()
        self._again: set[str] = set()  # keys of the base that were deleted and added again: they stand at the end
        self.notes = base.notes

    def __contains__(self, key: object) -> bool:
        return key in self._touched or key in self._held or (key in self._base.raw and key not in self._deleted)

    def __getitem__(self, key: str) -> T:
        record = self._touched.get(key)
        if record is None:
            if key in self._held:
                record = self._touched[key] = deepcopy(self._held[key])
            elif key in self:
                record = self._touched[key] = self._base.fresh(key)
            else:
                raise KeyError(key)
        return record

    def __setitem__(self, key: str, record: T) -> None:
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
        if key in self._base.raw:
            self._deleted.add(key)
            self._again.discard(key)

    def __iter__(self) -> Iterator[str]:
        moved = self._deleted | self._again
        yield from (key for key in self._base.raw if key not in moved)
        yield from self.appended()

    def __len__(self) -> int:
        return len(self._base.raw) - len(self._deleted) + len(self.added())

    def __repr__(self) -> str:
        return f"<Table {self._base.name}: {len(self)} records>"

    def copy(self) -> Table[T]:
        """A table with the same records that goes its own way from here."""
        self._held, self._touched = self.touched, {}
        twin: Table[T] = Table(self._base)
        twin._held, twin._deleted, twin._again, twin.notes = self._held, {*self._deleted}, {*self._again}, self.notes
        return twin

    @property
    def touched(self) -> Mapping[str, T]:
        """The records that have been read or written, in the order of the first time; not to be changed."""
        return {**self._held, **self._touched} if self._held else self._touched

    def scan(self) -> Iterator[RecordView]:
        """All records in order as read-only views of their JSON, without validating or copying any: for searches."""
        return (record for _, record in self.scan_items())

    def scan_items(self) -> Iterator[tuple[str, RecordView]]:
        """As :meth:`scan`, each record with its key."""
        touched = self.touched
        for key in self:
            record = touched.get(key)
            yield key, RecordView(self._base.raw[key] if record is None else self._base.dump(record))

    def peek(self, key: str) -> Any:
        """A record for reading only, as it is held: an object where it was touched, else JSON, ABSENT where it is not.

        Nothing is validated, copied or touched.
        """
        touched = self._touched.get(key, self._held.get(key))
        if touched is not None:
            return touched
        return self._base.normal(key) if key in self else ABSENT

    def moved(self) -> set[str]:
        """The keys of all records that may differ from the base: touched, added or gone."""
        return {*self._touched, *self._held, *self._deleted}

    @property
    def base(self) -> TableBase:
        """The table as it stands in the file."""
        return self._base

    def view(self, key: str) -> RecordView:
        """A record as :meth:`scan` shows it; raises KeyError."""
        touched = self._touched.get(key, self._held.get(key))
        if touched is not None:
            return RecordView(self._base.dump(touched))
        if key in self._deleted:
            raise KeyError(key)
        return RecordView(self._base.raw[key])

    def where(self, **fields: JSON) -> Iterator[RecordView]:
        """As :meth:`scan`, the records alone that have these values; the others are not looked at."""
        base, touched = self._base, self.touched
        alike = [key for key in base.alike(fields) if key not in touched]
        seen = {key: base.raw[key] for key in alike if key not in self._deleted}
        for key, record in touched.items():
            now = base.dump(record)
            if all(now.get(name) == value for name, value in fields.items()):
                seen[key] = now
        last = len(base.raw)
        behind = {key: last + n for n, key in enumerate(self.appended())}
        for key in sorted(seen, key=lambda key: behind.get(key, base.positions.get(key, last))):
            yield RecordView(seen[key])

    def state(self) -> dict[str, JSON]:
        """Every record as JSON, by key."""
        return {key: self._now(key) for key in self}

    def delta(self) -> dict[str, JSON]:
        """The records that differ from the base, as JSON by key; ABSENT for those that are gone."""
        changed: dict[str, JSON] = dict.fromkeys(self._deleted, ABSENT)
        for key, record in self.touched.items():
            now = self._base.dump(record)
            if key not in self._base.raw or canonical(now) != self._base.normal_text(key):
                changed[key] = now
        return changed

    def added(self) -> list[str]:
        """The keys the base does not have, in the order they were added."""
        return [key for key in self.touched if key not in self._base.raw]

    def appended(self) -> list[str]:
        """The keys that stand behind those of the base, in the order they were added; some the base has as well."""
        return [key for key in self.touched if key not in self._base.raw or key in self._again]

    def _now(self, key: str) -> JSON:
        record = self._touched.get(key, self._held.get(key))
        return self._base.copied(key) if record is None else self._base.dump(record)


class Record(Generic[T]):
    """A single object of the database: ``db.device`` is the object itself, copied on first touch."""

    def __init__(self, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Record[T]: ...
    @overload
    def __get__(self, instance: Database, owner: type) -> T: ...
    def __get__(self, instance: Database | None, owner: type) -> Record[T] | T:
        return self if instance is None else cast("T", instance.tables[self._name][""])

    def __set__(self, instance: Database, value: T) -> None:
        instance.tables[self._name][""] = value


@dataclass(frozen=True)
class _Field:
    model: Any
    listed: Listed | None
    singleton: bool
    noted: bool
    owner: str | None


class Database:
    """Base of a domain's database: subclass it with ``Table[...]`` and ``Record[...]`` annotations."""

    tables: dict[str, Table[Any]]

    def __init__(self, base: DatabaseBase) -> None:
        self.tables = {name: Table(table) for name, table in base.tables.items()}
        # Records are reached through their descriptors, tables as plain attributes.
        self.__dict__.update((name, self.tables[name]) for name in base.plain_tables)

    def copy(self) -> Database:
        """A database in the same state that goes its own way from here; costs the same however much was touched."""
        twin = copy(self)
        twin.tables = {name: table.copy() for name, table in self.tables.items()}
        twin.__dict__.update((name, twin.tables[name]) for name in self.__dict__ if name in twin.tables)
        return twin

    def state(self) -> dict[str, JSON]:
        """The whole database as JSON, normalised by its models, in the shape of its file."""
        return {name: _in_file_shape(table) for name, table in self.tables.items()}

    def delta(self) -> Delta:
        """What differs from the base."""
        changed = {name: table.delta() for name, table in self.tables.items() if table.touched or table._deleted}
        added = {name: table.appended() for name, table in self.tables.items() if table._base.listed and table.touched}
        return Delta({name: records for name, records in changed.items() if records}, added)

    def patch(self, data: Mapping[str, JSON], *, where: str) -> None:
        """Merge ``data`` into the database: objects merge, lists and scalars replace; raises DomainError."""
        for name, value in data.items():
            if name not in self.tables:
                raise DomainError(f"{where}: the database has no '{name}'; it has {', '.join(self.tables)}")
            table = self.tables[name]
            base = table._base
            if base.listed is not None:
                self._replace(table, TableBase(name, Any, value, listed=base.listed, where=where).raw)
                continue
            if base.notes is not None:
                value, table.notes = base.patched(value, table.notes)
            records = {"": value} if base.singleton else value
            if not isinstance(records, Mapping):
                raise DomainError(f"{where}: '{name}' must be an object of records by key")
            for key, changes in records.items():
                _validated(table, key, _merged(table._now(key) if key in table else {}, changes), where)

    def _replace(self, table: Table[Any], records: Mapping[str, JSON]) -> None:
        for key in [key for key in table if key not in records]:
            del table[key]
        for key, record in records.items():
            _validated(table, key, record, table._base.where)


def _validated(table: Table[Any], key: str, record: JSON, where: str) -> None:
    try:
        # A copy, because pydantic shares what is typed Any: here with the task that gives the patch.
        table[key] = table._base.adapter.validate_python(deepcopy(record))
    except ValidationError as error:
        raise DomainError(f"{where}: {table._base.describe(key)}: {first_problem(error)}") from None


def _merged(old: JSON, new: JSON) -> JSON:
    if isinstance(old, dict) and isinstance(new, Mapping):
        return {**old, **{key: _merged(old.get(key), value) for key, value in new.items()}}
    return new


def _in_file_shape(table: Table[Any]) -> JSON:
    state = table.state()
    if table._base.singleton:
        return state[""]
    if table.notes is not None:
        return {"data": state, "notes": table.notes}
    return list(state.values()) if table._base.listed else state


class DatabaseBase:
    """A parsed database file and its schema: what fresh databases are made of."""

    def __init__(self, schema: type[Database], raw: JSON, *, where: str) -> None:
        fields = _fields(schema, where)
        if not isinstance(raw, dict):
            raise DomainError(f"{where}: must be a JSON object with the keys {', '.join(fields)}")
        if unknown := [name for name in raw if name not in fields]:
            raise DomainError(f"{where}: unknown key '{unknown[0]}'; {schema.__name__} has {', '.join(fields)}")
        if missing := [n for n, spec in fields.items() if n not in raw and not (spec.singleton or spec.noted)]:
            raise DomainError(f"{where}: '{missing[0]}' is missing; write an empty one if there are no such records")
        self.schema = schema
        self.tables = {
            name: TableBase(
                name, s.model, raw.get(name, {}), where=where, listed=s.listed, singleton=s.singleton, noted=s.noted
            )
            for name, s in fields.items()
        }
        for name, spec in fields.items():
            self.tables[name].owner = spec.owner
        self.plain_tables = [name for name, spec in fields.items() if not spec.singleton]

    def fresh(self) -> Database:
        """A new database that equals the base."""
        return self.schema(self)

    def record(self, table: str, key: str) -> JSON:
        """A record as JSON, for reading only; ABSENT where there is none."""
        return self.tables[table].normal(key) if key in self.tables[table].raw else ABSENT

    @cached_property
    def owners(self) -> dict[str, str]:
        """To whom the records belong, by the ids of both; a customer's id belongs to itself."""
        found: dict[str, str] = {}
        for table in self.tables.values():
            relation, _, field = (table.owner or "").rpartition(".")
            if relation:
                for customer, record in self.tables[relation].raw.items():
                    found.update((str(key), customer) for key in record.get(field) or [])
            elif field:
                owned = ((key, record.get(field)) for key, record in table.raw.items())
                pairs = [(key, str(owner)) for key, owner in owned if owner is not None]
                found.update(pairs)
                found.update((owner, owner) for _, owner in pairs)
        return found

    def owners_in(self, patch: Mapping[str, JSON]) -> dict[str, str]:
        """To whom the records of a patch belong, as far as they say so themselves."""
        found: dict[str, str] = {}
        for name, records in patch.items():
            field = self.tables[name].owner if name in self.tables else None
            for key, record in records.items() if field and isinstance(records, Mapping) else ():
                owner = record.get(field) if isinstance(record, Mapping) else None
                if isinstance(owner, str):
                    found.update({str(key): owner, owner: owner})
        return found

    def problems(self) -> Iterator[str]:
        """Validate every record; yields a sentence for each that does not fit its model."""
        for table in self.tables.values():
            for key in table.raw:
                try:
                    table.normal(key)
                except DomainError as error:
                    yield str(error)


_FIELDS: dict[type[Database], dict[str, _Field]] = {}


def _fields(schema: type[Database], where: str) -> dict[str, _Field]:
    if schema not in _FIELDS:
        try:
            hints = get_type_hints(schema)
        except NameError as error:
            raise DomainError(
                f"{where}: {schema.__name__} has an annotation that cannot be resolved: {error}"
            ) from None
        fields = {}
        for name, hint in hints.items():
            if get_origin(hint) not in (Table, Record) or name == "tables":
                continue
            singleton = get_origin(hint) is Record
            listed = schema.__dict__.get(name)
            noted = isinstance(listed, Noted)
            if singleton:
                setattr(schema, name, Record(name))
            owner = listed.owner if isinstance(listed, (Listed, Owned)) else None
            model = get_args(hint)[0]
            fields[name] = _Field(model, listed if isinstance(listed, Listed) else None, singleton, noted, owner)
        _FIELDS[schema] = fields
    return _FIELDS[schema]


_LONGEST = 300  # characters of what a file or a model wrote, in a sentence of ours


def first_problem(error: ValidationError) -> str:
    """The first problem of a pydantic error as one clause, with the path where it is."""
    details = error.errors(include_url=False, include_context=False)
    first = details[0]
    path = ".".join(str(part) for part in first["loc"])
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    return one_line(f"{path[:_LONGEST] + ': ' if path else ''}{first['msg'][:_LONGEST]}{more}")
