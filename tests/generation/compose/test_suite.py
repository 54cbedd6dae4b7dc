"""Suites on disk: composed files and the splits that belong to them."""

from pathlib import Path

from pytest_tau.environment.tasks import REWORDED
from pytest_tau.generation.compose import freeze


def test_the_core_stays_while_its_tasks_are_there(tmp_path: Path) -> None:
    first = freeze("retail", 2, 1, tmp_path)
    second = freeze("retail", 2, 2, tmp_path / "more.json")
    assert second["core"] == first["core"]
    assert set(first["base"]) < set(second["base"])
    assert [len(second[half]) for half in ("train", "test")] == [2, 2]
    third = freeze("retail", 2, 3, tmp_path)
    assert set(third["core"]) <= set(third["base"])
    assert set(third["core"]).isdisjoint(first["core"])


def test_a_suite_can_be_made_anew_where_only_its_paraphrases_are_left(tmp_path: Path) -> None:
    (tmp_path / REWORDED).write_text("{}", encoding="utf-8")
    assert len(freeze("retail", 2, 1, tmp_path)["base"]) == 2
