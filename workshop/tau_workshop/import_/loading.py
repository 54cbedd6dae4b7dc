"""The conversations of a log as the commands take them: read, what cannot be read said, and redacted."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable
from pathlib import Path

from pytest_tau.errors import SettingsError
from pytest_tau.files import write_whole
from pytest_tau.printable import count_of
from pytest_tau.recordings.from_turn import find_conversation
from pytest_tau.recordings.logged import LoggedConversation, Unread
from pytest_tau.recordings.reading import read_log

from .hooks import project_readers
from .personal import NOT_LOOKED_FOR
from .redact import Redactor

# Their people are invented.
_OURS = ("tau1", "tau2", "journal")


def load_log(
    log: str, *, redact: bool | None = None, table: Path | None = None, keep: Iterable[str] = ()
) -> tuple[list[LoggedConversation], int]:
    """The conversations of a log, or of ``log.jsonl#id`` that one, and how many parts could not be read.

    Args:
        log: a file or folder.
        redact: whether to replace what tells of people; None: for logs of other programs.
        table: a file for what was replaced by what.
        keep: values that are not replaced, such as the keys of a domain's own records.

    Raises:
        RecordingError: there is no such log or conversation.
        SettingsError: the project's own reader, or the table, cannot be used.
    """
    hooks = project_readers(Path())
    found: list[LoggedConversation] = []
    unread = 0
    if "#" in log and not Path(log).exists():
        found = [find_conversation(log, hooks)]
    else:
        for one in read_log(log, hooks):
            if isinstance(one, Unread):
                unread += 1
                print(f"not read: {one}", file=sys.stderr)  # noqa: T201
            else:
                found.append(one)
    redactor = Redactor(keep)
    done = [
        redactor.redact(one) if redact or (redact is None and one.meta.get("format") not in _OURS) else one
        for one in found
    ]
    if redactor.table:
        number = sum(len(held) for held in redactor.table.values())
        told = f"{count_of(number, 'values')} replaced, {redactor.removed} more removed; {NOT_LOOKED_FOR}"
        print(told, file=sys.stderr)  # noqa: T201
    if table is not None:
        _write_table(redactor, table)
    return done, unread


def _write_table(redactor: Redactor, file: Path) -> None:
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(["kind", "value", "replacement"])
    rows.writerows([kind, value, made] for kind, held in redactor.table.items() for value, made in held.items())
    try:
        write_whole(file, text.getvalue())
    except OSError as error:
        raise SettingsError(f"{file}: the table of what was replaced cannot be written: {error.strerror}") from None
