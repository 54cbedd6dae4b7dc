"""The files a run leaves besides its journal; what is in each of them is tested in tests/reports."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.metrics.totals import Totals
from pytest_tau.plugin.reporting import written_files
from pytest_tau.plugin.reporting.run_files import ReportContents
from pytest_tau.plugin.reporting.written_files import check_exports, write_outputs
from tests.plugin.conftest import MakeRun
from tests.plugin.reporting.outputs import FACTS, written


def test_nothing_is_written_that_nobody_asked_for(make_run: MakeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    run = make_run(domain=("mock",))
    assert written(run) == []
    assert [path.name for path in run.root.iterdir()] == [".tau"]


def test_every_file_is_told_and_its_folder_made(make_run: MakeRun) -> None:
    exports = (
        ("tau2", "out/t.json"),
        ("sft", "sft.jsonl"),
        ("stats", "stats.json"),
        ("csv", "t.csv"),
        ("latex", "t.tex"),
    )
    run = make_run(domain=("mock",), html="deep/er/run.html", markdown="run.md", export=exports)
    names = ["deep/er/run.html", "run.md", "out/t.json", "sft.jsonl", "sft.jsonl.run.json", "stats.json", "t.csv"]
    names += ["t.csv.run.json", "t.tex"]
    assert written(run) == [f"written: {run.root / name}" for name in names]
    assert all((run.root / name).stat().st_size for name in names)
    # How the numbers came about stands beside lines that have no room for it.
    for name in ("sft.jsonl.run.json", "t.csv.run.json"):
        assert json.loads((run.root / name).read_text(encoding="utf-8")) == FACTS
    text = (run.root / "run.md").read_text(encoding="utf-8")
    assert text.startswith("## mock: mine:Agent, k 2\n")  # as it was played
    assert re.search(r"gate .*HELD.*: 50\.0 %", text)


def test_what_cannot_be_written_is_told_and_the_rest_is(make_run: MakeRun) -> None:
    run = make_run(html="file.txt/run.html", markdown="run.md", export=(("leaderboard", "s.json"),))
    (run.root / "file.txt").write_text("not a folder", encoding="utf-8")
    html, markdown, leaderboard = written(run)
    assert html == (
        f"not written: {run.root / 'file.txt/run.html'}: File exists; "
        "with --tau-resume and another name nothing is played again"
    )
    assert markdown == f"written: {run.root / 'run.md'}"
    assert leaderboard == (
        f"not written: {run.root / 's.json'}: the leaderboard takes runs on the public data only: give its folder with "
        "--tau-data"
    )


def test_the_summary_of_a_step_gets_the_tables_of_a_run_that_names_a_suite(
    make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("Before.\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert written(make_run()) == []  # tests of a project that happen to have trials
    assert summary.read_text(encoding="utf-8") == "Before.\n"
    run = make_run(domain=("mock",))
    assert written(run) == []
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("Before.\n")
    assert "| mock " in text
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    (line,) = written(run)
    assert line == f"not written: {tmp_path}: Is a directory"


def test_a_journal_that_is_gone_is_told_of_each_file_and_of_the_summary_of_a_step(
    make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    run = make_run(domain=("mock",), markdown="run.md")
    about = ReportContents([], {}, [], {}, ())
    lines = list(write_outputs(run, Totals(), tmp_path / "gone" / "journal.jsonl", about))
    assert [line.split(": ")[:2] for line in lines] == [
        ["not written", str(run.root / "run.md")],
        ["not written", str(tmp_path / "summary.md")],
    ]
    assert all("there is no journal" in line for line in lines)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("parquet", "--tau-export parquet: needs pyarrow: pip install 'pytest-tau[dataset]'"),
        ("svg", "--tau-export svg: needs matplotlib: pip install 'pytest-tau[figures]'"),
        ("png", "--tau-export png: needs matplotlib: pip install 'pytest-tau[figures]'"),
    ],
)
def test_what_nothing_here_can_write_is_refused_before_anything_is_played(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch, kind: str, sentence: str
) -> None:
    def absent(package: str) -> Any:
        return None

    monkeypatch.setattr(written_files, "find_spec", absent)
    with pytest.raises(pytest.UsageError) as refused:
        check_exports(make_run(export=(("csv", "t.csv"), (kind, "t"))))
    assert str(refused.value) == sentence
    check_exports(make_run(export=(("csv", "t.csv"),)))
