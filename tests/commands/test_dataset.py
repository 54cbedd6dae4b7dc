"""``pytest-tau dataset``: what it refuses; what it writes is in tests/workshop/dataset/test_writing.py."""

from pathlib import Path

import pytest

from pytest_tau.cli import main


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
