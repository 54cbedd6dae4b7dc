"""A file of lines: cut short, too long, or without room on the disk."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau import load_journal
from pytest_tau.journal import (
    FILE_NAME,
    JournalWriter,
    Spool,
    new_run,
    read_spool,
)
from tests.full_disk import at_most
from tests.journal.written import record, spooled, written


@given(data=st.data())
def test_cut_short_at_any_byte_all_but_the_last_line_is_there_also_when_it_goes_on(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    results = tmp_path_factory.mktemp("results")
    run, before = new_run(results), [record(1), record(2, "Grüße\u2028###STOP###")]
    if data.draw(st.booleans(), label="journal"):
        path = written(results, *before)
        run = path.parent
    else:
        path = spooled(run, "main", *before)
    whole = path.read_bytes()
    end = data.draw(st.integers(0, len(whole)), label="bytes")
    path.write_bytes(whole[:end])
    ends = [found.end() for found in re.finditer(rb"\n", whole)]
    lines = [whole[start:stop] for start, stop in zip([0, *ends], ends, strict=False)]
    is_trial = [b'"nodeid"' in line for line in lines]
    survived = [place for place, stop in enumerate(ends) if stop - 1 <= end and is_trial[place]]
    kept = before[: len(survived)]
    assert load_journal(path) == kept
    # A later process writes to the same file.
    if path.name == FILE_NAME:
        writer = JournalWriter(run)
        writer.append(record(3).model_dump_json())
        writer.close()
    else:
        spooled(run, "main", "another", record(3))
        assert set(read_spool(path).finished) == {each.nodeid for each in [*kept, record(3)]}
    assert load_journal(path) == [*kept, record(3)]
    journal = JournalWriter(run)
    journal.take_spools(set() if path.name != FILE_NAME else {None})
    journal.close()
    assert load_journal(journal.path) == [*kept, record(3)]


@pytest.mark.parametrize("length", [1, (1 << 16) - 1, 1 << 16, (1 << 16) + 1, 200_000])
def test_a_long_last_line_is_mended_too(tmp_path: Path, length: int) -> None:
    path = written(tmp_path, record(1))
    with path.open("ab") as file:
        file.write(b'{"' + b"x" * length)
    journal = JournalWriter(path.parent)
    journal.append(record(2).model_dump_json())
    journal.close()
    assert load_journal(path) == [record(1), record(2)]


@pytest.mark.parametrize("room", [0, 1, 100])
def test_a_disk_that_was_full_for_a_moment_loses_nothing(tmp_path: Path, room: int) -> None:
    writer = JournalWriter(new_run(tmp_path))
    writer.append(record(1).model_dump_json())
    with at_most(writer.path.stat().st_size + room):
        for number in (2, 3):
            with pytest.raises(OSError, match=r"No space left|File too large"):
                writer.append(record(number).model_dump_json())
    assert writer.unwritten == 2
    writer.append(record(4).model_dump_json())
    assert writer.unwritten == 0
    writer.close()
    broken: list[str] = []
    assert load_journal(writer.path, broken.append) == [record(1), record(2), record(3), record(4)]
    assert broken == []


def test_what_waits_for_room_is_written_when_the_writer_is_told_to(tmp_path: Path) -> None:
    writer = JournalWriter(new_run(tmp_path))
    writer.append(record(1).model_dump_json())
    with at_most(writer.path.stat().st_size), pytest.raises(OSError, match="File too large"):
        writer.append(record(2).model_dump_json())
    writer.flush()
    writer.close()
    assert load_journal(writer.path) == [record(1), record(2)]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is full")
def test_a_line_there_is_no_room_for_is_an_error(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "run", "gw0")
    spool.path.parent.mkdir()
    spool.path.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        spool.begin("t")
    spool.close()
