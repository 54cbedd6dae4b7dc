"""Suites on disk: composed files and the splits that belong to them."""

from pathlib import Path

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
