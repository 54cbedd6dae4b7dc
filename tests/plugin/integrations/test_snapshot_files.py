"""Where the snapshot of a test's task lies, whatever the task is called."""

from pathlib import PurePosixPath

import pytest
from hypothesis import given

from pytest_tau.plugin.integrations.snapshot_files import safe_name, snapshot_path
from tests.strategies import text


@pytest.mark.parametrize(
    ("nodeid", "path"),
    [
        ("tasks/shop/refund.json::test_task[trial2]", "tasks/shop/refund.tools.txt"),
        ("tasks/shop/all.json::test_task[refund-trial12]", "tasks/shop/all/refund.tools.txt"),
        ("tau/mock/add_a_task.json::test_task[trial1]", "tau/mock/add_a_task.tools.txt"),
        ("tau2/retail/tasks.json::test_task[17-trial1]", "tau2/retail/tasks/17.tools.txt"),
        ("tests/test_a.py::test_it[refund-trial1]", "tests/test_a/test_it/refund.tools.txt"),
        ("tests/test_a.py::TestA::test_it[x-refund-trial1]", "tests/test_a/TestA/test_it/x-refund.tools.txt"),
        ("../elsewhere/refund.json::test_task[trial1]", "elsewhere/refund.tools.txt"),
        ("/srv/refund.json::test_task[trial1]", "srv/refund.tools.txt"),
        ("tasks/a.b.json::test_task[c.d-trial1]", "tasks/a.b/c.d.tools.txt"),
    ],
)
def test_the_path_is_what_the_node_id_spells(nodeid: str, path: str) -> None:
    assert snapshot_path(nodeid, "tools") == PurePosixPath(path)


def test_a_long_id_of_the_public_data() -> None:
    task_id = "[mobile_data_issue]" + "|".join(["user_abroad_roaming_enabled_off"] * 6) + "[PERSONA:None]"
    path = snapshot_path(f"tau2/telecom/tasks.json::test_task[{task_id}-trial1]", "tools")
    assert path.name.startswith("mobile_data_issue_user_abroad")
    assert len(path.name) < 100


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a/b", "a\\b", "nul", "con.x", ".hidden", "", " ", "ü" * 300, "A", "a" * 81]
)
def test_an_unsafe_name_gets_a_hash(name: str) -> None:
    assert safe_name(name) != name


@given(text())
def test_every_name_is_safe_and_stable(text: str) -> None:
    name = safe_name(text)
    assert name == safe_name(name) or name != text
    assert 0 < len(name) <= 80
    assert PurePosixPath(name).name == name
    assert name.strip(". ") == name
    assert not set(name) & set('<>:"/\\|?*[]')


@given(text(), text())
def test_different_names_stay_different_also_where_case_does_not_count(one: str, other: str) -> None:
    if one != other:
        assert safe_name(one).lower() != safe_name(other).lower()
