"""Files of one JSON line after the other: appended to so that a full disk loses nothing, and read line by line.

Every line begins on a line of its own, whatever became of the one before it, and one that could not be written goes
first the next time. A line that was cut short is skipped on reading.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from ..errors import RecordingError, reason
from ..files import append_whole, loads
from .folders import make_run_folder

_BLOCK = 1 << 16


class LineFile:
    """A file of a run that lines are appended to; it and its folders are made at the first line, or at :meth:`open`."""

    _names_latest = False  # whether ``latest`` names the run from when the file is open

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[bytes] | None = None
        self._unwritten: list[bytes] = []
        self._ragged = False

    @property
    def is_open(self) -> bool:
        """Whether there is a file by now."""
        return self._file is not None

    @property
    def unwritten(self) -> int:
        """How many lines wait for room on the disk."""
        return len(self._unwritten)

    def open(self) -> None:
        """Make the file; raises OSError when that is not possible."""
        if self._file is None:
            make_run_folder(self.path.parent, latest=self._names_latest)
            self._claim()
            # Unbuffered: a line is one write, handed to the operating system at once.
            file = self.path.open("ab", buffering=0)
            _mend_end(self.path)
            self._file = file

    def _claim(self) -> None:
        """Make sure that nobody else writes to the file."""

    def append(self, line: str | bytes) -> None:
        """Write a line.

        Raises:
            OSError: it could not be written, or only a part of it. It is kept, and written before the next one.
        """
        self.queue(line)
        self.flush()

    def queue(self, line: str | bytes) -> None:
        """Take a line that is written before the next one, or by :meth:`flush`."""
        self._unwritten.append((line.encode() if isinstance(line, str) else line) + b"\n")

    def flush(self) -> None:
        """Write what could not be written before; raises OSError."""
        self.open()
        while self._file is not None and self._unwritten:
            self._write(self._file, self._unwritten[0])
            del self._unwritten[0]

    def _write(self, file: IO[bytes], line: bytes) -> None:
        if os.fstat(file.fileno()).st_nlink == 0:  # what is written to a file without a name is lost
            raise OSError(errno.ENOENT, "the file was removed while the run wrote to it")
        # After what may be a part of a line: an empty one is skipped on reading, two in one would both be lost.
        whole = b"\n" + line if self._ragged else line
        self._ragged = True
        append_whole(file, whole)
        self._ragged = False

    def close(self) -> None:
        """Close the file; nothing can be lost by not calling this."""
        if self._file is not None:
            self._file.close()


def _mend_end(journal: Path) -> None:
    """Give a last line that lacks its end that end, or remove it when it was cut short."""
    with journal.open("r+b") as file:
        begin = size = file.seek(0, os.SEEK_END)
        end = b""
        while begin and b"\n" not in end:
            length = min(begin, _BLOCK)
            begin = file.seek(begin - length)
            end = file.read(length) + end
        rest = end.rpartition(b"\n")[2]
        if rest and parse_line(rest) is None:
            file.truncate(size - len(rest))
        elif rest:
            file.seek(0, os.SEEK_END)
            file.write(b"\n")


def lines_of(file: Path) -> Iterator[bytes]:
    """The lines of a file without their ends; raises RecordingError where it cannot be read."""
    # Bytes: a model's text may hold characters that text files take for line ends, and a crash may have cut the last
    # line in the middle of a character.
    try:
        with file.open("rb") as lines:
            for line in lines:
                yield line.removesuffix(b"\n")
    except OSError as error:
        raise RecordingError(f"{file}: the journal cannot be read: {reason(error)}") from None


def parse_line(line: bytes) -> Any:
    """What stands on a line, None for a line that was cut short."""
    try:
        return loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def is_trial(content: Any) -> bool:
    """Whether a line is about a trial."""
    return isinstance(content, dict) and isinstance(content.get("nodeid"), str)


def is_graded(content: dict[str, Any]) -> bool:
    """Whether all is said of a trial that can be said now; False for one whose conversation has just ended."""
    return content.get("graded") is not False


def is_open(content: dict[str, Any]) -> bool:
    """Whether something is still to be said of a trial: its grade, or what a judge was to say and did not.

    That is also so where there is a verdict, and one that was to read the conversation, judge its customer, rate it or
    explain the miss has said nothing, as its provider failed or the budget was used up.
    """
    votes = (
        _at(content, "reward", "review", "judgement", "votes"),
        _at(content, "simulation", "user_judgement", "votes"),
        _at(content, "reward", "satisfaction", "judgement", "votes"),
        _at(content, "fault", "explained_by", "votes"),
    )
    waiting = {"ungraded", *(("passed", "missed") if 0 in votes else ())}
    return not is_graded(content) or content.get("outcome") in waiting


def _at(content: Any, *keys: str) -> Any:
    """What stands under these keys, one within the other; None where nothing does."""
    for key in keys:
        content = content.get(key) if isinstance(content, dict) else None
    return content


def simulation_id(content: dict[str, Any]) -> str | None:
    """The id of a trial's simulation, None when it has none."""
    simulation = content.get("simulation")
    id = simulation.get("id") if isinstance(simulation, dict) else None
    return id if isinstance(id, str) else None
