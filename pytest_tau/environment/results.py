"""How a tool's return value becomes the text a model reads.

A string stays as it is. Anything else becomes JSON, in which bare numbers and booleans outside a model are written
as strings (a habit of the benchmark that models and recorded conversations have seen), inside a model as numbers.
"""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from pydantic import BaseModel


def to_content(value: Any) -> str:
    """The text for a tool's return value; raises ValueError for a type that has no JSON form."""
    if isinstance(value, str):
        return str.__str__(value)
    return json.dumps(_plain(value), default=str)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, BaseModel):
        return value.model_dump(warnings=False)
    if isinstance(value, (bool, int, float)):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, date):
        return value.isoformat()
    raise ValueError(f"Unsupported type: {type(value)}")
