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

Three things follow from it. Searches go through :meth:`Table.scan`, which gives read-only views of the records as JSON
and touches nothing; for them a whole table goes through its model once a process. Order is the base's, then what was
added in the order of adding, as in a dict or list; a record that was deleted and added again counts as added. And
nothing a tool is handed is shared: copies go through ``marshal``, which for JSON data is several times faster than
``deepcopy``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from copy import copy, deepcopy
from dataclasses import replace
from functools import cached_property
from typing import Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints, overload

from pydantic import ValidationError

from ..errors import DomainError
from ..schema.problems import fields_by_key, first_problem, unread_keys
from ..schema.transcript import leaves
from ..schema.values import JSON
from .delta import ABSENT, Delta
from .folders import suggestion
from .table import Table
from .table_base import TableBase, TableKind

_LONGEST_NAME = 40  # letters of a text that may be the name of a thing or a kind

T = TypeVar("T")


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


class Database:
    """Base of a domain's database: subclass it with ``Table[...]`` and ``Record[...]`` annotations."""

    tables: dict[str, Table[Any]]

    def __init__(self, base: DatabaseBase) -> None:
        self.tables = {name: Table(table) for name, table in base.tables.items()}
        # Records are reached through their descriptors, tables as plain attributes.
        self.__dict__.update((name, self.tables[name]) for name in base.plain_tables)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse what no grading would see: another table than the one that is watched, or one that is none."""
        if name != "tables" and not isinstance(getattr(type(self), name, None), Record):
            known = f"the table '{name}'" if name in self.tables else f"'{name}', which is no table"
            raise DomainError(f"a tool replaced {known} of {type(self).__name__}: change the records in its tables")
        super().__setattr__(name, value)

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
        changed = {name: table.delta() for name, table in self.tables.items() if table.is_changed}
        added = {
            name: table.behind() for name, table in self.tables.items() if table.base.listed and table.touched_records
        }
        return Delta({name: records for name, records in changed.items() if records}, added)

    def patch(self, data: Mapping[str, JSON], *, where: str) -> None:
        """Merge ``data`` into the database: objects merge, lists and scalars replace; raises DomainError."""
        for name, value in data.items():
            if name not in self.tables:
                raise DomainError(f"{where}: the database has no '{name}'; it has {', '.join(self.tables)}")
            table = self.tables[name]
            base = table.base
            if base.listed is not None:
                self._replace(table, TableBase(name, Any, value, where=where, kind=TableKind(base.listed)).raw)
                continue
            if base.notes is not None:
                value, table.notes = base.apply_patch(value, table.notes)
            records = {"": value} if base.singleton else value
            if not isinstance(records, Mapping):
                raise DomainError(f"{where}: '{name}' must be an object of records by key")
            for key, changes in records.items():
                _store_validated(table, key, _merge(_as_json(table, key), changes), where)

    def _replace(self, table: Table[Any], records: Mapping[str, JSON]) -> None:
        for key in list(table):  # not clear(), which reads each of them
            del table[key]
        for key, record in records.items():
            _store_validated(table, key, record, table.base.where)


def _store_validated(table: Table[Any], key: str, record: JSON, where: str) -> None:
    try:
        # A copy, because pydantic shares what is typed Any: here with the task that gives the patch.
        table[key] = table.base.adapter.validate_python(deepcopy(record))
    except ValidationError as error:
        raise DomainError(f"{where}: {table.base.describe(key)}: {first_problem(error)}") from None


def _as_json(table: Table[Any], key: str) -> JSON:
    """A record of this world; an empty one where it has none."""
    return table.base.as_written(table.read(key)) if key in table else {}


def _merge(old: JSON, new: JSON) -> JSON:
    if isinstance(old, dict) and isinstance(new, Mapping):
        return {**old, **{key: _merge(old.get(key), value) for key, value in new.items()}}
    return new


def _in_file_shape(table: Table[Any]) -> JSON:
    state = table.state()
    if table.base.singleton:
        return state[""]
    if table.notes is not None:
        return {"data": state, "notes": table.notes}
    return list(state.values()) if table.base.listed else state


class DatabaseBase:
    """A parsed database file and its schema: what fresh databases are made of."""

    def __init__(self, schema: type[Database], raw: JSON, *, where: str) -> None:
        fields = _fields(schema, where)
        if not isinstance(raw, dict):
            raise DomainError(f"{where}: must be a JSON object with the keys {', '.join(fields)}")
        if unknown := [name for name in raw if name not in fields]:
            if unknown[0] in getattr(schema, "__annotations__", {}):
                what = f"{schema.__name__}: write {unknown[0]}: Table[Model], or Record[Model] for a single object"
                raise DomainError(f"{where}: {what}")
            raise DomainError(f"{where}: unknown key '{unknown[0]}'; {schema.__name__} has {', '.join(fields)}")
        if missing := [name for name, (_, kind) in fields.items() if not (name in raw or kind.singleton or kind.noted)]:
            raise DomainError(f"{where}: '{missing[0]}' is missing; write an empty one if there are no such records")
        self.schema = schema
        self.tables = {
            name: TableBase(name, model, raw.get(name, {}), where=where, kind=kind, texts=self._lent_texts)
            for name, (model, kind) in fields.items()
        }
        self.plain_tables = [name for name, (_, kind) in fields.items() if not kind.singleton]

    def fresh(self) -> Database:
        """A new database that equals the base."""
        return self.schema(self)

    @cached_property
    def _lent_texts(self) -> dict[int, str | None]:
        """The texts of records that tables have lent, by the ids of the records, which stay."""
        return {}

    def shared_text(self, value: Any, write: Callable[[Any], str]) -> str | None:
        """The text of a record that a table has lent, written once; None for any other value."""
        if id(value) not in self._lent_texts:
            return None
        if (text := self._lent_texts[id(value)]) is None:
            text = self._lent_texts[id(value)] = write(value)
        return text

    def record(self, table: str, key: str) -> JSON:
        """A record as JSON, for reading only; ABSENT where there is none."""
        return self.tables[table].normal(key) if key in self.tables[table].raw else ABSENT

    @cached_property
    def owners(self) -> dict[str, str]:
        """To whom the records belong, by the ids of both; a customer's id belongs to itself."""
        return self._owners_among({name: table.raw for name, table in self.tables.items()})

    def owners_in(self, patch: Mapping[str, JSON]) -> dict[str, str]:
        """To whom the records of a patch belong, as far as they say so themselves."""
        return self._owners_among({name: self.tables[name].by_key(records) for name, records in patch.items()})

    def _owners_among(self, records: Mapping[str, Mapping[str, JSON]]) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, table in self.tables.items():
            relation, _, field = (table.owner or "").rpartition(".")
            for key, record in records.get(relation or name, {}).items() if field else ():
                ids = [str(one) for one in _said(record, field, several=bool(relation)) if _is_id(one)]
                found.update(dict.fromkeys(ids, key) if relation else {id: one for one in ids for id in (key, one)})
        return found

    @cached_property
    def texts_of_fields(self) -> dict[str, frozenset[str]]:
        """By the name of a field, the texts that it has in any record, the inner ones too, but for long ones."""
        found = dict[str, set[str]]()
        for table in self.tables.values():
            for name, value in leaves(table.raw):
                if isinstance(value, str) and len(value) <= _LONGEST_NAME:
                    found.setdefault(name, set()).add(value)
        return {name: frozenset(texts) for name, texts in found.items()}

    @cached_property
    def names(self) -> dict[str, str]:
        """By the names that records go by, the tables that these are in; of customers' names too."""
        return {
            value: table.name
            for table in self.tables.values()
            for record in table.raw.values()
            if isinstance(record, dict)
            for name, value in record.items()
            if isinstance(value, str) and name.endswith("name")
        }

    def problems(self) -> Iterator[str]:
        """Validate every record: a sentence for each that does not fit its model, and for each field it ignores."""
        for table in self.tables.values():
            ignored: dict[str, list[str]] = {}
            for key, raw in table.raw.items():
                try:
                    table.normal(key)
                except DomainError as error:
                    yield str(error)
                    continue
                for place, name, free in unread_keys(raw, table.fresh(key)):
                    where = f"{table.describe(key)}: nothing reads the field '{place}{name}'{suggestion(name, free)}"
                    ignored.setdefault(name, []).append(where)
            for first, *more in ignored.values():
                yield f"{table.where}: {first}{f' (and {len(more)} more times)' if more else ''}"
            yield from _mistaken_keys(table)
            yield from self._no_owners(table)

    def _no_owners(self, table: TableBase) -> Iterator[str]:
        """A sentence for each record that says whose it is, or what is theirs, by something other than ids."""
        relation, _, field = (table.owner or "").rpartition(".")
        holder = self.tables[relation or table.name]
        for key, record in holder.raw.items() if field else ():
            if not all(map(_is_id, _said(record, field, several=bool(relation)))):
                why = f"'{table.name}' is owned_by this field, which holds no id"
                yield f"{table.where}: {holder.describe(key)}: {field}: {why}; without one, nothing is private"

    def altered(self) -> Iterator[str]:
        """A sentence for each record that a tool changed although it is all worlds'."""
        for table in self.tables.values():
            for key in table.altered():
                yield (
                    f"a tool changed what {table.name}.read({key!r}) gave it, which is the same record in every trial; "
                    f"take {table.name}[{key!r}] to change it"
                )


def _said(record: JSON, field: str, *, several: bool) -> list[JSON]:
    """What a record says in a field: nothing, one value, or ``several``."""
    said = record.get(field) if isinstance(record, dict) else None  # whoever reads the record hears that it is none
    return [*said] if several and isinstance(said, (list, dict)) else [] if said is None else [said]


def _is_id(value: JSON) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _mistaken_keys(table: TableBase) -> Iterator[str]:
    """Records that name another key than their own, in the field that is the key of most of them.

    Bare numbers are not looked at: a first record often has the number 1 in several fields.
    """
    records = {key: one for key, one in table.raw.items() if isinstance(one, dict) and not key.isdigit()}
    keyed = Counter(name for key, record in records.items() for name, value in record.items() if value == key)
    for field in (name for name, number in keyed.items() if 2 * number > len(records)):
        for key, record in records.items():
            if isinstance(said := record.get(field), str) and said != key:
                yield f"{table.where}: {table.describe(key)}: {field} is {said!r}, and in other records the key"


_FIELDS: dict[type[Database], dict[str, tuple[Any, TableKind]]] = {}


def _fields(schema: type[Database], where: str) -> dict[str, tuple[Any, TableKind]]:
    """The models and kinds of a database's tables."""
    if schema not in _FIELDS:
        try:
            hints = get_type_hints(schema)
        except NameError as error:
            raise DomainError(
                f"{where}: {schema.__name__} has an annotation that cannot be resolved: {error}"
            ) from None
        fields = {}
        for name, hint in hints.items():
            if get_origin(hint) not in (Table, Record):
                continue
            declared = schema.__dict__.get(name)
            kind = declared if isinstance(declared, TableKind) else TableKind()
            if name == "tables" or hasattr(Database, name):
                what = f"{schema.__name__}: each Database has a '{name}' of its own; name the table otherwise"
                raise DomainError(f"{where}: {what}")
            if len(get_args(hint)) != 1:
                what = f"{schema.__name__}: write {name}: Table[Model]; the keys of records are text"
                raise DomainError(f"{where}: {what}")
            if get_origin(hint) is Record:
                kind = replace(kind, singleton=True)
                setattr(schema, name, Record(name))
            fields[name] = get_args(hint)[0], kind
        _refuse_owners(fields, f"{where}: {schema.__name__}")
        _FIELDS[schema] = fields
    return _FIELDS[schema]


def _refuse_owners(fields: dict[str, tuple[Any, TableKind]], where: str) -> None:
    """Raise DomainError where ``owned_by`` names a table or field that is not there: nothing would be private."""
    for name, (model, kind) in fields.items():
        relation, _, field = (kind.owner or "").rpartition(".")
        if relation and relation not in fields:
            raise DomainError(
                f"{where}: {name} is owned_by the table '{relation}', which is not there{suggestion(relation, fields)}"
            )
        holder = fields[relation][0] if relation else model
        known = getattr(holder, "model_fields", None)
        if field and known is not None and field not in fields_by_key(holder):
            raise DomainError(
                f"{where}: {name} is owned_by the field '{field}', which is not there{suggestion(field, known)}"
            )
