"""Reads conversations out of any log: which file is of which format, and what cannot be read.

A file is a JSON value or JSON lines. Each of its parts (a line, an entry of a list, or all of it) goes to the first
reader that knows it; parts of a reader are read together, because a conversation may lie in several spans. What
nobody can read is an :class:`Unread` with file, line and reason, and the rest goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from ..errors import RecordingError, TauError, reason
from ..files import decode, loads
from ..journal import FILE_NAME
from ..journal.lines import is_trial
from ..journal.spools import SPOOLS, in_order
from ..manifest import FILE_NAME as MANIFEST
from ..printable import one_line
from ..schema.problems import first_problem
from .dialects import is_message
from .logged import LoggedConversation, Part, Unread

Found = LoggedConversation | Unread
Hook = Callable[[Path], "Iterable[LoggedConversation] | None"]
_SUFFIXES = (".json", ".jsonl", ".ndjson")
_NONE = (
    "of no known format: spans of OpenTelemetry or OpenInference, chat completions, Responses, Langfuse, LangSmith, "
    "τ-bench, τ², a journal, or the form that docs/from_conversations.md shows"
)


class LogReader(Protocol):
    """A format: one module in ``readers/``. ``NAME`` stands in the ``meta`` of what it reads."""

    NAME: str

    def recognises(self, value: Any) -> bool:
        """Whether a part is of this format."""

    def conversations(self, parts: Sequence[Part]) -> Iterator[Found]:
        """The conversations of these parts of a file, in order. What it raises as RecordingError ends only a part."""


def read_conversations(path: str | Path, hooks: Iterable[Hook] = ()) -> list[LoggedConversation]:
    """All conversations of a log.

    Args:
        path: a file (JSON or JSON lines), or a folder of such.
        hooks: readers of others' formats, asked first: each takes the file's path and gives conversations, or None.

    Returns:
        Those that can be read; :func:`read_log` also gives what cannot.

    Raises:
        RecordingError: there is no such file, or nothing in it can be read; the sentence says why of the first part.
    """
    found = list(read_log(path, hooks))
    good = [one for one in found if isinstance(one, LoggedConversation)]
    if not good:
        raise RecordingError(str(found[0]) if found else f"{path}: holds no conversation")
    return good


def read_log(path: str | Path, hooks: Iterable[Hook] = ()) -> Iterator[Found]:
    """The same, with what could not be read; raises RecordingError only where there is no such file."""
    asked: dict[str, int] = {}  # each id that was given out, and how often it was asked for
    for files in _files(Path(path)):
        for one in _of_files(files, hooks):
            if isinstance(one, Unread):
                yield one
                continue
            if not one.messages:
                yield Unread(str(one.meta.get("where", files[0])), "the conversation has no message")
                continue
            free = one.id
            while free in asked:
                asked[one.id] += 1
                free = f"{one.id}_{asked[one.id]}"
            asked[free] = 1
            yield one if free == one.id else LoggedConversation(free, one.messages, one.meta)


def _files(path: Path) -> list[list[Path]]:
    """The files to read, those of a run together."""
    if not os.path.isdir(path):  # a Path raises for a name that is too long for one
        if not os.path.exists(path):
            raise RecordingError(f"{path}: there is no such file; give the log's path")
        return [[path]]
    found = sorted(one for one in path.rglob("*") if one.suffix in _SUFFIXES and one.is_file())
    if not found:
        raise RecordingError(f"{path}: the folder holds no file that ends in {', '.join(_SUFFIXES)}")
    runs = {one.parent for one in found if one.name == FILE_NAME or _is_spool(one)}
    alone = [[one] for one in found if one.parent not in runs]
    return sorted([*alone, *map(_of_run, runs)])


def _of_run(run: Path) -> list[Path]:
    """The files of a run with trials in them: its journal, and the spools that are there while it lasts."""
    journal, spools = run / FILE_NAME, in_order(run, SPOOLS)
    return spools if spools and not (journal.is_file() and journal.stat().st_size) else [journal, *spools]


def _is_spool(file: Path) -> bool:
    return file.match(SPOOLS) and any((file.parent / name).is_file() for name in (FILE_NAME, MANIFEST))


def _of_files(files: Sequence[Path], hooks: Iterable[Hook]) -> Iterator[Found]:
    for hook in hooks:
        try:
            given = hook(files[0])
            found = None if given is None else list(given)
        except Exception as error:  # somebody's reader may raise anything
            yield Unread(str(files[0]), f"its reader failed: {type(error).__name__}: {error}")
            return
        if found is not None:
            yield from found
            return
    parts: list[Part] = []
    for one in chain.from_iterable(map(_parts_of, files)):
        if isinstance(one, Unread):
            yield one
        else:
            parts.append(one)
    if any(is_message(part.value) for part in parts) and not any(_reader_of(part.value) for part in parts):
        # The messages of one conversation, in a list or a line each.
        parts = [Part(str(files[0]), [part.value for part in parts])]
    yield from _read(parts)


def _parts_of(file: Path) -> Iterator[Part | Unread]:
    try:
        text = decode(file.read_bytes())
    except (OSError, ValueError) as error:
        yield Unread(str(file), f"cannot be read: {reason(error)}")
        return
    is_spool = _is_spool(file)  # what else stands there is nothing that was said
    yield from (one for one in _parts(str(file), text) if not is_spool or _is_trial(one))


def _is_trial(part: Part | Unread) -> bool:
    return isinstance(part, Part) and is_trial(part.value)


def _parts(where: str, text: str) -> Iterator[Part | Unread]:
    try:
        whole = loads(text)
    except RecursionError as error:
        yield Unread(where, f"is nested too deeply: {error}")
        return
    except ValueError as error:
        yield from _lines(where, text, error)
        return
    if isinstance(whole, list):
        yield from (Part(f"{where}[{position}]", value) for position, value in enumerate(whole))
    else:
        yield Part(where, whole)


def _lines(where: str, text: str, error: ValueError) -> Iterator[Part | Unread]:
    """Each line by itself, unless the text is one value that is broken."""
    found: list[Part | Unread] = []
    good = 0
    for number, line in enumerate(text.split("\n"), start=1):  # a text may hold other characters that end lines
        if not line.strip():
            continue
        try:
            found.append(Part(f"{where}:{number}", loads(line)))
            good += isinstance(found[-1].value, (dict, list)) if isinstance(found[-1], Part) else 0
        except (ValueError, RecursionError) as problem:
            found.append(Unread(f"{where}:{number}", f"is not JSON: {problem}"))
    if not good or (where.endswith(".json") and 2 * good < len(found)):
        yield Unread(where, f"is not JSON: {reason(error)}")
    else:
        yield from found


def _read(parts: Sequence[Part]) -> Iterator[Found]:
    of_reader: dict[str, tuple[LogReader, list[Part]]] = {}
    for part in parts:
        if isinstance(part.value, Mapping) and not part.value:
            yield Unread(part.where, "is an empty object")
        elif (reader := _reader_of(part.value)) is None:
            yield Unread(part.where, _NONE)
        else:
            of_reader.setdefault(reader.NAME, (reader, []))[1].append(part)
    for reader, own in of_reader.values():
        yield from read_guarded(reader, own)


def _reader_of(value: Any) -> LogReader | None:
    from .readers import READERS

    return next((reader for reader in READERS if _is_of(reader, value)), None)


def _is_of(reader: LogReader, value: Any) -> bool:
    try:
        return reader.recognises(value)
    except (TypeError, ValueError, LookupError, AttributeError):
        return False


def read_guarded(reader: LogReader, parts: Sequence[Part]) -> Iterator[Found]:
    """What a reader finds; where it fails, a sentence. A log is made by anybody, so any shape is possible."""
    where = parts[0].where
    try:
        yield from reader.conversations(parts)
    except ValidationError as error:
        yield Unread(where, f"does not fit the format {reader.NAME}: {first_problem(error)}")
    except TauError as error:
        yield Unread(where, str(error).removeprefix(f"{where}: "))
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        yield Unread(where, one_line(f"does not fit the format {reader.NAME} ({type(error).__name__}: {error})"[:200]))
