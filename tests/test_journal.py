"""The journal: what is written is read back, and what cannot be read is said."""

import json
import os
import re
from pathlib import Path

import pytest

from pytest_tau import load_journal
from pytest_tau.errors import RecordingError
from pytest_tau.journal import FILE_NAME, LATEST, JournalWriter, new_run
from pytest_tau.schema.record import Outcome, TrialRecord
from pytest_tau.schema.reward import Reward
from tests.builders import asks, finished


def record(trial: int = 1, text: str = "Grüße ###STOP###") -> TrialRecord:
    return TrialRecord(
        nodeid=f"tau/mock/t.json::test_task[trial{trial}]",
        domain="mock",
        task_id="t",
        trial=trial,
        outcome=Outcome.PASSED,
        reward=Reward(value=1.0, basis=["DB"]),
        simulation=finished([asks(text)]),
    )


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


def test_another_line_cut_short(tmp_path: Path) -> None:
    path = written(tmp_path, record())
    path.write_text('{"version": 1, "node\n' + path.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(RecordingError, match=rf"{FILE_NAME}:1: not valid JSON; only a last line may be cut short"):
        load_journal(path)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ({"version": 2}, "written in version 2, and this reads 1"),
        ([], "written in version None"),
        ({"version": 1, "nodeid": "n"}, r"\('domain',\): Field required"),
        ({**record().model_dump(mode="json"), "trial": 0}, r"\('trial',\): Input should be greater than or equal to 1"),
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
