"""A line a trial, as CSV and Parquet."""

import csv
from pathlib import Path

import pytest

from pytest_tau.reports.trial_rows import COLUMNS, trial_rows, write_csv, write_parquet
from pytest_tau.schema.record import Outcome, TrialRecord, Variant
from pytest_tau.schema.reward import Conduct, Judgement, JudgeReview
from pytest_tau.schema.spending import Usage
from tests.reports.test_spans import record


def records() -> list[TrialRecord]:
    played = record()
    update = {"outcome": Outcome.ERROR, "simulation": None, "reward": None, "trial": 2, "label": 'g,"pt"'}
    return [played, played.model_copy(update=update)]


def test_every_column_is_in_each_line() -> None:
    one, other = trial_rows(records())
    assert list(one) == list(other) == list(COLUMNS)
    assert (one["domain"], one["trial"], one["outcome"], one["agent_model"]) == ("mock", 1, "missed", "openai/gpt-x")
    assert (one["agent_prompt_tokens"] >= 20, one["agent_completion_tokens"], one["tool_errors"]) == (True, 8, 1)
    assert {name for name, value in other.items() if value is not None} == {
        "domain",
        "task_id",
        "label",
        "trial",
        "outcome",
        "nodeid",
    }


def test_both_ends_of_under_policy_and_what_a_review_cost() -> None:
    (played,) = records()[:1]
    assert played.reward is not None
    judgement = Judgement(model="judge", prompts="p", cost=0.5, usage=Usage(prompt_tokens=9, completion_tokens=1))
    known = {"violated": [], "conduct": Conduct(completed=True, unclear=1), "review": JudgeReview(judgement=judgement)}
    (row,) = trial_rows([played.model_copy(update={"reward": played.reward.model_copy(update=known)})])
    assert (row["under_policy_least"], row["under_policy_most"]) == (0.0, 1.0)
    assert (row["judge_cost"], row["judge_prompt_tokens"]) == (0.5, 9)


def test_costs_are_those_of_all_attempts_and_judges_as_the_tables_have_them() -> None:
    (played,) = records()[:1]
    assert played.simulation is not None
    assert played.reward is not None
    first = played.simulation.model_copy(update={"agent_cost": 1.0, "user_cost": 0.25, "discarded": None})
    again = first.model_copy(update={"discarded": [first]})
    judged = played.reward.results[0].model_copy(
        update={"judgement": Judgement(model="judge", prompts="p", cost=0.125)}
    )
    reward = played.reward.model_copy(update={"results": [judged]})
    (row,) = trial_rows([played.model_copy(update={"simulation": again, "reward": reward})])
    assert (row["agent_cost"], row["user_cost"], row["judge_cost"]) == (2.0, 0.5, 0.125)


def test_tokens_are_told_for_each_side() -> None:
    (played,) = records()[:1]
    assert played.simulation is not None
    assert played.reward is not None
    usage = Usage(prompt_tokens=7, completion_tokens=3)
    messages = [m.model_copy(update={"usage": usage if m.role == "user" else None}) for m in played.simulation.messages]
    judgement = Judgement(model="judge", prompts="p", usage=Usage(prompt_tokens=11, completion_tokens=5))
    judged = played.reward.results[0].model_copy(update={"judgement": judgement})
    simulation = played.simulation.model_copy(update={"messages": messages, "user_judgement": judgement})
    reward = played.reward.model_copy(update={"results": [judged]})
    (row,) = trial_rows([played.model_copy(update={"simulation": simulation, "reward": reward})])
    said = sum(message.role == "user" for message in messages)
    assert (row["agent_prompt_tokens"], row["agent_completion_tokens"]) == (None, None)
    assert (row["user_prompt_tokens"], row["user_completion_tokens"]) == (7 * said, 3 * said)
    assert (row["judge_prompt_tokens"], row["judge_completion_tokens"]) == (22, 10)


def test_variants_are_told_from_tasks_as_they_are() -> None:
    (played,) = records()[:1]
    varied = played.model_copy(update={"variant": Variant(label="typos")})
    assert [row["variant"] for row in trial_rows([played, varied])] == [None, "typos"]


def test_what_a_recording_does_not_say_is_empty() -> None:
    """Not a time of 0, nor a player without a name."""
    (played,) = records()[:1]
    assert played.simulation is not None
    silent = played.simulation.model_copy(update={"duration": 0.0, "agent": "", "user": ""})
    (row,) = trial_rows([played.model_copy(update={"simulation": silent})])
    assert (row["seconds"], row["agent"], row["user"]) == (None, None, None)


def test_csv_is_read_back(tmp_path: Path) -> None:
    write_csv(records(), tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        one, other = csv.DictReader(file)
    assert (one["reward"], one["label"], other["label"], other["reward"]) == ("0.0", "", 'g,"pt"', "")


@pytest.mark.slow  # pyarrow takes seconds to import
@pytest.mark.parametrize("task_id", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\t=1"])
def test_no_spreadsheet_computes_a_text(tmp_path: Path, task_id: str) -> None:
    write_csv([record().model_copy(update={"task_id": task_id})], tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["task_id"], row["domain"]) == (f"'{task_id}", "mock")


def test_no_terminal_obeys_a_text(tmp_path: Path) -> None:
    write_csv([record().model_copy(update={"task_id": "a\x1b[2J\r\u202e"})], tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["task_id"] == "a\\x1b[2J\\x0d\\x202e"


def test_a_recording_may_say_anything_of_its_model(tmp_path: Path) -> None:
    played = record()
    assert played.simulation is not None
    simulation = played.simulation.model_copy(update={"agent_parameters": {"model": ["a", {"b": 1}]}})
    odd = played.model_copy(update={"simulation": simulation})
    (row,) = trial_rows([odd])
    assert row["agent_model"] == "['a', {'b': 1}]"
    pytest.importorskip("pyarrow")
    write_parquet([odd], tmp_path / "r.parquet")


def test_parquet_is_read_back(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: pytest-tau[dataset]")
    write_parquet(records(), tmp_path / "t.parquet", {"agent": "mine:Agent", "k": "4"})
    table = pq.read_table(tmp_path / "t.parquet")
    assert table.column_names == list(COLUMNS)
    assert table.schema.metadata == {b"agent": b"mine:Agent", b"k": b"4"}
    assert table.column("reward").to_pylist() == [0.0, None]
    assert str(table.schema.field("trial").type) == "int64"


def test_what_parquet_cannot_hold_costs_no_file(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: pytest-tau[dataset]")
    played = record()
    assert played.simulation is not None
    seeds = [2**63, -(2**63) - 1, 2**63 - 1, -(2**63)]
    simulations = [played.simulation.model_copy(update={"seed": seed}) for seed in seeds]
    rows = [played.model_copy(update={"task_id": "a\udcff", "simulation": one}) for one in simulations]
    write_parquet(rows, tmp_path / "t.parquet", {"command": "pytest --tau-results a\udcff"})
    table = pq.read_table(tmp_path / "t.parquet")
    assert table.column("seed").to_pylist() == [None, None, *seeds[2:]]
    assert set(table.column("task_id").to_pylist()) == {"a&#56575;"}
    assert table.schema.metadata == {b"command": b"pytest --tau-results a&#56575;"}


def test_a_parquet_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pytest-tau[dataset]")
    file, kept = tmp_path / "t.parquet", tmp_path / "kept"
    write_parquet(records(), file)
    before = file.read_bytes()
    kept.hardlink_to(file)
    write_parquet(records()[:1], file)
    assert kept.read_bytes() == before != file.read_bytes()


def test_no_line_of_a_cell_is_a_formula(tmp_path: Path) -> None:
    write_csv([record().model_copy(update={"task_id": "a\r=1+1\n+2"})], tmp_path / "r.csv")
    text = (tmp_path / "r.csv").read_bytes().decode()
    assert '"a\\x0d=1+1\n\'+2"' in text
    assert all(line.startswith('"') for line in text.split("\n")[:2])
