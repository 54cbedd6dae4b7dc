"""The state hash of the recorded vectors, cheap enough to take after every call.

A dump of a public world takes tens of milliseconds; here only the records that changed are written anew, and the texts
of the others are kept. ``dumped_hash`` is the definition, which the tests hold ``state_hash`` against.
"""

import hashlib
from functools import cache
from typing import Any

from pytest_tau.environment.database import DatabaseBase
from pytest_tau.environment.delta import ABSENT, Delta
from pytest_tau.schema.values import canonical


def dumped_hash(dump: dict[str, Any]) -> str:
    """The hash of one side's database, from its dump."""
    return hashlib.sha256(canonical(dump).encode()).hexdigest()


@cache
def state_hash(base: DatabaseBase, delta: Delta) -> str:
    """The same hash from what differs from the base; for databases whose tables are objects by key."""
    tables = [
        _table(base, name, changed) if (changed := delta.records.get(name)) else _untouched(base, name)
        for name in sorted(base.tables)
    ]
    return hashlib.sha256(f"{{{','.join(tables)}}}".encode()).hexdigest()


@cache
def _untouched(base: DatabaseBase, name: str) -> str:
    return _table(base, name, {})


def _table(base: DatabaseBase, name: str, changed: dict[str, Any]) -> str:
    records = {**_texts(base, name)}
    for key, record in changed.items():
        records.pop(key, None)
        if record is not ABSENT:
            records[key] = f"{canonical(key)}:{canonical(record)}"
    table, notes = f"{{{','.join(records[key] for key in sorted(records))}}}", base.tables[name].notes
    if notes is not None:
        table = f'{{"data":{table},"notes":{canonical(notes)}}}'
    return f"{canonical(name)}:{table}"


@cache
def _texts(base: DatabaseBase, name: str) -> dict[str, str]:
    table = base.tables[name]
    return {key: f"{canonical(key)}:{canonical(table.normal(key))}" for key in table.raw}
