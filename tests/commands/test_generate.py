"""``pytest-tau generate``: what its options may be."""

import json
from pathlib import Path

import pytest

from pytest_tau.cli import main


@pytest.mark.parametrize(("options", "problem"), [
    (["--writes", "7"], "--writes 7: write a number from 0 to 6, or two such as 3-6"),
    (["--writes", "4-2"], "--writes 4-2: write a number"),
    (["--persona", "rude"], "there is no persona 'rude'; there are helpful, impatient"),
    pytest.param(
        ["--with", "refusl"],
        "no wish of domain 'insurance' has the tag 'refusl' (did you mean 'refusal'?); there are dual, refusal",
        marks=pytest.mark.slow,
    ),
])  # fmt: skip
def test_what_cannot_be_is_one_sentence(
    options: list[str], problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", "insurance", "--n", "1", *options, "-o", str(tmp_path / "tasks.json")]) == 2
    assert problem in capsys.readouterr().err


def test_telecom_has_no_such_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "telecom", "--n", "1", "--writes", "2", "-o", str(tmp_path / "tasks.json")]) == 2
    assert "composes its tasks of faults, which these options do not apply to" in capsys.readouterr().err


def test_a_suite_has_both_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "retail", "--n", "1", "--part", "2", "--suite", str(tmp_path)]) == 2
    assert "--suite writes both parts of a suite; leave out --part" in capsys.readouterr().err


def test_options_are_tags(tmp_path: Path) -> None:
    target = tmp_path / "tasks.json"
    options = ["--writes", "2-3", "--told", "in-turn", "--mind", "revised", "--persona", "unsure", "--part", "2"]
    assert main(["generate", "retail", "--n", "2", "--seed", "4", *options, "-o", str(target)]) == 0
    for task in json.loads(target.read_text(encoding="utf-8")):
        assert {"in_turn", "revised", "persona_unsure"} <= set(task["tags"])
        assert {"writes_2", "writes_3"} & set(task["tags"])


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


@pytest.mark.parametrize("option", ["-o", "--suite"])
def test_a_file_that_holds_no_tasks_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str) -> None:
    notes = tmp_path / "notes.json"
    notes.write_text('{"mine": 1}', encoding="utf-8")
    assert main(["generate", "telecom", "--n", "2", option, str(notes)]) == 2
    assert "; tasks would take its place: name another file, or remove this one" in capsys.readouterr().err
    assert notes.read_text(encoding="utf-8") == '{"mine": 1}'


def test_tasks_take_the_place_of_earlier_ones_and_of_an_empty_file(tmp_path: Path) -> None:
    target = tmp_path / "tasks.json"
    target.touch()
    for number in (1, 2):
        assert main(["generate", "telecom", "--n", str(number), "-o", str(target)]) == 0
        assert len(json.loads(target.read_text(encoding="utf-8"))) == number
