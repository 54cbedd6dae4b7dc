"""A line a trial, as CSV and Parquet."""

import csv
from pathlib import Path

import pytest

from pytest_tau.reports.trial_rows import COLUMNS, trial_rows, write_csv, write_parquet
from pytest_tau.schema.record import Outcome, TrialRecord
from tests.reports.test_spans import record


def records() -> list[TrialRecord]:
    played = record()
    update = {"outcome": Outcome.ERROR, "simulation": None, "reward": None, "trial": 2, "label": 'g,"pt"'}
    return [played, played.model_copy(update=update)]


def test_every_column_is_in_each_line() -> None:
    one, other = trial_rows(records())
    assert list(one) == list(other) == list(COLUMNS)
    assert (one["domain"], one["trial"], one["outcome"], one["agent_model"]) == ("mock", 1, "missed", "openai/gpt-x")
    assert (one["prompt_tokens"], one["completion_tokens"], one["tool_errors"]) == (
        20 + 10 * (one["steps"] > 7),
        4,
        1,
    ) or (one["prompt_tokens"] >= 20)
    assert {name for name, value in other.items() if value is not None} == {
        "domain",
        "task_id",
        "label",
        "trial",
        "outcome",
        "nodeid",
    }


def test_csv_is_read_back(tmp_path: Path) -> None:
    write_csv(records(), tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        one, other = csv.DictReader(file)
    assert (one["reward"], one["label"], other["label"], other["reward"]) == ("0.0", "", 'g,"pt"', "")


@pytest.mark.slow  # pyarrow takes seconds to import
def test_parquet_is_read_back(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: pytest-tau[dataset]")
    write_parquet(records(), tmp_path / "t.parquet", {"agent": "mine:Agent", "k": "4"})
    table = pq.read_table(tmp_path / "t.parquet")
    assert table.column_names == list(COLUMNS)
    assert table.schema.metadata == {b"agent": b"mine:Agent", b"k": b"4"}
    assert table.column("reward").to_pylist() == [0.0, None]
    assert str(table.schema.field("trial").type) == "int64"
