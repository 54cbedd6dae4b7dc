"""The folders of runs, and which of them is the latest."""

import os
from pathlib import Path

import pytest

from pytest_tau import load_journal
from pytest_tau.journal import LATEST, drop_run, last_run
from tests.journal.written import record, written


def test_the_folder_ignores_itself_and_latest_is_the_newest(tmp_path: Path) -> None:
    first, second = written(tmp_path, record(1)), written(tmp_path, record(2))
    assert (tmp_path / ".gitignore").read_text() == "*\n"
    assert first.parent != second.parent
    assert (tmp_path / LATEST).resolve() == second.parent.resolve()
    assert load_journal(tmp_path) == [record(2)]
    assert not [name for name in os.listdir(tmp_path) if name.startswith(f".{LATEST}")]


def test_of_a_run_that_is_dropped_nothing_is_left(tmp_path: Path) -> None:
    first, second = (written(tmp_path, record(number)).parent for number in (1, 2))
    drop_run(first, None)  # another run has begun since
    assert last_run(tmp_path) == second.resolve()
    third = written(tmp_path, record(3)).parent
    drop_run(third, second)
    assert last_run(tmp_path) == second.resolve()
    drop_run(second, None)
    assert os.listdir(tmp_path) == [".gitignore"]


def test_a_folder_that_has_other_files_is_not_hidden_from_git(tmp_path: Path) -> None:
    """Such as a project's own, for ``--tau-results .``."""
    (tmp_path / "conftest.py").touch()
    written(tmp_path, record(1))
    assert not (tmp_path / ".gitignore").exists()
    assert load_journal(tmp_path) == [record(1)]


def test_latest_may_be_a_file_where_links_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*args: object, **options: object) -> None:
        raise OSError("not permitted")

    monkeypatch.setattr(Path, "symlink_to", no_links)
    written(tmp_path, record())
    assert (tmp_path / LATEST).is_file()
    assert load_journal(tmp_path) == [record()]


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
