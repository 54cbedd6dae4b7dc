"""Reading a journal: what is written is read back, and what cannot be read is said."""

import json
import re
from pathlib import Path

import pytest

from pytest_tau import load_journal
from pytest_tau.errors import RecordingError
from pytest_tau.journal import (
    FILE_NAME,
    LATEST,
    BrokenLine,
    read_trials,
)
from tests.journal.written import record, written


def test_round_trip_by_file_folder_and_latest(tmp_path: Path) -> None:
    records = [record(1), record(2)]
    path = written(tmp_path / ".tau", *records)
    for place in (path, path.parent, tmp_path / ".tau", str(tmp_path / ".tau" / LATEST)):
        assert load_journal(place) == records


def test_the_default_is_the_folder_tau(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path / ".tau", record())
    assert load_journal() == [record()]


@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x0b", "\x1c", "\r\n"])
def test_a_models_line_separators_are_text(tmp_path: Path, separator: str) -> None:
    records = [record(1, f"a{separator}b"), record(2)]
    assert load_journal(written(tmp_path, *records)) == records


def test_what_an_editor_of_windows_has_saved_reads_the_same(tmp_path: Path) -> None:
    records = [record(1), record(2)]
    path = written(tmp_path, *records)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_journal(path) == records


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
        ({"version": 3}, "written in version 3, and this reads 1 and 2"),
        ({"version": None}, "written in version None"),
        ([], "not a line of a journal, as it has no version; give a journal.jsonl"),
        ({"messages": []}, "not a line of a journal, as it has no version"),
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


def test_lines_with_nothing_on_them_are_none(tmp_path: Path) -> None:
    path = written(tmp_path, record(1), record(2))
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n\r\n \t\n"))
    assert load_journal(path) == [record(1), record(2)]


def test_no_journal(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(RecordingError, match="there is no journal; give a results folder"):
            load_journal(place)


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("simulation", "user_seed", []),
        ("simulation", "termination_reason", {}),
        ("reward", "retrieval", []),
        ("audit", "mutants", "7"),
    ],
)
def test_what_totals_count_is_checked_where_it_is_read(tmp_path: Path, part: str, name: str, value: object) -> None:
    path = written(tmp_path, record())
    content = json.loads(path.read_bytes())
    content[part] = {**(content[part] or {}), name: value}
    path.write_text(json.dumps(content) + "\n", encoding="utf-8")
    with pytest.raises(RecordingError, match=rf"journal.jsonl:1: {part}\.{name}: "):
        list(read_trials(path))
