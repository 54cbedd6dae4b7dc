"""Read-only views of JSON data: what a search may look at without being able to change the base."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any


class RecordView(Mapping[str, Any]):
    """A JSON object that can be read but not changed; what it holds is wrapped on the way out."""

    __slots__ = ("_data",)

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def __getitem__(self, key: str) -> Any:
        value = self._data[key]
        return value if type(value) is str else _view(value)

    def to_dict(self) -> dict[str, Any]:
        """The object itself, for the caller to change."""
        return deepcopy(self._data)

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        return repr(self._data)


class ListView(Sequence[Any]):
    """A JSON list that can be read but not changed; equal to a list or view with the same items."""

    __slots__ = ("_data",)

    def __init__(self, data: list[Any]) -> None:
        self._data = data

    def __getitem__(self, index: Any) -> Any:
        return _view(self._data[index])

    def __iter__(self) -> Iterator[Any]:
        return map(_view, self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __eq__(self, other: object) -> bool:
        return self._data == (other._data if isinstance(other, ListView) else other)

    __hash__ = None  # type: ignore[assignment]  # a view of a list is as unhashable as the list

    def __repr__(self) -> str:
        return repr(self._data)


def _view(value: Any) -> Any:
    if isinstance(value, dict):
        return RecordView(value)
    return ListView(value) if isinstance(value, list) else value
