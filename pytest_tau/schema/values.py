"""What all our models are made of: values that never change, and what of Python's objects a file can hold."""

import json
import marshal
from collections.abc import Mapping
from math import isfinite
from threading import RLock
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict

JSON = Any
_BUILDING = RLock()
# Levels of lists and objects in a call's arguments. A trial that holds them is a few levels deeper, and no JSON of more
# than 200 levels is read.
_DEEPEST = 100
_TOO_DEEP = "nested too deeply"
# Python reads no number of more than 4300 digits.
_LARGEST_INT = 10**4300 - 1
_TOO_LARGE = "a number of more than 4300 digits"


class Frozen(BaseModel):
    """A value: never changed once made.

    Its validator is built when the first one is made. Most processes need few of the models, and together they take
    more time than all other imports.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, defer_build=True)

    @classmethod
    def model_rebuild(cls, *, _parent_namespace_depth: int = 2, **options: Any) -> bool | None:
        """As pydantic's; one thread at a time, as trials are played in several."""
        with _BUILDING:
            return super().model_rebuild(_parent_namespace_depth=_parent_namespace_depth + 1, **options)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As pydantic's, in a third of the time where nothing but fields is to be copied."""
        if deep or self.__pydantic_private__ is not None or self.__pydantic_extra__ is not None:
            return super().model_copy(update=update, deep=deep)
        twin, changed = object.__new__(type(self)), update or {}
        object.__setattr__(twin, "__dict__", {**self.__dict__, **changed})
        object.__setattr__(twin, "__pydantic_fields_set__", self.__pydantic_fields_set__ | changed.keys())
        object.__setattr__(twin, "__pydantic_extra__", None)
        object.__setattr__(twin, "__pydantic_private__", None)
        return twin


def _storable(text: str) -> str:
    """Without lone surrogates: a model can write them as JSON escapes, and no file can hold them."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def json_values(value: Any) -> Any:
    """What a file can hold of values, as a copy: agents written in Python pass any objects, and keep them.

    Raises ValueError for what nobody could read again.
    """
    try:
        return _copy_json(value)
    except TypeError:  # something else is in it
        pass
    try:
        plain = json.loads(
            _storable(json.dumps(value, ensure_ascii=False, default=_plain)), parse_constant=lambda constant: None
        )
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except TypeError as error:  # keys that no object can have
        raise ValueError(str(error)) from None
    except ValueError as error:
        if "digits" in str(error):
            raise ValueError(_TOO_LARGE) from None
        raise
    _refuse_deep(plain)
    return plain


def _copy_json(value: Any, levels: int = _DEEPEST) -> Any:
    """A copy of JSON data in ASCII; raises TypeError for any other. Dumping and reading takes several times as long."""
    kind = type(value)
    if kind is str and value.isascii():
        return value
    if kind is dict:
        if not all(type(name) is str and name.isascii() for name in value):
            raise TypeError
        _refuse_none(levels)
        return {name: _copy_json(one, levels - 1) for name, one in value.items()}
    if kind is list:
        _refuse_none(levels)
        return [_copy_json(one, levels - 1) for one in value]
    if kind is int:
        if not -_LARGEST_INT <= value <= _LARGEST_INT:
            raise ValueError(_TOO_LARGE)
        return value
    if kind is bool or value is None:
        return value
    if kind is float:
        return value if isfinite(value) else None  # as it is written
    raise TypeError


def _refuse_deep(value: Any, levels: int = _DEEPEST) -> None:
    if isinstance(value, (dict, list)):
        _refuse_none(levels)
        for one in value.values() if isinstance(value, dict) else value:
            _refuse_deep(one, levels - 1)


def _refuse_none(levels: int) -> None:
    if not levels:
        raise ValueError(_TOO_DEEP)


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", warnings=False)
    return sorted(value, key=repr) if isinstance(value, (set, frozenset)) else str(value)


def mark(value: JSON) -> bytes:
    """Bytes that are equal only for equal JSON, far cheaper than a canonical text: version 2 of marshal notes no
    references, so that they depend on the values alone. Others can be equal too, with their keys in another order.
    Raises ValueError for what is not JSON.
    """
    return marshal.dumps(value, 2)


def canonical(value: Any) -> str:
    """JSON text that is equal exactly when two values are: sorted keys, no blanks, types kept."""
    return _CANONICAL.encode(value)


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)
Text = Annotated[str, AfterValidator(_storable)]
