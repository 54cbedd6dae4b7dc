"""Lines that found no room in their run's folder are kept elsewhere, and put back when the run is resumed."""

import tempfile
from pathlib import Path

import pytest

from pytest_tau import load_journal
from pytest_tau.journal import new_run, put_back
from pytest_tau.journal.folders import make_run_folder
from pytest_tau.journal.rescue import rescue
from tests.reports.runs import record

LINE = record("a", 1).model_dump_json().encode() + b"\n"
MANIFEST = [("manifest.json", b"{}")]


@pytest.fixture(autouse=True)
def _own_temporary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


def left(tmp_path: Path) -> list[str]:
    return [path.name for path in (tmp_path / "temporary").iterdir()]


def test_the_last_run_gets_its_lines_back(tmp_path: Path) -> None:
    run = new_run(tmp_path / ".tau")
    make_run_folder(run, latest=True)
    assert rescue(run, [LINE], MANIFEST).read_bytes() == LINE
    assert put_back(tmp_path / ".tau") == run
    assert [one.nodeid for one in load_journal(run)] == [record("a", 1).nodeid]
    assert left(tmp_path) == []
    assert put_back(tmp_path / ".tau") is None


def test_a_folder_that_was_removed_is_made_again(tmp_path: Path) -> None:
    run = new_run(tmp_path / ".tau")
    rescue(run, [LINE], MANIFEST)
    assert put_back(tmp_path / ".tau") == run
    assert (run / "manifest.json").read_bytes() == b"{}"
    assert (run.parent / "latest").resolve() == run.resolve()


def test_no_other_run_gets_them(tmp_path: Path) -> None:
    earlier = new_run(tmp_path / ".tau")
    rescue(earlier, [LINE], MANIFEST)
    rescue(new_run(tmp_path / "others"), [LINE], MANIFEST)
    make_run_folder(new_run(tmp_path / ".tau"), latest=True)
    assert put_back(tmp_path / ".tau") is None
    assert len(left(tmp_path)) == 2


def test_what_is_no_folder_of_ours_is_left_alone(tmp_path: Path) -> None:
    run = new_run(tmp_path / ".tau")
    make_run_folder(run, latest=True)
    real = rescue(run, [LINE], MANIFEST).parent
    moved = real.rename(tmp_path / "planted")
    real.symlink_to(moved)
    assert put_back(tmp_path / ".tau") is None
    assert moved.exists()
