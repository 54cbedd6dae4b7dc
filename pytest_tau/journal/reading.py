"""Reads the trials of a run, from its journal and from spools that nobody has taken into it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import RecordingError
from .folders import FILE_NAME, last_run
from .lines import is_graded, lines_of, parse_line, simulation_id
from .packing import MISSING, PackedTexts, version_problem
from .spools import BEGUN, DROPPED, SPOOLS, ended_last, in_order, waits_for_test

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ..schema.record import TrialRecord

M = TypeVar("M", bound="BaseModel")


class BrokenLine(UserWarning):
    """A line in the middle of a journal is not JSON; the others were read."""


Broken = Callable[[str], None]
_WAITING = {
    "outcome": "ungraded",
    "graded": False,
    "reward": None,
    "fault": None,
    "note": "its test has not said what it makes of it: --tau-resume asks it, and does not play the trial again",
}


def _warn(sentence: str) -> None:
    warnings.warn(sentence, BrokenLine, stacklevel=2)


def load_journal(path: str | Path = ".tau", broken: Broken = _warn) -> list[TrialRecord]:
    """The trials of a run, each with its last result.

    Args:
        path: a results folder (its latest run), a run's folder, or a journal file.
        broken: called with a sentence for each broken line that is skipped; by default it warns (BrokenLine).

    Raises:
        RecordingError: there is no journal, or a line is JSON but not a trial.
    """
    from ..schema.record import TrialRecord

    path = Path(path)
    found = last_run(path) or path
    records: dict[str, TrialRecord] = {}
    for where, content, waits in _located_trials(found, broken):
        record = validate(TrialRecord, _as_known(content, waits), where)
        records[record.nodeid] = record
    return list(records.values())


def load_whole(path: Path) -> list[TrialRecord]:
    """As :func:`load_journal`, without the conversations of which a text is missing; a warning names each of those."""
    told: list[str] = []
    records = load_journal(path, told.append)
    lacking = any(MISSING in sentence for sentence in told)
    gone = {one.nodeid for one in records if lacking and one.simulation and MISSING in one.simulation.model_dump_json()}
    for sentence in (*told, *(f"{path}: {nodeid} is left out, as a text of it is missing" for nodeid in sorted(gone))):
        _warn(sentence)
    return [one for one in records if one.nodeid not in gone]


def read_trials(path: Path, broken: Broken = _warn) -> Iterator[dict[str, Any]]:
    """Each trial of a run as plain data, in the order of writing; one that was played again more than once.

    Args:
        path: a run's folder, or a journal file.
        broken: is told, in a sentence, of each line that is skipped because it is not JSON: of a last line, which a
            crash may have cut short, it is not. By default that is a :class:`BrokenLine` warning.

    Raises:
        RecordingError: there is no journal, or a line of it is not one of ours.
    """
    for content, waits in read_as_kept(path, broken):
        yield _as_known(content, waits)


def read_as_kept(path: Path, broken: Broken = _warn) -> Iterator[tuple[dict[str, Any], bool]]:
    """As :func:`read_trials`, each with its grade, and whether its test has still to say what it makes of it."""
    for _, content, waits in _located_trials(path, broken):
        yield content, waits


def _as_known(content: dict[str, Any], waits: bool) -> dict[str, Any]:
    return {**content, **_WAITING} if waits else content


def validate(model: type[M], content: Any, where: str) -> M:
    """Data as what it is to be; raises RecordingError with the place."""
    from pydantic import ValidationError

    try:
        return model.model_validate(content)
    except ValidationError as error:
        from ..schema.problems import first_problem

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


def _located_trials(path: Path, broken: Broken) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Where each trial stands, the trial, and whether it waits; of spools only what the journal lacks, each trial once.

    A conversation is kept before it is graded: once its grade was told, it is not told again. What only a spool has of
    a test in Python waits for that test, and is not graded until then.
    """
    journal, spools = _files(path)
    graded: set[str] = set()
    played: set[str] = set()
    for where, content in () if journal is None else _contents(journal, broken):
        id = _identity(content)
        if is_graded(content) or id not in graded:
            (graded if is_graded(content) else played).add(id)
            yield where, content, False
    last = ended_last((where, content) for spool in spools for where, content in _contents(spool, broken))
    for spool in spools:
        for where, content in _contents(spool, lambda sentence: None):
            id = _identity(content)
            if where in last and id not in graded and (is_graded(content) or id not in played):
                yield where, content, waits_for_test(content)


def _identity(content: dict[str, Any]) -> str:
    """What a trial's lines have in common: its conversation, or where it has none its test."""
    nodeid: str = content["nodeid"]
    return simulation_id(content) or nodeid


def _files(path: Path) -> tuple[Path | None, list[Path]]:
    """The journal, and where a whole run is asked for its spools."""
    if path.is_file():
        return path, []
    journal, spools = path / FILE_NAME, in_order(path, SPOOLS)
    if not journal.is_file() and not spools:
        raise RecordingError(f"{path}: there is no journal; give a results folder, a run's folder or a {FILE_NAME}")
    return journal if journal.is_file() else None, spools


def _contents(file: Path, broken: Broken) -> Iterator[tuple[str, dict[str, Any]]]:
    from ..schema.record import TrialOutline

    texts = PackedTexts(hold=True)
    skipped: str | None = None
    for number, line in enumerate(lines_of(file), start=1):
        if not line or line.isspace():
            continue
        if skipped is not None:
            broken(skipped)  # others follow, so no crash has just cut it short
            skipped = None
        where, content = f"{file}:{number}", parse_line(line)
        if content is None:
            skipped = f"{where}: this line is not valid JSON and was left out; the others were read"
            continue
        if isinstance(content, dict) and content.keys() & {BEGUN, DROPPED}:
            continue
        if not isinstance(content, dict) or "version" not in content:
            raise RecordingError(f"{where}: not a line of a journal, as it has no version; give a {FILE_NAME}")
        if (problem := version_problem(content)) is not None:
            raise RecordingError(f"{where}: {problem}")
        if "nodeid" not in content:
            raise RecordingError(f"{where}: not a trial: it has no nodeid")
        if not texts.expand(content):
            broken(f"{where}: a line further up is broken, and this one lacks a text of it: it reads {MISSING}")
        validate(TrialOutline, content, where)
        yield where, content
