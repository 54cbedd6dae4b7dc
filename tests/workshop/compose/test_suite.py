"""Suites on disk: composed files and the splits that belong to them."""

from pathlib import Path
from typing import Any

import pytest

from pytest_tau import load_domain
from pytest_tau.environment.tasks import REWORDED
from pytest_tau.errors import TaskError
from tau_workshop.compose import ComposeOptions, compose_tasks, freeze, generate, generate_long, write
from tests.builders import task

from .families import DELETE, family


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


def test_a_tag_that_no_wish_has_is_named_with_those_there_are() -> None:
    with pytest.raises(TaskError, match=r"^no wish of domain 'mock' has the tag 'refusl' \(did you mean 'refusal'\?\)"):
        compose_tasks(family(DELETE), load_domain("mock"), 1, 1, ComposeOptions(demands=("refusl",)))


@pytest.mark.parametrize("domain", ["retail", "telecom"])
@pytest.mark.parametrize("n", [0, -1, "3"])
def test_no_number_of_tasks(domain: str, n: Any) -> None:
    for make in (generate, generate_long):
        with pytest.raises(TaskError, match=f"^n={n!r}: at least one task is to be composed$"):
            make(domain, n)


def test_a_text_that_no_file_holds_is_written_all_the_same(tmp_path: Path) -> None:
    write([task(user_scenario={"instructions": "Half a \ud83d sign."})], file := tmp_path / "suite.json")
    assert "Half a &#55357; sign." in file.read_text(encoding="utf-8")
