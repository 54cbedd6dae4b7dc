"""Files that are written whole or not at all, and JSON that is read with one sentence for every way it can be wrong.

A fresh file gets a name that nobody can guess and is made exclusively: a link that somebody planted in a shared folder
is never followed, and two processes never write to the same one.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

from .errors import TauError, reason

DEEPEST = 200
"""Levels of lists and objects in a file; pydantic reads 200 as well, and writes about 250."""
_OUTSIDE_TEXTS = re.compile(r'"(?:[^"\\]|\\.)*"|NaN|-?Infinity')
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@contextmanager
def replacing(path: str | Path) -> Iterator[IO[str]]:
    """A UTF-8 text file that takes the place of ``path`` when the block ends well. Makes missing folders.

    Lone surrogates, which no file can hold, are written as character references.
    """
    path = Path(path)
    refuse_devices(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = fresh_name(path)
    try:
        # "x" is exclusive: it fails where a file or a link of that name is there.
        with fresh.open("x", encoding="utf-8", errors="xmlcharrefreplace", newline="\n") as file:
            yield file
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Put a file with this content in the place of ``path``; raises OSError, and then the old one stays."""
    refuse_devices(path)
    fresh = fresh_name(path)
    try:
        with fresh.open("xb") as file:
            file.write(content.encode("utf-8", "xmlcharrefreplace") if isinstance(content, str) else content)
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def append_whole(file: IO[bytes], content: bytes) -> None:
    """Append to an unbuffered file; raises OSError, and then takes back the part that found room."""
    # In one go: whoever reads meanwhile, or after a crash, finds whole lines.
    if (written := file.write(content)) < len(content):
        file.truncate(file.tell() - written)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def refuse_devices(path: Path) -> None:
    """Raise OSError for what a file must not take the place of; root could do that even to ``/dev/null``."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        mode = 0  # nothing is there, or writing says what is wrong
    known = not mode or stat.S_ISREG(mode) or stat.S_ISDIR(mode)
    # /dev/stdout leads to a file where the output goes to one.
    if not known or os.path.realpath(path.parent) == "/dev":
        raise OSError(errno.EINVAL, "it is a device, pipe or socket, and no file")


def fresh_name(path: Path) -> Path:
    """A name beside ``path`` that nobody can guess."""
    return path.parent / f".tau-{secrets.token_hex(8)}"  # with_name() refuses the path /


def read_json(path: Path, error: type[TauError], what: str, *, then: str = "") -> Any:
    """The value in a JSON file.

    Args:
        path: the file.
        error: what to raise.
        what: what the file is to be, for the sentence.
        then: how the sentence ends: what to do about it.

    Raises:
        TauError: of the class ``error``: the file cannot be read, or holds no JSON.
    """
    try:
        return loads(decode(path.read_bytes()))
    except OSError as problem:
        raise error(f"{path}: {what} cannot be read: {reason(problem)}{then}") from None
    except (ValueError, RecursionError) as problem:
        raise error(f"{path}: {what} is not valid JSON: {reason(problem)}{then}") from None


def decode(written: bytes) -> str:
    """The text of a file in UTF-8, with the byte order mark of an editor or without; raises ValueError."""
    text = written.decode("utf-8-sig")
    if not text.strip():
        raise ValueError("the file is empty")
    return text


def loads(text: str) -> Any:
    """A JSON value as files can hold it: numbers are finite, texts are without lone surrogates.

    Raises:
        ValueError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    value = json.loads(text, parse_constant=partial(refuse_constant, text=text), parse_float=finite)
    if text.count("[") + text.count("{") > DEEPEST:
        _refuse_deep(value)
    if _SURROGATE.search(text) is None:
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def repeated_keys(path: Path) -> Iterator[str]:
    """A sentence for each key that stands twice in an object of a JSON file, where the last one counts."""
    found: list[str] = []

    def take(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [name for name, _ in pairs]
            found.extend(name for name in made if names.count(name) > 1)
        return made

    with suppress(OSError, ValueError, RecursionError):  # which whoever reads the file tells
        json.loads(decode(path.read_bytes()), object_pairs_hook=take)
    yield from (f"{path}: the key '{name}' stands twice in one object, and only the last one counts" for name in found)


def loads_or_text(text: str) -> Any:
    """A JSON value as :func:`loads` reads it, or the text where it is none."""
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return text


def refuse_constant(constant: str, text: str = "") -> None:
    """Raise ValueError for what Python reads as a number and JSON does not know: NaN and the infinities.

    ``text``: what is read, for the sentence to say where it stands.
    """
    said = f"{constant} is not JSON"
    place = next((found.start() for found in _OUTSIDE_TEXTS.finditer(text) if found[0] == constant), None)
    raise ValueError(said) if place is None else json.JSONDecodeError(said, text, place)


def endless(value: Any, place: str = "") -> Iterator[tuple[str, float]]:
    """The numbers that are infinite or none, and the keys under which they stand."""
    if isinstance(value, float) and not math.isfinite(value):
        yield place.removeprefix("."), value
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield from endless(part, f"{place}.{name}")


def finite(text: str) -> float:
    """A number as it is written; raises ValueError for one that Python takes for infinite."""
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text[:20]} is too large a number")
    return value


def _refuse_deep(value: Any) -> None:
    """Raise RecursionError for what can be read, but not be written again by pydantic."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return
    raise RecursionError(f"more than {DEEPEST} lists and objects inside one another")


def resolve(path: Path) -> Path:
    """The path without links; as it is where they lead in a circle, so that opening it says what is wrong."""
    try:
        return path.resolve()
    except (RuntimeError, OSError):  # of a loop, up to Python 3.12; later versions return
        return path.absolute()
