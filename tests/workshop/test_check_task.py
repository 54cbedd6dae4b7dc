"""Each kind of fault that a task can have, which ``check`` names."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.workshop.broken_projects import edit, edit_task, faults, mock_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return mock_project(tmp_path)


def test_a_record_that_its_model_would_not_read(project: Path) -> None:
    edit(project / "domains" / "mock" / "tools.py", "        task.status = status\n", '        task.status = "x"\n')
    found = faults(project)
    assert any(
        "complete_a_task': after the gold path tasks['task_1'] is not what its model can hold: status: " in one
        for one in found
    ), found


def test_a_record_with_a_field_that_its_model_computes(project: Path) -> None:
    schema = project / "domains" / "mock" / "schema.py"
    edit(schema, "import BaseModel", "import BaseModel, computed_field")
    edit(
        schema,
        "class Task(BaseModel):\n",
        "class Task(BaseModel, extra='forbid'):\n    @computed_field\n    def short(self) -> str:\n"
        "        return self.title[:9]\n\n",
    )
    assert faults(project) == []


def test_fields_of_records_that_nothing_reads(project: Path) -> None:
    edit(project / "domains" / "mock" / "db.json", '"status": "completed"', '"status": "completed", "dew": "x"')
    (found,) = faults(project)
    assert found.endswith("tasks['task_2']: nothing reads the field 'dew'")
    edit(project / "domains" / "mock" / "db.json", ', "dew": "x"', "")
    path = project / "tasks" / "mock" / "add_a_task.json"
    task = json.loads(path.read_text(encoding="utf-8"))
    task["initial_state"] = {"initialization_data": {"agent_data": {"users": {"user_1": {"nmae": "x"}}}}}
    path.write_text(json.dumps(task), encoding="utf-8")
    (found,) = faults(project)
    assert "agent_data: users['user_1']: nothing reads the field 'nmae' (did you mean 'name'?)" in found


def test_initial_records_beside_the_data_of_a_table_with_notes(project: Path) -> None:
    folder = project / "domains" / "mock"
    edit(folder / "schema.py", "import Database, Table", "import Database, Table, with_notes")
    edit(folder / "schema.py", "    users: Table[User]", "    old: Table[User] = with_notes()\n    users: Table[User]")
    path = project / "tasks" / "mock" / "add_a_task.json"
    task = json.loads(path.read_text(encoding="utf-8"))
    task["initial_state"] = {"initialization_data": {"agent_data": {"old": {"user_9": {"user_id": "user_9"}}}}}
    path.write_text(json.dumps(task), encoding="utf-8")
    (found,) = faults(project)
    assert found.endswith("'old' has 'data', the records by key, and 'notes': nothing reads 'user_9'")


def test_initial_rows_of_a_table_in_sql(tmp_path: Path) -> None:
    folder, suite = tmp_path / "domains" / "town", tmp_path / "tasks" / "town"
    folder.mkdir(parents=True)
    suite.mkdir(parents=True)
    with closing(sqlite3.connect(folder / "db.sqlite")) as db:
        db.executescript(
            "CREATE TABLE person (id INTEGER PRIMARY KEY, town TEXT); INSERT INTO person VALUES (1, 'Lund')"
        )
    (folder / "policy.md").write_text("Be kind.", encoding="utf-8")
    (folder / "domain.py").write_text(
        "from pytest_tau.environment import DomainSpec, SqlDatabase, Toolkit, tool\n"
        "class TownTools(Toolkit):\n"
        "    db: SqlDatabase\n"
        "    @tool(writes=True)\n"
        "    def close(self) -> None:\n"
        "        'Close the town.'\n"
        "        self.sql('DELETE FROM person')\n"
        "domain = DomainSpec(tools=TownTools)\n",
        encoding="utf-8",
    )
    rows: dict[str, Any] = {"1": {"town": "Kivik"}}
    task = {
        "id": "close",
        "user_scenario": {"instructions": {"domain": "town", "reason_for_call": "Close it.", "task_instructions": ""}},
        "initial_state": {"initialization_data": {"agent_data": {"person": rows}}},
        "evaluation_criteria": {
            "actions": [{"action_id": "close", "name": "close", "arguments": {}}],
            "reward_basis": ["DB"],
        },
    }
    (suite / "close.json").write_text(json.dumps(task), encoding="utf-8")
    assert faults(tmp_path, "town") == []
    rows["1"] = {"twon": "Kivik"}
    (suite / "close.json").write_text(json.dumps(task), encoding="utf-8")
    (found,) = faults(tmp_path, "town")
    assert "initialization_data.agent_data: person['1']: " in found
    assert "twon" in found


def test_something_that_comes_before_one_of_several(project: Path) -> None:
    calls = [{"action_id": "1", "name": "get_users", "arguments": {}}] * 2
    edit_task(project, "add_a_task", actions=calls)
    assert not any("is the id of several" in one for one in faults(project))
    path = project / "tasks" / "mock" / "add_a_task.json"
    task = json.loads(path.read_text(encoding="utf-8"))
    task["user_scenario"]["instructions"]["later"] = [{"when": "done", "say": "And more.", "before": "1"}]
    path.write_text(json.dumps(task), encoding="utf-8")
    assert any("'1', before which something comes, is the id of several" in one for one in faults(project))


def test_points_that_the_gold_path_does_not_fit(project: Path) -> None:
    ticked = {"check": "record", "table": "tasks", "key": "task_1", "path": "status"}
    edit_task(
        project,
        "complete_a_task",
        milestones=[{"id": "never", "when": {**ticked, "key": "task_9", "value": "completed"}}],
        minefields=[{"id": "mine", "when": {**ticked, "value": "completed"}}],
    )
    assert [one.split("gold actions, ")[1] for one in faults(project)] == [
        "does not reach the milestone 'never'",
        "steps on the minefield 'mine'",
    ]


def test_an_assertion_that_cannot_be_asked(project: Path) -> None:
    asked = {"env_type": "assistant", "func_name": "get_users", "arguments": {}, "assert_value": True}
    edit_task(project, "complete_a_task", env_assertions=[asked])
    (found,) = faults(project)
    assert found.endswith(
        "misses ENV_ASSERTION: assistant: get_users() is True: ValueError: Function get_users returned "
        "<class 'list'> instead of bool"
    )


def test_a_task_that_is_graded_by_the_domains_checks_alone(project: Path) -> None:
    edit_task(project, "add_a_task", trajectory=[], reward_basis=["DB", "TRAJECTORY"])
    assert faults(project) == []


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        (
            "complete_a_task",
            {"accept": [[{"action_id": "1", "name": "get_users", "arguments": {}}]]},
            "evaluation_criteria.accept[0]: the oracle that walks it misses ENV_ASSERTION: assistant: assert_task",
        ),
        ("add_a_task", {"actions": []}, "an agent that does nothing passes"),
        ("add_a_task", {"reward_basis": ["DB", "ACTION", "NL_ASSERTION"]}, "NL_ASSERTION is in the reward_basis"),
        ("count_my_tasks", {"communicate_info": []}, "COMMUNICATE is in the reward_basis"),
        ("count_my_tasks", {"communicate_info": [" "]}, "communicate_info holds an empty text"),
        ("count_my_tasks", {"extra": 1}, "nothing reads the key 'evaluation_criteria.extra'"),
        (
            "add_a_task",
            {"trajectory": [{"check": "not_called", "name": "update_task_status", "argumets": {"status": "x"}}]},
            "nothing reads the key 'evaluation_criteria.trajectory[0].argumets' (did you mean 'arguments'?)",
        ),
        ("complete_a_task", {"actions": [{"action_id": "1", "name": "get_user", "arguments": {}}]}, "did you mean"),
        (
            "complete_a_task",
            {"actions": [{"action_id": "1", "name": "get_users", "arguments": {"a": 1}}]},
            "get_users has no argument 'a'",
        ),
        (
            "add_a_task",
            {"actions": [{"action_id": "1", "name": "create_task", "arguments": {"user_id": "x", "title": "y"}}]},
            "evaluation_criteria.actions[0] fails: Error: User x not found",
        ),
        (
            "complete_a_task",
            {"actions": [{"action_id": "1", "name": "get_users", "arguments": {}}]},
            "the oracle, which walks the gold actions, misses ENV_ASSERTION",
        ),
        (
            "complete_a_task",
            {
                "actions": [
                    {"action_id": "1", "name": "update_task_status", "arguments": {"task_id": "x", "status": ""}}
                ]
            },
            "evaluation_criteria.actions[0] fails: Error",
        ),
    ],
)
def test_faults_of_a_task(project: Path, name: str, changes: dict[str, Any], expected: str) -> None:
    edit_task(project, name, **changes)
    assert any(expected in fault for fault in faults(project)), faults(project)
    assert not any("terminated" in fault for fault in faults(project))


def test_an_oracle_that_never_comes_to_the_end(project: Path) -> None:
    calls = [{"action_id": str(number), "name": "get_users", "arguments": {}} for number in range(101)]
    edit_task(project, "add_a_task", actions=calls)
    assert any(fault.endswith("does not come to the end: max_steps") for fault in faults(project)), faults(project)


def test_task_without_criteria(project: Path) -> None:
    path = project / "tasks" / "mock" / "add_a_task.json"
    task = json.loads(path.read_text(encoding="utf-8"))
    del task["evaluation_criteria"]
    path.write_text(json.dumps(task), encoding="utf-8")
    assert faults(project) == [f"{path}: task 'add_a_task': has no evaluation_criteria, so everybody passes"]
