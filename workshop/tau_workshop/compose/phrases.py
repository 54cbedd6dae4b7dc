"""Reads what customers say from ``phrases.toml`` beside the atoms, so that words are changed without reading code.

    say = phrases_of(__file__)
    Atom("cancel", **say("cancel", reason=reason), steps=(...), touches=...)

A table of the file holds the wordings of one wish, under the names of the atom's fields. ``[cancel.revision]`` is read
by itself, as ``say("cancel.revision")``, and one entry of a table as ``say("cancel.says")``. Lists become tuples, and
lists inside of lists stay lists. ``{reason}`` is what the code gives under that name; names that it does not give stay
in braces, and are the references of the atom.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pytest_tau.environment.folders import suggestion
from pytest_tau.errors import DomainError, reason

PHRASES = "phrases.toml"
_NAME = re.compile(r"\{(\w+)\}")
_Template = Callable[[Mapping[str, object]], str]


def read_words(file: Path, what: str = "words") -> dict[str, Any]:
    """The content of a TOML file; raises DomainError, which says ``what`` cannot be read."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise DomainError(f"{file}: the {what} cannot be read: {reason(error)}") from None


def phrases_of(module: str, name: str = PHRASES) -> Phrases:
    """The phrases beside a module, ``phrases_of(__file__)``; a file is read once. Raises DomainError."""
    return _phrases_in(Path(module).with_name(name))


@cache
def _phrases_in(file: Path) -> Phrases:
    return Phrases(file)


class Phrases:
    """The wordings of a file: called with a name, and with what stands in braces, it gives a table, tuple or text."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._entries = dict(_entries(read_words(file)))
        self._prepared: dict[tuple[str, ...], Any] = {}  # one wish is said for tens of thousands of records

    def text(self, name: str, /, **fills: object) -> str:
        """A text; raises DomainError where there is nothing."""
        return str(self(name, **fills))

    def __call__(self, name: str, /, **fills: object) -> Any:
        """What stands under a name, filled; raises DomainError where there is nothing."""
        key = (name, *fills)
        if key not in self._prepared:
            if name not in self._entries:
                raise DomainError(f"{self._file}: there are no phrases '{name}'{suggestion(name, self._entries)}")
            self._prepared[key] = _prepared(self._entries[name], fills)
        return _filled(self._prepared[key], fills)


def with_endings(says: Sequence[str], endings: Sequence[str]) -> tuple[str, ...]:
    """Each wording with the sentence that ends it; there are as many of both."""
    return tuple(f"{text} {ending}" for text, ending in zip(says, endings, strict=True))


def _entries(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every table without the tables in it, and every value, by their dotted names."""
    for name, value in table.items():
        yield f"{prefix}{name}", _alone(value)
        if isinstance(value, dict):
            yield from _entries(value, f"{prefix}{name}.")


def _alone(value: Any) -> Any:
    if not isinstance(value, dict):
        return tuple(value) if isinstance(value, list) else value
    return {name: _alone(inner) for name, inner in value.items() if not isinstance(inner, dict)}


def _prepared(value: Any, fills: Mapping[str, object]) -> Any:
    """A function of the fills, or the value itself where it has nothing to be filled."""
    if isinstance(value, str):
        return _template(value, fills)
    if isinstance(value, dict):
        entries = {name: _prepared(inner, fills) for name, inner in value.items()}
        return lambda given: {name: _filled(inner, given) for name, inner in entries.items()}
    parts = [_prepared(inner, fills) for inner in value]
    if not any(map(callable, parts)):
        return value
    return lambda given: type(value)([_filled(part, given) for part in parts])


def _template(text: str, fills: Mapping[str, object]) -> str | _Template:
    parts = _NAME.split(text)
    names = parts[1::2]
    if not any(name in fills for name in names):
        return text
    parts = [part.replace("{", "{{").replace("}", "}}") for part in parts]
    parts[1::2] = [f"{{{name}}}" if name in fills else f"{{{{{name}}}}}" for name in names]
    return "".join(parts).format_map


def _filled(prepared: Any, fills: Mapping[str, object]) -> Any:
    return prepared(fills) if callable(prepared) else prepared
