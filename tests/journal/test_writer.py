"""The journal of a run, as it is written."""

import shutil
from pathlib import Path

import pytest

from pytest_tau import load_journal
from pytest_tau.journal import (
    JournalWriter,
    new_run,
)
from tests.journal.written import record


def test_nothing_is_written_before_the_first_line(tmp_path: Path) -> None:
    writer = JournalWriter(new_run(tmp_path / ".tau"))
    writer.close()
    assert not list(tmp_path.iterdir())
    writer.append(record().model_dump_json())
    assert load_journal(tmp_path / ".tau") == [record()]  # readable before it is closed
    writer.close()


def test_a_journal_that_was_removed_is_an_error_and_not_a_place_to_write_to(tmp_path: Path) -> None:
    writer = JournalWriter(new_run(tmp_path))
    writer.append(record(1).model_dump_json())
    shutil.rmtree(writer.path.parent)
    with pytest.raises(OSError, match="the file was removed while the run wrote to it"):
        writer.append(record(2).model_dump_json())
    writer.close()
