"""``pytest-tau dataset``: what it refuses; what it writes is in tests/workshop/dataset/test_writing.py."""

from pathlib import Path

import pytest

from pytest_tau.cli import main
from tests.plugin.inner import write


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["retail", "--n", "2"], "--n must be at least 3, one conversation a split, and is 2"),
        (["retail", "--formats", "csv"], "csv"),
        (["mock"], "tasks cannot be composed"),
        (["retial"], "there is no domain 'retial' (did you mean 'retail'?)"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert main(["dataset", *arguments, "-o", str(tmp_path / "made")]) == 2
    err = capsys.readouterr().err
    assert sentence in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["README.md", "tasks/train.json", "chat/test.jsonl"])
def test_files_of_another_origin_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    write(tmp_path, name, "mine")
    assert main(["dataset", "retail", "-o", str(tmp_path), "--n", "3"]) == 2
    told = f"{tmp_path / name} already exists; choose another name, or another folder with -o\n"
    assert capsys.readouterr().err.endswith(told)
    assert (tmp_path / name).read_text() == "mine"
