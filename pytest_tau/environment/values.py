"""The values of a domain: fees, limits, windows, tiers and methods, which ``values.toml`` beside the policy declares.

    [bag_fee]
    value = 50
    unit = "dollars"
    range = [30, 90, 5]        # from, to, step; or choices = [...] for what is no number

They stand there once. The policy and the descriptions of tools name them in braces (``{bag_fee}``, ``{tiers.0}`` for an
entry of a list, ``{most:word}`` and ``{most:Word}`` for a number in words), and the domain's code reads them with
``values_of(__package__)``.

A folder whose ``values.toml`` says ``base = "shop"`` is the domain ``shop`` under other values, a *ghost*: it holds the
values that differ, and every file that differs; all others are the base's. ``db_changes.json`` is merged into the
base's database: objects merge, all else replaces.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import DomainError, reason
from .folders import builtin_folder, is_path

VALUES = "values.toml"
CHANGES = "db_changes.json"
_FIELDS = {"value", "unit", "range", "choices", "ask", "answers"}
_PLACE = re.compile(r"\{([a-z][a-z0-9_]*)(?:\.(\d+))?(?::(word|Word))?\}")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@dataclass(frozen=True)
class DeclaredValue:
    """One value: ``choices`` are all that it could be.

    ``ask``: a customer's question that it answers, for a value that no change of the database shows. ``answers``: how
    an agent can say it, as texts with the value in braces; by default the value alone.
    """

    name: str
    value: Any
    unit: str = ""
    choices: tuple[Any, ...] = ()
    ask: str = ""
    answers: tuple[str, ...] = ()


def values_of(package: str | None) -> dict[str, Any]:
    """The values of the domain that a package is of: a module of a domain folder gives its ``__package__``."""
    root = ".".join((package or "").split(".")[:2])
    path = getattr(sys.modules.get(root), "__path__", [])
    return {name: one.value for name, one in declared_values(Path(path[0])).items()} if path else {}


@lru_cache(maxsize=256)
def declared_values(folder: Path) -> Mapping[str, DeclaredValue]:
    """What a domain declares, as its folder has it; raises DomainError for what cannot be read."""
    content = _read(folder)
    base = base_of(folder)
    if base is None:
        return {name: _read_value(folder, name, one) for name, one in content.items()}
    found = dict(declared_values(base))
    for name, one in content.items():
        if name == "base":
            continue
        if name not in found:
            raise DomainError(f"{folder / VALUES}: the domain '{base.name}' declares no value '{name}'")
        value = _read_value(folder, name, one).value
        old = found[name]
        found[name] = DeclaredValue(name, value, old.unit, old.choices, old.ask, old.answers)
    return found


@lru_cache(maxsize=256)
def base_of(folder: Path) -> Path | None:
    """The folder of the domain that a folder varies; None if it stands by itself. Raises DomainError."""
    name = _read(folder).get("base")
    if name is None:
        return None
    if not isinstance(name, str):
        raise DomainError(f"{folder / VALUES}: 'base' is the name of a domain, a text")
    beside = folder.parent / name
    try:
        base = beside if is_domain(beside) else find_domain(name)
    except DomainError as error:
        raise DomainError(f"{folder / VALUES}: its base: {error}") from None
    if not (base / "domain.py").is_file() or "base" in _read(base):
        raise DomainError(f"{folder / VALUES}: the base '{name}' is a ghost itself; name the domain that it varies")
    return base.resolve()


def find_domain(name: str | Path) -> Path:
    """The folder of a domain given by name or path; raises DomainError."""
    path = Path(name)
    if is_path(name):
        if not is_domain(path):
            raise DomainError(f"{path}: not a domain folder, because it has no domain.py")
        return path if is_path(path) else path.absolute()  # pathlib makes a name of "./retail"
    local = Path("domains") / path
    if is_domain(local):
        return local
    return builtin_folder("domains", path.name)


def is_domain(folder: Path) -> bool:
    """Whether a folder is that of a domain: it has its code, or is another one under other values."""
    # What no file system takes for a name is no domain: pathlib would raise.
    return os.path.isfile(folder / "domain.py") or (os.path.isdir(folder) and "base" in _read(folder))


def layers(folder: Path) -> list[Path]:
    """The folders in which a domain's files are looked for, first to last."""
    base = base_of(folder)
    return [folder] if base is None else [folder, base]


def file_of(folder: Path, name: str) -> Path:
    """A file of a domain: the folder's own, or its base's; where it is in neither, as it would stand in the folder."""
    return next((path for layer in layers(folder) if (path := layer / name).is_file()), folder / name)


def fill(text: str, values: Mapping[str, Any]) -> str:
    """A text with the values in it; braces that name no value stay as they are.

    Raises:
        DomainError: braces ask of a value what it does not have.
    """

    def value(found: re.Match[str]) -> str:
        name, entry, form = found.groups()
        if name not in values:
            return found[0]
        try:
            one = values[name] if entry is None else values[name][int(entry)]
        except (LookupError, TypeError):
            raise DomainError(f"{found[0]} names an entry that the value '{name}' ({values[name]}) has not") from None
        if form is None:
            return str(one)
        if not isinstance(one, int):
            raise DomainError(f"{found[0]} asks for a number in words, and the value '{name}' is {one!r}")
        said = number_word(one)
        return said.capitalize() if form == "Word" else said

    return _PLACE.sub(value, text) if values and "{" in text else text


def left_open(text: str) -> dict[str, str]:
    """The braces in a text that look like the place of a value, by its name."""
    return {found[1]: found[0] for found in _PLACE.finditer(text)}


def number_word(number: int) -> str:
    """A small number in words."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)


def merge(base: Any, changes: Any) -> Any:
    """``base`` with ``changes``: objects merge, all else replaces."""
    if not (isinstance(base, dict) and isinstance(changes, dict)):
        return changes
    return {**base, **{name: merge(base.get(name), one) for name, one in changes.items()}}


def _read(folder: Path) -> dict[str, Any]:
    path = folder / VALUES
    if not path.is_file():
        return {}
    import tomllib

    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise DomainError(f"{path}: the values cannot be read: {reason(error)}") from None


def _read_value(folder: Path, name: str, content: Any) -> DeclaredValue:
    where = f"{folder / VALUES}: {name}"
    if not isinstance(content, dict) or "value" not in content:
        raise DomainError(f"{where}: a value is a table with 'value', 'unit', and 'range' or 'choices'")
    if unknown := sorted(set(content) - _FIELDS):
        raise DomainError(f"{where}: there is no field '{unknown[0]}'; there are {', '.join(sorted(_FIELDS))}")
    try:
        choices = tuple(content["choices"]) if "choices" in content else tuple(_steps(*content.get("range", (0, -1))))
        return DeclaredValue(
            name,
            content["value"],
            str(content.get("unit", "")),
            choices,
            str(content.get("ask", "")),
            tuple(map(str, content.get("answers", ()))),
        )
    except (TypeError, ValueError) as error:
        raise DomainError(f"{where}: 'range' is [from, to, step] and 'choices' a list: {error}") from None


def _steps(first: int, last: int, step: int = 1) -> Iterator[int]:
    if step < 1:
        raise ValueError("a step is at least 1")
    yield from range(first, last + 1, step)
