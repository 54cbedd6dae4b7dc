"""The record of a run: one JSON line for each trial, appended as it finishes, and read back later.

A run has a folder of its own under the results folder (``.tau`` by default), which ignores itself in git and has a
``latest`` link. In it are the journal, written by the process that prints the report, and while the run lasts a spool
of each process that plays trials, written as a conversation ends: what is only there when all are killed is part of the
record.

Every line begins on a line of its own, whatever became of the one before it, and one that could not be written goes
first the next time: a disk that was full for a moment loses nothing. A line that was cut short is skipped on reading;
where others follow it, whoever reads is told which one it was.
"""

from __future__ import annotations

import errno
import json
import os
import re
import warnings
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, Any, TypeVar

from .errors import RecordingError, reason
from .files import fresh_name, loads, write_whole
from .locking import Lock
from .printable import one_line

if TYPE_CHECKING:
    from pydantic import BaseModel

    from .schema.record import TrialRecord

FILE_NAME = "journal.jsonl"
LATEST = "latest"
_SPOOLS = "spool-*.jsonl"
_ORPHANS = "spool-*.orphan.jsonl"
_REST = "spool-rest.orphan.jsonl"
_BEGUN, _DROPPED = "begun", "dropped"
_BLOCK = 1 << 16
_LONGEST_NAME = 255
# As our own writers put it, to find these lines without parsing all; in a model's text the quotes are escaped.
_OPEN = re.compile(rb'"graded":\s?false|"outcome":\s?"ungraded"')


class BrokenLine(UserWarning):
    """A line in the middle of a journal is not JSON; the others were read."""


Broken = Callable[[str], None]


def _warn(sentence: str) -> None:
    warnings.warn(sentence, BrokenLine, stacklevel=2)


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
            _make_run_folder(self.path.parent, latest=self._names_latest)
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
        self._unwritten.append((line.encode() if isinstance(line, str) else line) + b"\n")
        self.flush()

    def flush(self) -> None:
        """Write what could not be written before; raises OSError."""
        self.open()
        while self._file is not None and self._unwritten:
            self._write(self._file, self._unwritten[0])
            del self._unwritten[0]

    def _write(self, file: IO[bytes], line: bytes) -> None:
        if os.fstat(file.fileno()).st_nlink == 0:  # what is written to a file without a name is lost
            raise OSError(errno.ENOENT, "the file was removed while the run wrote to it")
        # After a part of a line: an empty one is skipped on reading, two in one would both be lost.
        whole = b"\n" + line if self._ragged else line
        self._ragged = True
        if file.write(whole) != len(whole):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._ragged = False

    def rescue(self) -> str:
        """Write what waits for room into the system's folder for temporary files; a sentence about that."""
        number = len(self._unwritten)
        try:
            with NamedTemporaryFile("wb", prefix="pytest-tau-", suffix=".jsonl", delete=False) as file:
                file.writelines(self._unwritten)
        except OSError as error:
            return f"{number} of its lines are lost: {reason(error)}."
        self._unwritten.clear()
        return f"{number} of its lines are in {file.name}."

    def close(self) -> None:
        """Close the file; nothing can be lost by not calling this."""
        if self._file is not None:
            self._file.close()


class JournalWriter(LineFile):
    """Appends to the journal of one run.

    Args:
        run: the run's folder, see :func:`new_run`; that of an earlier run to go on with it.

    Opening it raises RecordingError where another process writes to the same run; then ``latest`` names it.
    """

    _names_latest = True

    def __init__(self, run: Path) -> None:
        super().__init__(run / FILE_NAME)
        self._lock = Lock(self.path)

    def _claim(self) -> None:
        # Held as long as the file is open, and let go of by whoever is killed.
        if (holder := self._lock.take()) is not None:
            advice = f"wait for its end, or begin another run{holder}"
            raise RecordingError(f"{self.path.parent}: another pytest is writing to this run; {advice}")

    def close(self) -> None:
        """Close the file, and let others write to the run."""
        super().close()
        self._lock.release()

    def take_spools(self, known: Container[str | None]) -> None:
        """Append what stands in spools only, and remove them.

        What a Python test would say about its trial nobody knows: such a trial stays in a spool, from which its test
        takes it when the run is resumed.

        Args:
            known: what the journal has: node IDs of trials that were reported in this run, ids of simulations.

        Raises:
            OSError: a file cannot be written.
            RecordingError: a spool cannot be read.
        """
        spools = sorted(self.path.parent.glob(_SPOOLS))
        rest = LineFile(fresh_name(self.path))
        for spool in spools:
            graded = set(read_spool(spool).finished)
            for line in _lines(spool):
                content = _parsed(line)
                if not _is_trial(content) or content["nodeid"] in known or simulation_id(content) in known:
                    continue
                if not is_graded(content):
                    if content["nodeid"] not in graded:
                        self.append(line)  # to be graded when the run is resumed, and not to be played again
                    continue
                decided = is_of_task_file(content["nodeid"]) or content.get("outcome") == "infra_error"
                (self if decided else rest).append(line)
        for spool in spools:
            spool.unlink()
        rest.close()
        if rest.is_open:
            os.replace(rest.path, self.path.parent / _REST)


def new_run(results: Path) -> Path:
    """A name for the folder of a run that begins now; later runs have later names."""
    return results / datetime.now().strftime("%Y%m%d-%H%M%S-%f")


def orphan(run: Path, process: str) -> None:
    """Mark the spool of a process that died, for those who take over its trials."""
    spool = run / _SPOOLS.replace("*", process)
    if spool.exists():
        spool.rename(run / _ORPHANS.replace("*", process))


def orphans(run: Path) -> list[Path]:
    """The spools of processes that died in this run."""
    return sorted(run.glob(_ORPHANS))


def has_spools(run: Path) -> bool:
    """Whether something may not be in the journal yet."""
    return any(run.glob(_SPOOLS))


def last_run(results: Path) -> Path | None:
    """The folder of the newest run, None when there was none."""
    latest = results / LATEST
    try:
        if latest.is_file():
            with latest.open("rb") as file:
                name = file.read(_LONGEST_NAME).decode().strip()
            latest = results / Path(name).name  # a name in a file is never a path
        return latest.resolve() if latest.is_dir() else None
    except (OSError, ValueError, RuntimeError):  # unreadable, no text, or a loop of links
        return None


class Spool(LineFile):
    """Where one process of a run writes its trials: which one begins, and the whole of it when it ends."""

    _names_latest = True

    def __init__(self, run: Path, process: str) -> None:
        super().__init__(run / _SPOOLS.replace("*", process))

    def begin(self, nodeid: str) -> None:
        """Note that a trial begins."""
        self.append(json.dumps({_BEGUN: nodeid}))

    def drop(self, nodeid: str) -> None:
        """Note that a trial ended without a result: by a bug, or because nobody waited for it any more."""
        self.append(json.dumps({_DROPPED: nodeid}))


@dataclass(frozen=True)
class Spooled:
    """What a process left: where its trials stand, by node ID, and those it was at when it ended.

    ``played``: conversations that were over and not graded yet.
    """

    file: Path
    finished: Mapping[str, int]
    played: Mapping[str, int]
    unfinished: frozenset[str]

    def line(self, nodeid: str) -> str | None:
        """The line of a finished trial, None when there is none; raises OSError."""
        return self._line(self.finished.get(nodeid))

    def conversation(self, nodeid: str) -> str | None:
        """The line of a trial that is finished, or only to be graded yet; None when there is none. Raises OSError."""
        return self._line(self.finished.get(nodeid, self.played.get(nodeid)))

    def _line(self, place: int | None) -> str | None:
        if place is None:
            return None
        with self.file.open("rb") as spool:
            spool.seek(place)
            return spool.readline().decode()


def read_spool(spool: Path) -> Spooled:
    """What stands in a spool; raises RecordingError."""
    finished: dict[str, int] = {}
    played: dict[str, int] = {}
    begun, place = set(), 0
    for line in _lines(spool):
        content = _parsed(line)
        if _is_trial(content):
            (finished if is_graded(content) else played)[content["nodeid"]] = place
        elif isinstance(content, dict):
            begun.add(str(content.get(_BEGUN) or ""))
            begun.discard(str(content.get(_DROPPED) or ""))
        place += len(line) + 1
    at = frozenset(nodeid for nodeid in begun if nodeid and nodeid not in finished)
    return Spooled(spool, finished, played, at)


def read_open(journal: Path) -> Spooled:
    """The conversations of a journal that wait for a grade: for hooks that failed, or for a judge.

    Raises:
        RecordingError: the journal cannot be read.
    """
    waiting: dict[str, int] = {}
    place = 0
    for line in _lines(journal):
        if _OPEN.search(line) and _is_trial(content := _parsed(line)):
            waiting[content["nodeid"]] = place
        place += len(line) + 1
    return Spooled(journal, {}, waiting, frozenset())


def is_of_task_file(nodeid: str) -> bool:
    """Whether a test is that of a task file, which says of a trial what its grade says; one in Python may say more."""
    return ".json::" in nodeid


def read_trials(path: Path, broken: Broken = _warn) -> Iterator[dict[str, Any]]:
    """Each trial of a run as plain data, in the order of writing; one that was played again more than once.

    Args:
        path: a run's folder, or a journal file.
        broken: is told, in a sentence, of each line that is skipped because it is not JSON: of a last line, which a
            crash may have cut short, it is not. By default that is a :class:`BrokenLine` warning.

    Raises:
        RecordingError: there is no journal, or a line of it is not one of ours.
    """
    for _, _, content in _numbered(path, broken):
        yield content


def read_lines(path: Path, broken: Broken = _warn) -> Iterator[tuple[str, dict[str, Any]]]:
    """As :func:`read_trials`, each trial with its line."""
    for _, line, content in _numbered(path, broken):
        yield line.decode(), content


def is_graded(content: dict[str, Any]) -> bool:
    """Whether all is said of a trial that can be said now; False for one whose conversation has just ended."""
    return content.get("graded") is not False


def simulation_id(content: dict[str, Any]) -> str | None:
    """The id of a trial's simulation, None when it has none."""
    simulation = content.get("simulation")
    id = simulation.get("id") if isinstance(simulation, dict) else None
    return id if isinstance(id, str) else None


def load_journal(path: str | Path = ".tau", broken: Broken = _warn) -> list[TrialRecord]:
    """The trials of a run, each as it ended last.

    Args:
        path: a results folder (its latest run), a run's folder, or a journal file.
        broken: as in :func:`read_trials`.

    Raises:
        RecordingError: there is no journal, or a line of it is not one of ours.
    """
    from .schema.record import TrialRecord

    path = Path(path)
    found = last_run(path) or path
    records: dict[str, TrialRecord] = {}
    for where, _, content in _numbered(found, broken):
        record = validated(TrialRecord, content, where)
        records[record.nodeid] = record
    return list(records.values())


M = TypeVar("M", bound="BaseModel")


def validated(model: type[M], content: Any, where: str) -> M:
    """Data as what it is to be; raises RecordingError with the place."""
    from pydantic import ValidationError

    try:
        return model.model_validate(content)
    except ValidationError as error:
        from .environment.database import first_problem

        raise RecordingError(f"{where}: {first_problem(error)}") from None
    except RecursionError:
        raise RecordingError(f"{where}: nested too deeply") from None


def journal_file(path: Path) -> Path:
    """The journal of a results folder (its latest run), a run's folder or a journal file; raises RecordingError."""
    found = last_run(path) or path
    file = found / FILE_NAME if found.is_dir() else found
    if not file.is_file():
        raise RecordingError(f"{path}: there is no journal; give a results folder, a run's folder or a {FILE_NAME}")
    return file


def _numbered(path: Path, broken: Broken) -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    """Where each trial stands, its line, and the trial; of spools only what the journal lacks."""
    known: set[str | tuple[str | None, str] | None] = set()
    for file in _files(path):
        is_journal = path.is_file() or file.name == FILE_NAME
        for where, line, content in _contents(file, broken):
            id, graded = simulation_id(content), is_graded(content)
            if is_journal:
                known |= {id} if graded else {(id, "played")}
            if is_journal or (id not in known and (graded or (id, "played") not in known)):
                yield where, line, content


def _files(path: Path) -> list[Path]:
    """The journal, and where a whole run is asked for its spools."""
    if path.is_file():
        return [path]
    journal = path / FILE_NAME
    files = [journal] if journal.is_file() else []
    files += sorted(path.glob(_SPOOLS))
    if not files:
        raise RecordingError(f"{path}: there is no journal; give a results folder, a run's folder or a {FILE_NAME}")
    return files


def _contents(file: Path, broken: Broken) -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    from .schema.record import VERSION, TrialOutline

    skipped: str | None = None
    for number, line in enumerate(_lines(file), start=1):
        if not line:
            continue
        if skipped is not None:
            broken(skipped)  # others follow, so no crash has just cut it short
            skipped = None
        where, content = f"{file}:{number}", _parsed(line)
        if content is None:
            skipped = f"{where}: this line is not valid JSON and was left out; the others were read"
            continue
        if isinstance(content, dict) and content.keys() & {_BEGUN, _DROPPED}:
            continue
        version = content.get("version") if isinstance(content, dict) else None
        if version != VERSION:
            raise RecordingError(f"{where}: written in version {one_line(str(version)[:40])}, and this reads {VERSION}")
        if "nodeid" not in content:
            raise RecordingError(f"{where}: no trial of ours: it has no nodeid")
        validated(TrialOutline, content, where)
        yield where, line, content


def _lines(file: Path) -> Iterator[bytes]:
    # Bytes: a model's text may hold characters that text files take for line ends, and a crash may have cut the last
    # line in the middle of a character.
    try:
        with file.open("rb") as lines:
            for line in lines:
                yield line.removesuffix(b"\n")
    except OSError as error:
        raise RecordingError(f"{file}: the journal cannot be read: {reason(error)}") from None


def _parsed(line: bytes) -> Any:
    """What stands on a line, None for a line that was cut short."""
    try:
        return loads(line.decode())
    except (ValueError, RecursionError):
        return None


def _is_trial(content: Any) -> bool:
    return isinstance(content, dict) and isinstance(content.get("nodeid"), str)


def _make_run_folder(run: Path, *, latest: bool) -> None:
    run.mkdir(parents=True, exist_ok=True)
    ignore = run.parent / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    if latest and last_run(run.parent) != run.resolve():
        _point(run.parent / LATEST, run.name)


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
        if rest and _parsed(rest) is None:
            file.truncate(size - len(rest))
        elif rest:
            file.seek(0, os.SEEK_END)
            file.write(b"\n")


def _point(link: Path, target: str) -> None:
    """Make ``latest`` name the newest run: a symlink, or a file with the name where links cannot be made."""
    fresh = fresh_name(link)
    try:
        fresh.symlink_to(target, target_is_directory=True)
    except OSError:
        write_whole(link, target)
    else:
        os.replace(fresh, link)
