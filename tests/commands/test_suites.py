"""The tasks of a domain as a command is given it."""

from pathlib import Path

import pytest

from pytest_tau.cli.suites import tasks_of, the_task
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.errors import DomainError, TaskError
from tests.builders import core
from tests.plugin.inner import make_shop
from tests.shared import shared

MOCK = ["add_a_task", "complete_a_task", "count_my_tasks", "delete_a_task", "read_and_dismiss", "task_for_a_stranger"]


def test_by_a_domains_name_or_its_folder() -> None:
    for domain in ("mock", str(builtin_folder("domains", "mock"))):
        assert sorted(task.id for task in tasks_of(domain)) == MOCK


def test_of_a_project_they_lie_beside_the_domains(tmp_path: Path) -> None:
    make_shop(tmp_path)
    assert [task.id for task in tasks_of(str(tmp_path / "domains" / "shop"))] == ["sell_one"]


def test_of_the_public_data() -> None:
    assert len(tasks_of("mock", str(shared("tau2")))) == 10


def test_of_a_domain_that_is_nowhere() -> None:
    with pytest.raises(DomainError, match=r"there is no domain 'retial' \(did you mean 'retail'\?\)"):
        tasks_of("retial")


def test_one_by_its_id() -> None:
    assert the_task(core("mock"), "add_a_task").id == "add_a_task"
    with pytest.raises(TaskError, match=r"there is no task 'add_task' \(did you mean 'add_a_task'\?\)"):
        the_task(core("mock"), "add_task")
    with pytest.raises(TaskError, match=r"there is no task 'x'; there are 6, and `pytest-tau show` lists them"):
        the_task(core("mock"), "x")
