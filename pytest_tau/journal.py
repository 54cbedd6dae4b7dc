"""The record of a run: one JSON line for each trial, appended as it finishes, and read back later.

A run has a folder of its own under the results folder (``.tau`` by default), which ignores itself in git and has a
``latest`` link. A line that a crash cut short is skipped on reading.
"""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from .errors import RecordingError

if TYPE_CHECKING:
    from .schema.record import TrialRecord

FILE_NAME = "journal.jsonl"
LATEST = "latest"


class JournalWriter:
    """Appends the lines of one run; opens its files at the first line, or at :meth:`open`."""

    def __init__(self, results: Path) -> None:
        self._results = results
        self._file: IO[str] | None = None
        self.path: Path | None = None

    def open(self) -> None:
        """Make the run's folder; raises OSError when that is not possible."""
        if self._file is not None:
            return
        self._results.mkdir(parents=True, exist_ok=True)
        ignore = self._results / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        folder = _new_folder(self._results)
        self.path = folder / FILE_NAME
        self._file = self.path.open("a", encoding="utf-8")
        _point(self._results / LATEST, folder.name)

    def append(self, line: str) -> None:
        """Write one trial, a JSON object on one line, and hand it to the operating system at once."""
        self.open()
        if self._file is not None:
            self._file.write(line + "\n")
            self._file.flush()

    def close(self) -> None:
        """Close the file; nothing can be lost by not calling this."""
        if self._file is not None:
            self._file.close()


def _new_folder(results: Path) -> Path:
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    for attempt in range(1000):
        folder = results / (f"{stamp}-{attempt}" if attempt else stamp)
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise FileExistsError(f"{results}: a thousand runs began in the same second")


def _point(link: Path, target: str) -> None:
    """Make ``latest`` name the newest run: a symlink, or a file with the name where links cannot be made."""
    fresh = link.with_name(f".{LATEST}.{os.getpid()}")
    try:
        fresh.symlink_to(target, target_is_directory=True)
    except OSError:
        fresh.write_text(target, encoding="utf-8")
    os.replace(fresh, link)


def load_journal(path: str | Path = ".tau") -> list[TrialRecord]:
    """The trials of a run.

    Args:
        path: a results folder (its latest run), a run's folder, or a journal file.

    Raises:
        RecordingError: there is no journal, or a line of it is not one of ours. A last line that a crash cut short is
            left out.
    """
    from pydantic import ValidationError

    from .schema.record import VERSION, TrialRecord

    file = _journal_file(Path(path))
    try:
        # Bytes: a model's text may hold characters that str.splitlines() takes for line ends, and a crash may have cut
        # the last line in the middle of a character.
        lines = file.read_bytes().removesuffix(b"\n").split(b"\n")
    except OSError as error:
        raise RecordingError(f"{file}: the journal cannot be read: {error}") from None
    if lines == [b""]:
        return []
    records = []
    for number, line in enumerate(lines, start=1):
        try:
            content = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            if number == len(lines):
                break
            raise RecordingError(f"{file}:{number}: not valid JSON; only a last line may be cut short") from None
        version = content.get("version") if isinstance(content, dict) else None
        if version != VERSION:
            raise RecordingError(f"{file}:{number}: written in version {version}, and this reads {VERSION}")
        try:
            records.append(TrialRecord.model_validate(content))
        except ValidationError as error:
            raise RecordingError(f"{file}:{number}: {error.errors()[0]['loc']}: {error.errors()[0]['msg']}") from None
    return records


def _journal_file(path: Path) -> Path:
    latest = path / LATEST
    if latest.is_file():
        path = path / latest.read_text(encoding="utf-8").strip()
    elif latest.is_dir():
        path = latest
    file = path / FILE_NAME if path.is_dir() else path
    if not file.is_file():
        raise RecordingError(f"{path}: there is no journal; give a results folder, a run's folder or a {FILE_NAME}")
    return file
