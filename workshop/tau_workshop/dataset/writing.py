"""Writes a data set: a folder a format, a file a split, the tasks beside them, and a card.

data/README.md                 the card: what is in it, how it was made, what was checked
data/tasks/train.json …        the tasks as they were told, to be played: pytest data/tasks/train.json
data/chat/train.jsonl …        one folder for each format, see formats.py
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from typing import Any

from pytest_tau.errors import SettingsError
from pytest_tau.files import replacing, write_whole
from pytest_tau.llm.protocol import ModelClient
from pytest_tau.reports.chat_rows import Row
from pytest_tau.reports.telling import Teller
from pytest_tau.schema.task import Task

from ..scaffold import refuse_taken
from .card import Summary, card, is_card
from .formats import FORMATS, DatasetRows
from .making import SHARES, conversations, leaks, prepare
from .rewording import reword_all
from .splits import contamination

_CARD = "README.md"
_SUFFIXES = _LINES, _PARQUET = ".jsonl", ".parquet"


def write_dataset(
    domain: str | Path,
    folder: Path,
    *,
    n: int,
    seed: int,
    formats: Sequence[str] = tuple(FORMATS),
    parquet: bool = False,
    others: dict[str, Sequence[Task]] | None = None,
    writer: ModelClient | None = None,
    command: str = "",
) -> Summary:
    """Make a data set of ``n`` conversations and write it.

    Args:
        domain: a domain to compose tasks of.
        folder: where to write; made if need be.
        n: conversations, in all splits together.
        seed: of everything that is drawn.
        formats: of :data:`~.formats.FORMATS`.
        parquet: write Parquet files, by way of pyarrow, in place of JSON lines.
        others: tasks to be compared with, by what they are called, for the report on contamination.
        writer: a model that says the agent's lines in other words.
        command: for the card.

    Raises:
        SettingsError: it cannot be written, files of another origin are in its place, or pyarrow is missing.
        TauError: no such tasks can be composed.
    """
    formats = tuple(dict.fromkeys(formats))
    if unknown := [name for name in formats if name not in FORMATS]:
        raise SettingsError(f"there is no format '{unknown[0]}'; there are {', '.join(FORMATS)}")
    if parquet:
        _arrow()  # before anything is played
    suffix = _PARQUET if parquet else _LINES
    if not (again := is_card(folder / _CARD)):
        rows_of = [f"{name}/{split}{suffix}" for name in formats for split in SHARES]
        refuse_taken([_CARD, *(f"tasks/{split}.json" for split in SHARES), *rows_of], folder)
    made, summary = prepare(domain, n, seed), Summary()
    told: dict[str, dict[str, Task]] = {split: {} for split in SHARES}
    teller = Teller({made.domain.name: made.domain}, {})
    rows = DatasetRows(teller)
    try:
        with ExitStack() as stack:
            files: dict[tuple[str, str], _Lines | _Parquet] = {}
            played = conversations(made, n, seed)
            for one in played if writer is None else reword_all(played, made.domain, writer, made.left_out):
                summary.reworded += one.reworded
                told[one.split].setdefault(one.task.id, one.task)
                summary.outcomes[one.split, "passed" if one.passed else "missed"] += 1
                summary.faults[one.fault.kind.label if one.fault else "none"] += 1
                summary.variants[one.perturbation] += 1
                for name, row in rows.of(one, formats):
                    if (key := (name, one.split)) not in files:
                        files[key] = (_Parquet if parquet else _Lines)(folder / name / one.split, stack)
                    files[key].write(row)
                    summary.rows[key] += 1
        if again:
            # What an earlier data set had and this one has not would be read as a part of it.
            places = {folder / name / f"{split}{end}" for name in FORMATS for split in SHARES for end in _SUFFIXES}
            for path in places - {folder / name / f"{split}{suffix}" for name, split in files}:
                path.unlink(missing_ok=True)
        summary.left_out = made.left_out
        summary.tasks = {split: len(tasks) for split, tasks in made.tasks.items()}
        summary.leaks = leaks(made, {split: list(tasks.values()) for split, tasks in told.items()})
        for what, theirs in (others or {}).items():
            summary.contamination[what] = {
                split: contamination(list(tasks.values()), theirs) for split, tasks in told.items()
            }
        for split, tasks in told.items():
            _write_json(folder / "tasks" / f"{split}.json", list(tasks.values()))
        with replacing(folder / _CARD) as file:
            file.write(card(made.domain.name, summary, n=n, seed=seed, command=command, parquet=parquet, writer=writer))
    except OSError as error:
        raise SettingsError(f"{folder}: cannot be written: {error.strerror}") from None
    return summary


def _write_json(path: Path, tasks: Sequence[Task]) -> None:
    data = [task.model_dump(mode="json", exclude_unset=True) for task in tasks]
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(json.dumps(data, indent=1, ensure_ascii=False) + "\n")


class _Lines:
    """A file of JSON lines."""

    def __init__(self, stem: Path, stack: ExitStack) -> None:
        stem.parent.mkdir(parents=True, exist_ok=True)
        self._file = stack.enter_context(replacing(stem.with_suffix(_LINES)))

    def write(self, row: Row) -> None:
        """Add a row."""
        self._file.write(json.dumps(row, ensure_ascii=False) + "\n")


class _Parquet:
    """A Parquet file, written in groups of rows."""

    def __init__(self, stem: Path, stack: ExitStack) -> None:
        stem.parent.mkdir(parents=True, exist_ok=True)
        self._path = stem.with_suffix(_PARQUET)
        self._rows: list[Row] = []
        stack.push(self._flush)

    def write(self, row: Row) -> None:
        """Add a row."""
        self._rows.append(row)

    def _flush(self, failed: type[BaseException] | None, *_: object) -> None:
        if failed is None:  # else an earlier file stays
            arrow, parquet = _arrow()
            written = BytesIO()
            parquet.write_table(arrow.Table.from_pylist(self._rows), written)
            write_whole(self._path, written.getvalue())
        self._rows = []


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise SettingsError("Parquet files are written by pyarrow: pip install 'pytest-tau[dataset]'") from None
    return pyarrow, parquet
