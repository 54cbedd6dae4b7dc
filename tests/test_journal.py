"""The journal: what is written is read back, and what cannot be read is said."""

import json
import os
import re
import resource
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau import load_journal
from pytest_tau.errors import RecordingError
from pytest_tau.journal import (
    FILE_NAME,
    LATEST,
    BrokenLine,
    JournalWriter,
    Spool,
    has_spools,
    last_run,
    new_run,
    orphan,
    orphans,
    read_spool,
)
from pytest_tau.schema.record import Outcome, TrialRecord
from pytest_tau.schema.reward import Reward
from tests.builders import asks, finished


def record(trial: int = 1, text: str = "Grüße ###STOP###", **fields: Any) -> TrialRecord:
    return TrialRecord(**{**_record(trial, text), **fields})


def _record(trial: int, text: str) -> dict[str, Any]:
    return {
        "nodeid": f"tau/mock/t.json::test_task[trial{trial}]",
        "domain": "mock",
        "task_id": "t",
        "trial": trial,
        "outcome": Outcome.PASSED,
        "reward": Reward(value=1.0, basis=["DB"]),
        "simulation": finished([asks(text)]).model_copy(update={"id": f"simulation {trial} {text}"}),
    }


def written(results: Path, *records: TrialRecord) -> Path:
    writer = JournalWriter(new_run(results))
    writer.open()
    for each in records:
        writer.append(each.model_dump_json())
    writer.close()
    return writer.path


def test_round_trip_by_file_folder_and_latest(tmp_path: Path) -> None:
    records = [record(1), record(2)]
    path = written(tmp_path / ".tau", *records)
    for place in (path, path.parent, tmp_path / ".tau", str(tmp_path / ".tau" / LATEST)):
        assert load_journal(place) == records


def test_the_default_is_the_folder_tau(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path / ".tau", record())
    assert load_journal() == [record()]


def test_the_folder_ignores_itself_and_latest_is_the_newest(tmp_path: Path) -> None:
    first, second = written(tmp_path, record(1)), written(tmp_path, record(2))
    assert (tmp_path / ".gitignore").read_text() == "*\n"
    assert first.parent != second.parent
    assert (tmp_path / LATEST).resolve() == second.parent.resolve()
    assert load_journal(tmp_path) == [record(2)]
    assert not [name for name in os.listdir(tmp_path) if name.startswith(f".{LATEST}")]


def test_nothing_is_written_before_the_first_line(tmp_path: Path) -> None:
    writer = JournalWriter(new_run(tmp_path / ".tau"))
    writer.close()
    assert not list(tmp_path.iterdir())
    writer.append(record().model_dump_json())
    assert load_journal(tmp_path / ".tau") == [record()]  # readable before it is closed
    writer.close()


def test_latest_may_be_a_file_where_links_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*args: object, **options: object) -> None:
        raise OSError("not permitted")

    monkeypatch.setattr(Path, "symlink_to", no_links)
    written(tmp_path, record())
    assert (tmp_path / LATEST).is_file()
    assert load_journal(tmp_path) == [record()]


@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x0b", "\x1c", "\r\n"])
def test_a_models_line_separators_are_text(tmp_path: Path, separator: str) -> None:
    records = [record(1, f"a{separator}b"), record(2)]
    assert load_journal(written(tmp_path, *records)) == records


def test_a_last_line_cut_short_anywhere(tmp_path: Path) -> None:
    path = written(tmp_path, record(1), record(2))
    whole = path.read_bytes()
    second = whole.index(b"\n") + 1
    middle_of_a_letter = whole.index("ü".encode(), second) + 1
    for end in (second + 1, middle_of_a_letter, len(whole) - 2):
        path.write_bytes(whole[:end])
        assert load_journal(path) == [record(1)]
    path.write_bytes(whole[:-1])  # only the line end is missing
    assert load_journal(path) == [record(1), record(2)]


def test_an_empty_journal(tmp_path: Path) -> None:
    assert load_journal(written(tmp_path)) == []


@pytest.mark.parametrize(
    "broken", ['{"version": 1, "node', '{"version": 1, "n{"version": 1, "nodeid": "n"}', "\x00\x00"]
)
def test_a_broken_line_in_the_middle_is_left_out_and_named(tmp_path: Path, broken: str) -> None:
    path = written(tmp_path, record(1), record(2))
    first, second = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([first, broken.encode(), b"", second, b""]))
    told: list[str] = []
    assert load_journal(path, told.append) == [record(1), record(2)]
    sentence = f"{path}:2: this line is not valid JSON and was left out; the others were read"
    assert told == [sentence]
    with pytest.warns(BrokenLine, match=re.escape(sentence)):
        assert load_journal(path) == [record(1), record(2)]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ({"version": 2}, "written in version 2, and this reads 1"),
        ([], "written in version None"),
        ({"version": 1, "nodeid": "n"}, "domain: Field required"),
        ({**record().model_dump(mode="json"), "trial": 0}, "trial: Input should be greater than or equal to 1"),
        ({**record().model_dump(mode="json"), "nodeid": ["n"]}, "nodeid: Input should be a valid string"),
        ({**record().model_dump(mode="json"), "simulation": "none"}, "simulation: Input should be"),
        ({**record().model_dump(mode="json"), "outcome": {}}, "outcome: Input should be"),
    ],
)
def test_a_line_of_somebody_else(tmp_path: Path, line: object, sentence: str) -> None:
    path = tmp_path / FILE_NAME
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    with pytest.raises(RecordingError, match=f"{re.escape(str(path))}:1: {sentence}"):
        load_journal(path)


def test_no_journal(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(RecordingError, match="there is no journal; give a results folder"):
            load_journal(place)


# Spools.


def spooled(run: Path, process: str, *lines: TrialRecord | str) -> Path:
    """A spool with finished trials; a node ID stands for one that began."""
    spool = Spool(run, process)
    for line in lines:
        if isinstance(line, str):
            spool.begin(line)
        else:
            spool.begin(line.nodeid)
            spool.append(line.model_dump_json())
    spool.close()
    return spool.path


def test_a_spool_says_what_is_over_and_what_is_not(tmp_path: Path) -> None:
    path = spooled(tmp_path / "run", "gw0", record(1), "unfinished", record(2), "a bug")
    spool = Spool(tmp_path / "run", "gw0")
    spool.drop("a bug")
    spool.close()
    found = read_spool(path)
    assert found.unfinished == {"unfinished"}
    assert set(found.finished) == {record(1).nodeid, record(2).nodeid}
    for each in (record(1), record(2)):
        line = found.line(each.nodeid)
        assert line is not None
        assert TrialRecord.model_validate_json(line) == each
    assert found.line("unfinished") is None


def test_what_is_in_spools_only_is_part_of_the_record(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    spooled(run, "gw0", record(1), "unfinished", record(2))
    spooled(run, "gw1", record(3))
    assert last_run(tmp_path) == run.resolve()  # found although nobody came to write a journal
    assert load_journal(tmp_path) == [record(1), record(2), record(3)]
    journal = JournalWriter(run)
    said_more = record(2, outcome=Outcome.MISSED)  # as its test said, after it had looked at the trial
    journal.append(said_more.model_dump_json())
    journal.close()
    assert load_journal(tmp_path) == [said_more, record(1), record(3)]


def test_a_trial_that_was_judged_later_counts_as_judged(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    spooled(run, "gw0", record(1, outcome=Outcome.UNGRADED), record(1))
    assert load_journal(tmp_path) == [record(1)]


def test_spools_are_taken_into_the_journal_once(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    spooled(run, "gw0", record(1), record(2))
    orphan(run, "gw0")
    spooled(run, "gw1", "unfinished", record(3), record(4))
    journal = JournalWriter(run)
    for each in (record(1), record(3)):
        journal.append(each.model_dump_json())
    simulation = record(3).simulation
    assert simulation is not None
    journal.take_spools({record(1).nodeid, simulation.id})
    journal.close()
    assert not has_spools(run)
    assert load_journal(journal.path) == [record(1), record(3), record(2), record(4)]


def test_what_a_python_test_has_not_judged_stays_for_it(tmp_path: Path) -> None:
    """Its grade is known, but the test may ask for more."""
    run, nodeid = new_run(tmp_path), "test_mine.py::test_it[t-trial1]"
    mine, failed = record(1, nodeid=nodeid), record(2, nodeid="test_mine.py::x[trial2]", outcome=Outcome.INFRA_ERROR)
    spooled(run, "main", mine, record(2), failed)
    for _ in range(2):  # as often as the run is resumed
        journal = JournalWriter(run)
        journal.take_spools(())
        journal.close()
        assert load_journal(journal.path) == [record(2), failed]
        [rest] = orphans(run)
        assert set(read_spool(rest).finished) == {nodeid}
        assert load_journal(run) == [record(2), failed, mine]
    journal.take_spools({nodeid})
    assert not has_spools(run)


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


@contextmanager
def at_most(size: int) -> Iterator[None]:
    """No file of this process can grow beyond this size: a disk that fills up, in the middle of a write."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


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
    assert load_journal(writer.path, lambda sentence: None) == [record(1), record(2), record(3), record(4)]


def test_what_waits_for_room_is_written_when_the_writer_is_told_to(tmp_path: Path) -> None:
    writer = JournalWriter(new_run(tmp_path))
    writer.append(record(1).model_dump_json())
    with at_most(writer.path.stat().st_size), pytest.raises(OSError, match="File too large"):
        writer.append(record(2).model_dump_json())
    writer.flush()
    writer.close()
    assert load_journal(writer.path) == [record(1), record(2)]


def test_a_journal_that_was_removed_is_an_error_and_not_a_place_to_write_to(tmp_path: Path) -> None:
    writer = JournalWriter(new_run(tmp_path))
    writer.append(record(1).model_dump_json())
    shutil.rmtree(writer.path.parent)
    with pytest.raises(OSError, match="the file was removed while the run wrote to it"):
        writer.append(record(2).model_dump_json())
    writer.close()


@pytest.mark.parametrize("content", ["../../elsewhere", "/etc", "\x00", "a" * 5000, ""])
def test_latest_names_a_run_and_never_a_path(tmp_path: Path, content: str) -> None:
    written(tmp_path / "elsewhere", record(1))
    results = tmp_path / "a" / "b"
    written(results, record(2))
    (results / LATEST).unlink()
    (results / LATEST).write_text(content)
    assert last_run(results) is None or last_run(results) == results.resolve()


def test_latest_may_be_a_loop_of_links(tmp_path: Path) -> None:
    (tmp_path / LATEST).symlink_to(LATEST)
    assert last_run(tmp_path) is None


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is full")
def test_a_line_there_is_no_room_for_is_an_error(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "run", "gw0")
    spool.path.parent.mkdir()
    spool.path.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        spool.begin("t")
    spool.close()
