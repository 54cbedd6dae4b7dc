"""All numbers of a run as JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Costs, TrialFacts
from pytest_tau.reports.statistics import write_statistics


def written(tmp_path: Path, totals: Totals) -> dict[str, Any]:
    write_statistics(totals, tmp_path / "s.json", gates=[("held", "gate a")], facts={"agent": "x"})
    content: dict[str, Any] = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    return content


def totals() -> Totals:
    made = Totals()
    for task, ends in (("a", "pppp"), ("b", "ppmm"), ("c", "mmmi")):
        made.plan("mock", task, 4)
        for end in ends:
            outcome = {"p": "passed", "m": "missed", "i": "infra_error"}[end]
            made.add(TrialFacts("mock", task, outcome))
    return made


def test_a_row_has_each_number_beside_pass_k(tmp_path: Path) -> None:
    row = written(tmp_path, totals())["rows"]["mock"]
    first, second, *_ = row["pass^k"]
    assert (first["value"], first["tasks"]) == (0.5, 3)
    assert first["if_missing"] == pytest.approx([6 / 12, 7 / 12])
    assert second["value"] == second["g_pass"]["1.0"] == pytest.approx((1 + 1 / 6) / 3)
    assert second["g_pass"]["0.5"] == second["pass@k"] == pytest.approx((1 + 5 / 6) / 3)
    assert row["variance"]["within"] == pytest.approx(1 / 9)
    assert row["variance"]["outcome_consistency"] == pytest.approx(7 / 9)
    assert row["customers"] is None
    assert row["trials"] == {"planned": 12, "ended": 12, "spared": 0, "replays": 0}


def test_a_task_of_several_tests_counts_once_in_each_number(tmp_path: Path) -> None:
    """With τ = 1, G-Pass@k is pass^k, whatever rows there are about a task."""
    made = Totals()
    for test, task, ends in (("a", "t", "pp"), ("b", "t", "mm"), ("a", "u", "pm")):
        for end in ends:
            made.add(TrialFacts(f"mock, test_{test}", task, {"p": "passed", "m": "missed"}[end]))
    row = written(tmp_path, made)["rows"]["all"]
    assert row["tasks"] == 2
    second = row["pass^k"][1]
    assert (second["value"], second["g_pass"]["1.0"]) == (0.25, 0.25)
    assert (second["pass@k"], second["g_pass"]["0.5"]) == (0.75, 0.75)


def test_all_rows_tasks_gates_and_facts_are_there(tmp_path: Path) -> None:
    content = written(tmp_path, totals())
    assert list(content["rows"]) == ["mock", "all"]
    assert content["tasks"]["mock/c"] == {
        "passed": 0, "graded": 3, "planned": 4, "spared": 0, "replays": 0, "outcomes": {"infra_error": 1, "missed": 3},
        "cost": None,
    }  # fmt: skip
    assert (content["gates"], content["about"]) == ([{"state": "held", "line": "gate a"}], {"agent": "x"})


def test_costs_are_those_of_the_tables(tmp_path: Path) -> None:
    made = Totals()
    for judge in (0.25, None):
        made.add(TrialFacts("mock", "t", "passed", steps=4, costs=Costs(1.0, 0.5, judge)))
    row = written(tmp_path, made)["rows"]["mock"]
    assert row["cost"] == {"agent": 2.0, "user": 1.0, "judge": None, "total": None}
    assert (row["steps"], row["outcomes"]) == (4.0, {"passed": 2})


def test_a_run_that_was_stopped_has_no_intervals(tmp_path: Path) -> None:
    made = totals()
    made.plan("mock", "a", 4)
    made.of()[0].spared = 4
    row = written(tmp_path, made)["rows"]["mock"]
    assert row["pass^k"][0]["interval"] is row["these_tasks_interval"] is None
    tasks = written(tmp_path, made)["tasks"].values()
    assert sum(task["planned"] for task in tasks) == row["trials"]["planned"]


def test_an_empty_run_is_empty(tmp_path: Path) -> None:
    assert written(tmp_path, Totals())["rows"]["all"]["pass^k"] == []
    several = Totals()
    for label in ("a", "b"):
        several.add(TrialFacts(f"mock, {label}", "t", "passed", label=label))
    assert list(written(tmp_path, several)["rows"]) == ["mock, a", "mock, b"]  # several agents are no whole


def test_both_ends_of_under_policy(tmp_path: Path) -> None:
    made = Totals()
    for unclear in (0, 1):
        reward = {"violated": [], "conduct": {"completed": True, "unclear": unclear}}
        made.add(TrialFacts.of({"domain": "mock", "task_id": "t", "outcome": "passed", "reward": reward}))
    found = written(tmp_path, made)["rows"]["mock"]["scores"]["cup^"]
    assert (found["value"], found["least"]["value"], found["least"]["over"]) == (1.0, 0.5, "1 task")
