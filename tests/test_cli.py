"""The ``pytest-tau`` command, as a process and as a function."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_tau.cli import main
from pytest_tau.environment.folders import builtin_root
from pytest_tau.journal import JournalWriter, new_run
from pytest_tau.manifest import Manifest
from pytest_tau.schema.record import Outcome, TrialRecord
from pytest_tau.schema.task import Task


def test_check_of_a_domain_without_faults(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "mock"]) == 0
    assert capsys.readouterr().out.endswith("mock: no faults\n")


def test_check_counts_the_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "domains" / "shop"
    folder.mkdir(parents=True)
    assert main(["check", str(folder)]) == 1
    out = capsys.readouterr().out
    assert "it has no domain.py" in out
    assert f"{tmp_path / 'tasks' / 'shop'}: no tasks yet" in out
    assert out.endswith("shop: 2 faults\n")


def test_check_of_an_unknown_domain_names_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "retial"]) == 2
    assert "there is no domain 'retial' (did you mean 'retail'?): built in are" in capsys.readouterr().err


def test_schema_accepts_the_built_in_tasks_shape(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert set(schema["$defs"]["Task"]["properties"]) == set(Task.model_fields)
    assert schema["anyOf"][1] == {"items": {"$ref": "#/$defs/Task"}, "type": "array"}


def test_a_reader_that_stops_early_is_no_error() -> None:
    command = f"{sys.executable} -m pytest_tau.cli schema | head -c 10"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ('{\n  "$sche', "")


def test_tasks_can_lie_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    suite = builtin_root("tasks") / "mock" / "add_a_task.json"
    assert main(["check", str(builtin_root("domains") / "mock"), "--tasks", str(suite)]) == 0
    assert "no faults" in capsys.readouterr().out


@pytest.mark.slow
def test_generate_writes_the_frozen_suite_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frozen = builtin_root("tasks") / "telecom" / "base.json"
    written = tmp_path / "base.json"
    assert main(["generate", "telecom", "--n", "114", "--seed", "42", "--suite", str(written)]) == 0
    assert written.read_bytes() == frozen.read_bytes()
    assert capsys.readouterr().out == f"{written}: core 30, base 114, hard 63, train 57, test 57\n"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["mock"], "tasks cannot be composed"),
        (["telecom", "--n", "0"], "--n must be at least 1"),
        (["telecom", "--n", "9999"], "9999 tasks were asked for, but only 2285 can be composed"),
    ],
)
def test_generate_refuses(
    arguments: list[str], problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", *arguments, "-o", str(tmp_path / "tasks.json")]) == 2
    assert problem in capsys.readouterr().err


def test_generate_into_a_folder_that_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert main(["generate", "telecom", "--n", "2", "-o", str(tmp_path / "file" / "tasks.json")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def shard(folder: Path, part: int, **options: object) -> Path:
    """A results folder with the run of one trial, shard ``part`` of two."""
    nodeid = f"tau/mock/t.json::test_task[trial{part}]"
    record = TrialRecord(nodeid=nodeid, domain="mock", task_id="t", trial=part, outcome=Outcome.PASSED)
    writer = JournalWriter(new_run(folder / f"shard-{part}"))
    writer.append(record.model_dump_json())
    writer.close()
    Manifest(options=options, k=2, shard=f"{part}/2", about={"commit": f"c{part}"}).save(writer.path.parent)
    return folder / f"shard-{part}"


def test_merge_prints_the_table_of_the_new_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["merge", str(shard(tmp_path, 1)), str(shard(tmp_path, 2)), "-o", str(tmp_path / "all")]) == 0
    table, _, notes, *_, commits, journal = capsys.readouterr().out.splitlines()[2:]
    assert table.split("|")[1:6] == [" mock   ", "     1 ", "      2 ", " 100.0 % [0–100] ", " 100.0 % [0–100] "]
    assert notes.startswith("[ ]: 95 % interval")
    assert commits == "The runs were made from different commits: c1, c2."
    assert Path(journal.removeprefix("journal: ")).parent == (tmp_path / "all" / "latest").resolve()


def test_merge_names_a_missing_shard(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["merge", str(shard(tmp_path, 2)), "-o", str(tmp_path / "all")]) == 1
    out = capsys.readouterr().out
    assert "| mock   |     1 | 1 of 2 (!) |" in out
    assert "shard 1/2 is missing: the table is without its trials\n" in out


def test_merge_refuses_what_was_played_otherwise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [str(shard(tmp_path, 1, seed=1)), str(shard(tmp_path, 2, seed=2))]
    assert main(["merge", *runs, "-o", str(tmp_path / "all")]) == 2
    [sentence] = capsys.readouterr().err.splitlines()
    assert sentence.startswith("pytest-tau: ")
    assert sentence.endswith("--tau-seed was 1 and is 2")


def test_merge_of_nothing_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["merge", str(tmp_path / "no"), "-o", str(tmp_path / "all")]) == 2
    assert "manifest.json: is missing" in capsys.readouterr().err
