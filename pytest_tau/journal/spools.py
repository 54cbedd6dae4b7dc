"""The spool of each process that plays trials: what it begins, and what ended; part of the record if all are killed."""

from __future__ import annotations

import fnmatch
import json
import os
import re
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from .lines import LineFile, is_graded, is_open, is_trial, lines_of, parse_line

P = TypeVar("P", bound=Hashable)
SPOOLS = "spool-*.jsonl"
_ORPHANS = "spool-*.orphan.jsonl"
REST = "spool-rest.orphan.jsonl"
"""Where trials wait for their tests in Python when their run is over."""
BEGUN, DROPPED, _CRASHED = "begun", "dropped", "crashed"
# As our own writers put it, to find these lines without parsing all; in a model's text the quotes are escaped.
_BEGINS = re.compile(rb'\{"version":\d+,"nodeid":"([^"\\]+)"')
_OPEN = re.compile(rb'"graded":\s?false|"outcome":\s?"ungraded"|"votes":\s?0\b')


class Spool(LineFile):
    """Where one process of a run writes its trials: which one begins, and the whole of it when it ends."""

    _names_latest = True

    def __init__(self, run: Path, process: str) -> None:
        super().__init__(run / SPOOLS.replace("*", process))

    def begin(self, nodeid: str, crashed: str = "null") -> None:
        """Note that a trial begins, and its line should this process die of it."""
        self.append(f'{{"{BEGUN}":{json.dumps(nodeid)},"{_CRASHED}":{crashed}}}')

    def drop(self, nodeid: str) -> None:
        """Note that a trial ended without a result: by a bug, or because nobody waited for it any more."""
        self.append(json.dumps({DROPPED: nodeid}))


@dataclass(frozen=True)
class Spooled:
    """What a process left: where its trials stand, by node ID, and those it was at when it ended, with their lines.

    ``played``: conversations that were over and not graded yet.
    """

    file: Path
    finished: Mapping[str, int]
    played: Mapping[str, int]
    unfinished: Mapping[str, dict[str, Any] | None]

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
    begun: dict[str, dict[str, Any] | None] = {}
    place = 0
    for line in lines_of(spool):
        content = parse_line(line)
        if is_trial(content):
            (finished if is_graded(content) else played)[content["nodeid"]] = place
        elif isinstance(content, dict):
            crashed = content.get(_CRASHED)
            begun[str(content.get(BEGUN) or "")] = crashed if is_trial(crashed) else None
            begun.pop(str(content.get(DROPPED) or ""), None)
        place += len(line) + 1
    at = {nodeid: crashed for nodeid, crashed in begun.items() if nodeid and nodeid not in finished}
    return Spooled(spool, finished, played, at)


def read_open(journal: Path) -> Spooled:
    """The conversations of a journal that wait for a grade: for hooks that failed, or for a judge that has not spoken.

    Raises:
        RecordingError: the journal cannot be read.
    """
    waiting: dict[str, int] = {}
    place = 0
    for line in lines_of(journal):
        if _OPEN.search(line) and is_trial(content := parse_line(line)) and is_open(content):
            waiting[content["nodeid"]] = place
        place += len(line) + 1
    return Spooled(journal, {}, waiting, {})


def orphan(run: Path, process: str) -> None:
    """Mark the spool of a process that died, for those who take over its trials."""
    spool = run / SPOOLS.replace("*", process)
    if spool.exists():
        spool.rename(run / _ORPHANS.replace("*", process))


def orphans(run: Path) -> list[Path]:
    """The spools of processes that died in this run, see :func:`in_order`."""
    return in_order(run, _ORPHANS)


def in_order(run: Path, pattern: str) -> list[Path]:
    """Spools of a run, those of processes that took over from others after those."""

    def last_written(spool: Path) -> tuple[int, str]:
        try:
            return spool.stat().st_mtime_ns, spool.name
        except OSError:  # it was taken into the journal, or renamed, this moment
            return 0, spool.name

    names = os.listdir(run) if run.is_dir() else ()  # each trial of a worker looks
    return sorted((run / name for name in fnmatch.filter(names, pattern)), key=last_written)


def trials_of(
    spools: Iterable[Path], known: Container[str | None] = ()
) -> Iterator[tuple[tuple[Path, int], bytes, dict[str, Any]]]:
    """The trials in spools, whatever else stands there, with their places and lines; raises RecordingError.

    ``known``: the node IDs of trials to leave out; of most of them the line need not be read.
    """
    for spool in spools:
        for number, line in enumerate(lines_of(spool)):
            if (begin := _BEGINS.match(line)) is not None and begin[1].decode(errors="replace") in known:
                continue
            if is_trial(content := parse_line(line)) and content["nodeid"] not in known:
                yield (spool, number), line, content


def ended_last(trials: Iterable[tuple[P, dict[str, Any]]]) -> set[P]:
    """The places in spools that count: where each trial ended last, and with its grade, if it has one."""
    last: dict[str, P] = {}
    graded: set[str] = set()
    for place, content in trials:
        if is_graded(content):
            graded.add(content["nodeid"])
        if is_graded(content) or content["nodeid"] not in graded:
            last[content["nodeid"]] = place
    return set(last.values())


def has_spools(run: Path) -> bool:
    """Whether something may not be in the journal yet."""
    return any(run.glob(SPOOLS))


def is_of_task_file(nodeid: str) -> bool:
    """Whether a test is that of a task file, which says of a trial what its grade says; one in Python may say more."""
    return ".json::" in nodeid


def waits_for_test(content: dict[str, Any]) -> bool:
    """Whether a spool has only the grade of a trial: what its test in Python would say about it, nobody knows."""
    return is_graded(content) and not is_of_task_file(content["nodeid"]) and content.get("outcome") != "infra_error"
