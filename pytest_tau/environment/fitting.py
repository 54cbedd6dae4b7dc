"""Dataclasses that refuse what their annotations do not say: a wrong part is told where an author's file makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, cast, get_args, get_origin, get_type_hints

from ..printable import cut


class Fitting:
    """The base of such a dataclass; to make one of anything else raises TypeError."""

    def __post_init__(self) -> None:
        kind = type(self)
        hints = get_type_hints(kind, localns=self._named())
        for one in fields(cast(Any, self)):
            value = getattr(self, one.name)
            if not fits(value, hints[one.name]):
                raise TypeError(f"{kind.__name__}: {one.name} must be {one.type}, and is {cut(repr(value), 100)}")

    def _named(self) -> dict[str, Any]:
        """What the annotations name and their module does not import."""
        return {}


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is what an annotation says; of a function only that it can be called."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin is None:
        return isinstance(value, (int, float) if hint is float else hint)
    if origin is type:
        return isinstance(value, type) and issubclass(value, inner[0])
    if origin is Callable:
        return callable(value)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(fits(one, inner[1]) for one in value.values())
    if origin is Sequence:
        return isinstance(value, Sequence) and not isinstance(value, str) and all(fits(one, inner[0]) for one in value)
    return any(fits(value, one) for one in inner)
