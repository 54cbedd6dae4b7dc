"""A small data set, from composing to files."""

import json
import sys
from contextlib import ExitStack, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import grade, load_domain, load_tasks, simulate
from pytest_tau.cli import main
from pytest_tau.errors import SettingsError, TauError
from tau_workshop.dataset.formats import FORMATS
from tau_workshop.dataset.making import SHARES
from tau_workshop.dataset.splits import kin_of
from tau_workshop.dataset.writing import _Parquet, write_dataset

N = 12


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of retail, as the command writes it."""
    folder = tmp_path_factory.mktemp("dataset")
    assert main(["dataset", "retail", "-o", str(folder), "--n", str(N), "--seed", "3"]) == 0
    return folder


def rows(made: Path, name: str, split: str | None = None) -> list[dict[str, Any]]:
    files = [made / name / f"{one}.jsonl" for one in SHARES if split in (None, one)]
    return [json.loads(line) for file in files if file.exists() for line in file.read_text("utf-8").splitlines()]


def test_every_split_has_its_conversations(made: Path) -> None:
    labels = rows(made, "labels")
    assert len(labels) >= N
    assert len({row["id"] for row in labels}) == len(labels)
    assert {row["player"] for row in labels} == {"oracle", "faulty"}
    assert all(row["planted"] for row in labels if row["player"] == "faulty")
    assert {"plain"} < {row["perturbation"] for row in labels}


def test_nothing_is_in_two_splits(made: Path) -> None:
    domain = load_domain("retail")
    kins = {split: [kin_of(t, domain) for t in load_tasks(made / "tasks" / f"{split}.json")] for split in SHARES}
    for one in SHARES:
        for other in set(SHARES) - {one}:
            assert not any(a.shares(b) for a in kins[one] for b in kins[other])
    assert all(kin.records and kin.words for each in kins.values() for kin in each)


def test_the_tasks_beside_the_rows_can_be_played(made: Path) -> None:
    domain = load_domain("retail")
    tasks = {task.id: task for split in SHARES for task in load_tasks(made / "tasks" / f"{split}.json")}
    assert {row["task_id"] for row in rows(made, "prompts")} == set(tasks)
    one = tasks[rows(made, "prompts", "train")[-1]["task_id"]]
    assert grade(one, simulate(one, domain), domain).passed


def test_labels_say_what_each_turn_is_worth(made: Path) -> None:
    for row in rows(made, "labels"):
        turns = row["turns"]
        if row["outcome"] == "passed":
            assert row["no_return"] is None
            assert turns[-1]["progress"] == row["progress"] == 1.0
            continue
        assert row["fault"]
        assert row["no_return"] is not None
        after = [turn for turn in turns if turn["turn"] >= row["no_return"]]
        assert not any(turn["trainable"] for turn in after)
        assert all(turn["gold"] is None for turn in after[1:])
        assert all(turn["gold"] for turn in turns if turn not in after)
        assert all(a["progress"] <= b["progress"] for a, b in pairwise(turns))


def test_chats_are_passed_conversations_with_weights(made: Path) -> None:
    passed = {row["id"] for row in rows(made, "labels") if row["outcome"] == "passed"}
    chats = rows(made, "chat")
    assert {row["id"] for row in chats} == passed
    for row in chats:
        assert row["messages"][0]["role"] == "system"
        assert {m["role"] for m in row["messages"] if "weight" in m} == {"assistant"}
        assert row["messages"][-1]["weight"] == 1
        assert json.loads(row["tools"])[0]["type"] == "function"
        open_calls = [c["id"] for m in row["messages"] for c in m.get("tool_calls", [])]
        assert open_calls == [m["tool_call_id"] for m in row["messages"] if m["role"] == "tool"]


def test_pairs_branch_at_the_point_of_no_return(made: Path) -> None:
    labels = {row["id"]: row for row in rows(made, "labels")}
    found = rows(made, "preferences")
    assert found
    for row in found:
        label = labels[row["id"]]
        turn = next(turn for turn in label["turns"] if turn["turn"] == label["no_return"])
        assert len(row["prompt"]) == turn["entry"]
        assert row["chosen"] == [turn["gold"]]
        assert row["chosen"] != row["rejected"]
        assert {row["chosen"][0]["role"], row["rejected"][0]["role"]} == {"assistant"}


def test_steps_and_rewards(made: Path) -> None:
    labels = {row["id"]: row for row in rows(made, "labels")}
    for row in rows(made, "stepwise"):
        assert len(row["completions"]) == len(row["labels"])
        assert all(row["labels"]) == (labels[row["id"]]["outcome"] == "passed")
        assert row["labels"] == sorted(row["labels"], reverse=True)
    for row in rows(made, "rewards"):
        assert row["label"] == (labels[row["id"]]["outcome"] == "passed") == (row["reward"] == 1.0)


def test_the_card(made: Path) -> None:
    card = (made / "README.md").read_text("utf-8")
    assert "- config_name: preferences" in card
    assert f"pytest-tau dataset retail -o {made} --n {N} --seed 3" in card
    assert "0 customers and records, 0 wordings" in card
    assert "of words with the suite tasks/retail" in card


def test_what_cannot_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SettingsError, match="there is no format 'words'; there are chat, preferences"):
        write_dataset("retail", tmp_path, n=3, seed=1, formats=["words"])
    with pytest.raises(TauError, match="tasks cannot be composed"):
        write_dataset("mock", tmp_path, n=3, seed=1)
    assert main(["dataset", "retail", "-o", str(tmp_path), "--n", "1"]) == 2
    assert "--n must be at least 3" in capsys.readouterr().err
    (tmp_path / "file").write_text("", "utf-8")
    assert main(["dataset", "retail", "-o", str(tmp_path / "file"), "--n", "3", "--formats", "prompts"]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_format_that_is_named_twice_is_written_once(tmp_path: Path) -> None:
    assert main(["dataset", "retail", "-o", str(tmp_path), "--n", "3", "--formats", "prompts, prompts"]) == 0
    assert len(rows(tmp_path, "prompts")) == 3


def test_nothing_is_played_for_parquet_files_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SettingsError, match="written by pyarrow"):
        write_dataset("no_such_domain", tmp_path, n=3, seed=1, parquet=True)


def test_a_parquet_file_stays_where_the_next_one_fails(tmp_path: Path) -> None:
    (tmp_path / "train.parquet").write_bytes(b"earlier")
    with suppress(KeyboardInterrupt), ExitStack() as stack:
        _Parquet(tmp_path / "train", stack).write({"id": "a"})
        raise KeyboardInterrupt
    assert (tmp_path / "train.parquet").read_bytes() == b"earlier"


def test_nothing_of_an_earlier_data_set_is_left_beside_another(tmp_path: Path) -> None:
    write_dataset("retail", tmp_path, n=3, seed=1, formats=["prompts"])
    (tmp_path / "notes.md").write_text("mine", "utf-8")
    (tmp_path / "chat").mkdir()
    for old in ("chat/test.jsonl", "prompts/train.parquet"):
        (tmp_path / old).write_text("old", "utf-8")
    write_dataset("retail", tmp_path, n=3, seed=2, formats=["prompts"])
    assert {file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*.*") if file.is_file()} == {
        "README.md", "notes.md", *(f"{name}/{split}.{end}" for name, end in (("prompts", "jsonl"), ("tasks", "json"))
                                   for split in SHARES),
    }  # fmt: skip


class TestOthers:
    """What other programs make of it, where they are installed."""

    @pytest.mark.slow
    def test_datasets_loads_every_format(self, made: Path) -> None:
        datasets = pytest.importorskip("datasets", reason="the Hub's loader is not installed (pip install datasets)")
        for name in FORMATS:
            written = {split: str(made / name / f"{split}.jsonl") for split in SHARES if rows(made, name, split)}
            loaded = datasets.load_dataset("json", data_files=written, cache_dir=str(made / "cache"))
            assert "train" in written
            assert {split: len(loaded[split]) for split in written} == {s: len(rows(made, name, s)) for s in written}

    def test_trl_knows_the_formats(self, made: Path) -> None:
        data_utils = pytest.importorskip("trl.data_utils", reason="TRL is not installed (pip install trl)")
        for name in ("chat", "preferences", "steps", "rewards"):
            assert data_utils.is_conversational(rows(made, name, "train")[0])
        for name in ("preferences", "steps"):
            pair = rows(made, name, "train")[0]
            whole = {key: pair["prompt"] + pair[key] for key in ("chosen", "rejected")}
            assert data_utils.extract_prompt(whole)["prompt"] == pair["prompt"]

    def test_parquet(self, tmp_path: Path) -> None:
        parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
        write_dataset("retail", tmp_path, n=3, seed=1, formats=["chat", "prompts"], parquet=True)
        table = parquet.read_table(tmp_path / "chat" / "train.parquet")
        assert {"id", "messages", "tools"} == set(table.column_names)
        (tmp_path / "kept").hardlink_to(tmp_path / "chat" / "train.parquet")
        before = (tmp_path / "kept").read_bytes()
        write_dataset("retail", tmp_path, n=4, seed=2, formats=["chat", "prompts"], parquet=True)
        assert (tmp_path / "kept").read_bytes() == before  # replaced as a whole
        assert "train.parquet" in (tmp_path / "README.md").read_text("utf-8")
