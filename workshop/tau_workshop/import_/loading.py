"""The conversations of a log as the commands take them: read, what cannot be read said, and redacted."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from pytest_tau.errors import SettingsError
from pytest_tau.files import write_whole
from pytest_tau.printable import count_of, one_line
from pytest_tau.recordings.from_turn import conversations_until
from pytest_tau.recordings.logged import LoggedConversation, Unread
from pytest_tau.recordings.reading import read_log

from .hooks import project_hooks
from .personal import NOT_LOOKED_FOR, READ_IT
from .presidio import installed_presidio
from .redact import Redactor
from .stand_ins import read_key

# Their people are invented.
_OURS = ("tau1", "tau2", "journal")


@dataclass(frozen=True)
class Redaction:
    """How to replace what tells of people.

    Attributes:
        wanted: whether to; None: for logs of other programs.
        key: a file with the key that replacements follow from; None counts them.
        table: a file for what was replaced by what.
        keep: values that are not replaced, such as the keys of a domain's own records.
        shared: the folder that is written, in which no key may lie.
    """

    wanted: bool | None = None
    key: Path | None = None
    table: Path | None = None
    keep: Collection[str] = ()
    shared: Path | None = None


def load_log(log: str, redaction: Redaction = Redaction()) -> tuple[list[LoggedConversation], int]:
    """The conversations of a log, or of ``log.jsonl#id`` that one, and how many parts could not be read.

    Args:
        log: a file or folder.
        redaction: how to replace what tells of people.

    Raises:
        RecordingError: there is no such log or conversation.
        SettingsError: the project's own reader, the key, or the table, cannot be used.
    """
    hooks = project_hooks(Path())
    found: list[LoggedConversation] = []
    unread: dict[str, list[str]] = {}
    is_one = "#" in log and not Path(log).exists()
    if is_one:
        # Without a key stand-ins are counted, so what one conversation becomes depends on those before it in the log.
        found = conversations_until(log, hooks.readers)[-1 if redaction.key else 0 :]
    else:
        for one in read_log(log, hooks.readers):
            if isinstance(one, Unread):
                unread.setdefault(one.why, []).append(one.where)
            else:
                found.append(one)
    for why, places in unread.items():
        more = f" and {count_of(len(places) - 1, 'more parts')}" if len(places) > 1 else ""
        print(one_line(f"not read: {places[0]}{more}: {why}"), file=sys.stderr)  # noqa: T201
    wanted = redaction.wanted
    foreign = [wanted or (wanted is None and one.meta.get("format") not in _OURS) for one in found]
    key = read_key(redaction.key, apart_from=redaction.shared) if redaction.key and any(foreign) else None
    # The project's own finder knows best; a library costs nothing where there is nothing to redact.
    library = installed_presidio() if any(foreign) and hooks.find is None else None
    redactor = Redactor(redaction.keep, key, hooks.find or (library.find if library else None))
    done = [redactor.redact(one) if is_foreign else one for one, is_foreign in zip(found, foreign, strict=True)]
    if redactor.table:
        number = sum(len(held) for held in redactor.table.values())
        left = library.told if library else "also by the project's own finder" if hooks.find else NOT_LOOKED_FOR
        until = " in the log up to there" if len(done) > 1 and is_one else ""
        told = f"{count_of(number, 'values')} replaced{until}, {redactor.removed} more removed; {left}; {READ_IT}"
        print(told, file=sys.stderr)  # noqa: T201
    if redaction.table is not None:
        _write_table(redactor, redaction.table)
    return done[-1:] if is_one else done, sum(map(len, unread.values()))


def _write_table(redactor: Redactor, file: Path) -> None:
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(["kind", "value", "replacement"])
    rows.writerows([kind, value, made] for kind, held in redactor.table.items() for value, made in held.items())
    try:
        write_whole(file, text.getvalue())
    except OSError as error:
        raise SettingsError(f"{file}: the table of what was replaced cannot be written: {error.strerror}") from None
