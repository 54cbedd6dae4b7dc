"""The baseline file: written, read back, refused by name when what it depends on has changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from pytest_tau.errors import RecordingError
from pytest_tau.metrics.baseline import (
    Baseline,
    TaskCounts,
    load_baseline,
    refuse_stale,
    save_baseline,
    stale,
)

BASE = Baseline(
    created="2025-06-01",
    agent="shop:make_agent",
    options={"user": "scripted", "mode": "default"},
    parts={"policy of retail": "p1", "grader": "g1"},
    tasks={
        "retail/b": TaskCounts(successes=3, trials=4, hash="hb"),
        "retail/a": TaskCounts(successes=4, trials=4, hash="ha"),
    },
)


def now(**changes: dict[str, Any]) -> list[str]:
    same = {"tasks": {key: task.hash for key, task in BASE.tasks.items()}, "parts": BASE.parts, "options": BASE.options}
    return stale(BASE, **{name: value | changes.get(name, {}) for name, value in same.items()})


def test_a_baseline_reads_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "ci" / "baseline.json"
    save_baseline(BASE, path)
    assert load_baseline(path) == BASE
    assert load_baseline(path).counts() == {"retail/a": (4, 4), "retail/b": (3, 4)}
    assert [file.name for file in path.parent.iterdir()] == ["baseline.json"]


@pytest.mark.parametrize(
    ("key", "id", "label"),
    [
        ("mock/a/1", None, ("mock", "a/1")),
        ("mock, test_it, x/y/1", None, ("mock, test_it, x/y", "1")),
        ("mock, test_it, x/a/1", "a/1", ("mock, test_it, x", "a/1")),
        ("mock, test_it, x/a/1", "of another", ("mock, test_it, x/a", "1")),
    ],
)
def test_a_baseline_knows_where_an_id_begins(tmp_path: Path, key: str, id: str | None, label: tuple[str, str]) -> None:
    counts = TaskCounts(successes=1, trials=1, hash="h", id=id)
    save_baseline(BASE.model_copy(update={"tasks": {key: counts}}), tmp_path / "b.json")
    assert load_baseline(tmp_path / "b.json").row_and_task(key) == label


@pytest.mark.parametrize("row", ["mock", "mock, test_it", "mock, tests/shop/test_it.py::test_it"])
@pytest.mark.parametrize("kind", ["typos", "gpt-typos"])
def test_tasks_as_they_are_are_told_from_others_whatever_stands_in_a_row(row: str, kind: str) -> None:
    (one, other), counts = (f"{row}/one", f"{row}, {kind}/one"), TaskCounts(successes=1, trials=1, hash="h")
    baseline = Baseline(created="2025-06-01", kinds=["typos"], tasks={one: counts, other: counts})
    assert baseline.counts_as_they_are().keys() == {one}
    assert baseline.counts_as_they_are({f"{row}, {kind}"}) == baseline.counts()


def test_each_task_stands_on_a_line_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    save_baseline(BASE, path)
    lines = path.read_text().splitlines()
    assert '    "retail/a": {"successes": 4, "trials": 4, "hash": "ha"},' in lines
    assert '    "retail/b": {"successes": 3, "trials": 4, "hash": "hb"}' in lines


def test_a_baseline_of_no_tasks_is_still_json(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    save_baseline(Baseline(created="2025-06-01", tasks={}), path)
    assert load_baseline(path).tasks == {}


def test_a_baseline_that_cannot_be_written_says_why(tmp_path: Path) -> None:
    path = tmp_path / "file" / "baseline.json"
    path.parent.write_text("")
    with pytest.raises(RecordingError, match="the baseline cannot be written there: "):
        save_baseline(BASE, path)


def broken(change: dict[str, Any]) -> str:
    return json.dumps(BASE.model_dump(mode="json") | change)


NONE = "this is not a baseline, which --tau-bless writes; results of τ-bench or τ² become a run by pytest --tau-rescore"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[]", NONE),
        ('{"tasks": {}}', NONE),
        (broken({"version": 2}), "written in version 2, and this reads 1; write a new one with --tau-bless"),
        (broken({"created": 5}), "created: Input should be a valid string; write a new one with --tau-bless"),
        (
            broken({"tasks": {"retail/a": {"successes": 5, "trials": 4, "hash": ""}}}),
            "tasks/retail/a: Value error, 5 successes in 4 trials; write a new one with --tau-bless",
        ),
    ],
)
def test_a_file_that_is_no_baseline_is_refused_in_a_sentence(tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(RecordingError) as caught:
        load_baseline(path)
    assert str(caught.value) == f"{path}: {sentence}"


@pytest.mark.parametrize("content", ["{", "\udc80", "[" * 100_000, "1" * 5000])
def test_a_file_that_is_no_json_is_refused_in_a_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(RecordingError, match=r"the baseline is not valid JSON: .+; write a new one with --tau-bless$"):
        load_baseline(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="there is no baseline; write one with --tau-bless"):
        load_baseline(tmp_path / "none.json")
    with pytest.raises(RecordingError, match="the baseline cannot be read: "):
        load_baseline(tmp_path)


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValidationError):
        TaskCounts(successes=0, trials=0, hash="")


def test_an_unchanged_run_is_not_stale() -> None:
    assert now() == []
    assert now(tasks={"retail/new": "x"}, parts={"policy of airline": "x"}) == []


def test_tasks_that_were_not_selected_are_no_change() -> None:
    assert stale(BASE, tasks={}, parts={}, options=BASE.options) == []


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"parts": {"policy of retail": "p2"}}, ["the policy of retail has changed"]),
        ({"parts": {"policy of retail": "p2", "grader": "g2"}},
         ["the policy of retail has changed", "the grader has changed"]),
        ({"tasks": {"retail/a": "new"}}, ["1 task has changed (retail/a)"]),
        ({"tasks": {"retail/a": "new", "retail/b": "new"}}, ["2 tasks have changed (retail/b, retail/a)"]),
        ({"options": {"user": "llm"}}, ['user was "scripted" and is "llm"']),
        ({"options": {"split": "test"}}, ['split was unset and is "test"']),
    ],
)  # fmt: skip
def test_what_changed_is_named(changes: dict[str, dict[str, Any]], named: list[str]) -> None:
    assert now(**changes) == named


def test_many_changed_tasks_are_counted() -> None:
    tasks = {f"d/{letter}": TaskCounts(successes=1, trials=1, hash="old") for letter in "abcde"}
    base = Baseline(created="2025-06-01", tasks=tasks)
    changes = stale(base, tasks=dict.fromkeys(tasks, "new"), parts={}, options={})
    assert changes == ["5 tasks have changed (d/a, d/b, d/c and 2 more)"]


def test_a_stale_baseline_is_refused_by_name() -> None:
    refuse_stale(Path("base.json"), [])
    with pytest.raises(RecordingError) as caught:
        refuse_stale(Path("base.json"), ["the grader has changed", "1 task has changed (d/a)"])
    assert str(caught.value) == (
        "base.json: this baseline is stale: the grader has changed, 1 task has changed (d/a); "
        "write a new one with --tau-bless"
    )
