"""How a tool's return value becomes the text a model reads.

A string stays as it is. Anything else becomes JSON, in which bare numbers and booleans outside a model are written
as strings (a habit of the benchmark that models and recorded conversations have seen), inside a model as numbers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ..errors import DomainError, reason
from ..schema.messages import Attachment
from ..schema.values import mark
from .views import ListView, RecordView

FAILED = "Error: "
"""What the text of a failed call begins with, in every domain."""


@dataclass(frozen=True)
class WithPictures:
    """What a tool returns that shows something: a value as any other tool's, and pictures beside it."""

    value: Any
    pictures: Sequence[Attachment]


def picture(file: Path, *, alt: str, id: str | None = None) -> Attachment:
    """A picture for a tool to return.

    Args:
        file: a PNG, JPEG or WebP, usually in the domain's folder.
        alt: all that it shows, in words.
        id: names it; by default the file's name without its suffix.

    Raises:
        DomainError: it cannot be read, or is no picture.
    """
    try:
        return Attachment.of(file.read_bytes(), id or file.stem, alt=alt, path=file.name)
    except (OSError, ValueError) as error:
        what = "cannot be read: " if isinstance(error, OSError) else ""
        raise DomainError(f"the picture {file} {what}{reason(error)}") from None


def to_content(value: Any) -> str:
    """The text for a tool's return value; raises ValueError for a type that has no JSON form."""
    if isinstance(value, str):
        return str.__str__(value)
    plain = _plain(value)
    try:
        packed = mark(plain)
    except ValueError:  # not all of it is JSON
        return _ENCODER.encode(plain)
    if (text := _known.get(packed)) is None:
        text = _ENCODER.encode(plain)
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        if len(text) <= _LONGEST_KNOWN:
            _known[packed] = text
    return text


def _as_json(value: Any) -> Any:
    """What the encoder takes for a value within a record; a choice is written as a call has to name it."""
    if isinstance(value, (set, frozenset)):  # in an order of its own in every process
        return sorted(value, key=repr)
    _refuse_view(value)
    return value.value if isinstance(value, Enum) else str(value)


_ENCODER = json.JSONEncoder(default=_as_json)
# Trials read the same records again and again, and grading runs their writes once more; packing costs a sixth.
_known: dict[bytes, str] = {}
_MOST_KNOWN, _LONGEST_KNOWN = 2048, 4096


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, BaseModel):
        return value.model_dump(warnings=False)
    if isinstance(value, Enum):  # before the numbers: a choice can be one of those too
        return _plain(value.value)
    if isinstance(value, (bool, int, float)):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, date):
        return value.isoformat()
    _refuse_view(value)
    raise ValueError(f"Unsupported type: {type(value)}")


def _refuse_view(value: Any) -> None:
    if isinstance(value, (RecordView, ListView)):
        raise ValueError("a read-only view of a record: call .to_dict() on it, and take a list out of that")
