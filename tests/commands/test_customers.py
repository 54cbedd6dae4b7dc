"""``pytest-tau customers``: simulators of recorded runs beside people."""

import json
from pathlib import Path

import pytest

from pytest_tau.cli import main


def written(path: Path, *said: str) -> Path:
    turns = [{"role": role, "content": text} for one in said for role, text in (("user", one), ("assistant", "Yes?"))]
    path.write_text("\n".join(json.dumps({"id": str(n), "messages": turns}) for n in range(3)), encoding="utf-8")
    return path


def test_several_simulators_in_one_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    terse = written(tmp_path / "terse.jsonl", "hi", "cancel my booking", "yes please")
    wordy = written(tmp_path / "wordy.jsonl", *["I would very much like to cancel the booking that I made."] * 3)
    assert main(["customers", str(terse), str(wordy)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [cell.strip() for cell in lines[0].split("|")[2:5]] == ["people", "terse", "wordy"]
    auc = [float(cell) for cell in lines[2].split("|")[2:5]]
    assert auc[0] == 0.5
    assert auc[1] < 0.8 < auc[2]
    ranks = next(line for line in lines if line.startswith("| rank by distance"))
    assert [cell.strip() for cell in ranks.split("|")[2:5]] == ["", "2", "1"]  # ever the same is far
    assert lines[-1].startswith("Ranks that are possible")
    assert main(["customers", "--json", str(terse)]) == 0
    assert json.loads(capsys.readouterr().out)["terse"]["number"] == 3
    assert main(["customers", "--json", str(terse), str(wordy)]) == 0
    assert json.loads(capsys.readouterr().out)["wordy"]["rank"] == [1, 1]


def test_a_log_without_a_customer_who_says_enough_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["customers", str(written(tmp_path / "short.jsonl", "hi"))]) == 2
    assert "no customer says three things in a conversation, too little to compare" in capsys.readouterr().err
