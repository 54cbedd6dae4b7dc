"""The bank's one way of looking things up: a field and a value, put into a JSON text and read from there.

The value is put in as it stands, so that a quotation mark in it ends the text early or adds constraints: the public
tools do so, and their answers are recorded.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pytest_tau.environment import Table

NOTHING = "No records found"
_QUERY = "tau2.domains.banking_knowledge.db_query.query_db"


def query(table: Table[Any], name: str, field: str, value: Any) -> str:
    """The records of a table whose field has a value, as text; what is wrong with the query is text as well."""
    try:
        constraints = json.loads(f'{{"{field}": "{value}"}}')
    except json.JSONDecodeError as error:
        return f"Error: Invalid JSON: {error}"
    try:
        found = _matching(table, constraints)
    except Exception as error:  # whatever a comparison says of values from outside is the answer
        return f"Error querying database: {error}"
    return listing(name, found)


def listing(name: str, records: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """Records with their keys as text."""
    entries = [
        f"{number}. Record ID: {key}\n" + "".join(f"   {field}: {value}\n" for field, value in record.items())
        for number, (key, record) in enumerate(records, 1)
    ]
    if not entries:
        return f"{NOTHING} in '{name}'."
    return f"Found {len(entries)} record(s) in '{name}':\n\n" + "\n".join(entries)


def _matching(table: Table[Any], constraints: dict[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    _refuse_reserved(constraints)
    limit = constraints.pop("limit", None)
    found: list[tuple[str, Mapping[str, Any]]] = []
    for key, record in table.scan_items():
        if all(_holds(record, constraint, expected) for constraint, expected in constraints.items()):
            found.append((key, record))
            if limit is not None and len(found) >= limit:
                break
    return found


def _refuse_reserved(constraints: dict[str, Any]) -> None:
    """Names that the reference's function has for itself."""
    for key in constraints:
        if key in ("db", "return_ids"):
            raise TypeError(f"{_QUERY}() got multiple values for keyword argument '{key}'")
    if "db_name" in constraints:
        raise TypeError("query_db() got multiple values for argument 'db_name'")


def _holds(record: Mapping[str, Any], constraint: str, expected: Any) -> bool:
    field, _, operator = constraint.rpartition("__") if "__" in constraint else (constraint, "", "eq")
    actual = record.get(field)
    holds: Operator = _OPERATORS.get(operator, _equal)
    return bool(holds(actual, expected))


def _equal(actual: Any, expected: Any) -> bool:
    return bool(actual == expected)


def _ordering(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], bool]:
    def holds(actual: Any, expected: Any) -> bool:
        try:
            return bool(compare(actual, expected))
        except (TypeError, ValueError):
            return False

    return holds


Operator = Callable[[Any, Any], Any]

_OPERATORS: dict[str, Operator] = {
    "eq": _equal,
    "ne": _ordering(lambda actual, expected: actual != expected),
    "gt": _ordering(lambda actual, expected: actual > expected),
    "gte": _ordering(lambda actual, expected: actual >= expected),
    "lt": _ordering(lambda actual, expected: actual < expected),
    "lte": _ordering(lambda actual, expected: actual <= expected),
    "contains": lambda actual, expected: actual is not None and expected in actual,
    "startswith": lambda actual, expected: actual is not None and str(actual).startswith(str(expected)),
    "endswith": lambda actual, expected: actual is not None and str(actual).endswith(str(expected)),
    "in": lambda actual, expected: actual in expected,
    "nin": lambda actual, expected: actual not in expected,
}
