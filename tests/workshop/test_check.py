"""``check`` names each kind of fault, and goes on after it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.environment.folders import builtin_names, builtin_root
from tau_workshop.check import check
from tests.workshop.broken_projects import edit, faults, mock_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return mock_project(tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name != "mock" else name
        for name in builtin_names("domains")
        if name in builtin_names("tasks")
    ],
)
def test_what_is_built_in_has_no_faults(name: str) -> None:
    assert list(check(builtin_root("domains") / name, builtin_root("tasks") / name)) == []


def test_all_faults_of_a_folder_are_named_at_once(project: Path) -> None:
    domain = project / "domains" / "mock"
    (domain / "policy.md").write_text(" \n", encoding="utf-8")
    (domain / "policy_solo.md").unlink()
    edit(domain / "db.json", '"status": "completed"', '"status": "done"')
    edit(domain / "user_db.json", '"unread"', '"new"')
    edit(domain / "tools.py", "            title: What is to be done, in a few words.\n", "")
    edit(domain / "user_tools.py", '        """Read all notifications in your inbox, old ones too."""\n', "")
    (project / "tasks" / "mock" / "add_a_task.json").write_text("{", encoding="utf-8")
    expected = [
        "policy.md: the policy is empty",
        "db.json: tasks['task_2']: status: Input should be 'pending' or 'completed'",
        "MockTools.create_task: argument 'title' is not described",
        "user_db.json: notifications['notif_1']: status",
        "MockUserTools.check_notifications: has no docstring",
        "there is no policy_solo.md",
        "add_a_task.json: not valid JSON",
    ]
    found = faults(project)
    assert len(found) == len(expected)
    for fragment, fault in zip(expected, found, strict=True):
        assert fragment in fault


def test_a_tool_that_is_marked_with_both(project: Path) -> None:
    edit(project / "domains" / "mock" / "tools.py", "@tool(writes=True)", "@tool(reads=True, writes=True)")
    (found,) = faults(project)
    assert "is marked with reads=True and writes=True; a tool that may change something has writes=True" in found


def test_tools_that_return_random_numbers(project: Path) -> None:
    tools = project / "domains" / "mock" / "tools.py"
    lucky = '\n    @tool\n    def lucky(self) -> str:\n        """A number."""\n        return str(random.random())\n'
    tools.write_text(tools.read_text(encoding="utf-8") + lucky, encoding="utf-8")
    edit(tools, "from typing import", "import random\nfrom typing import")
    edit(
        tools,
        "        task.status = status\n",
        "        task.status = status\n        task.title = str(random.random())\n",
    )
    found = faults(project)
    assert f"{project / 'domains' / 'mock'}: lucky() answers differently in two equal worlds" in found[0]
    assert any(
        "complete_a_task.json" in one and "[1]: update_task_status() answers differently" in one for one in found
    )


@pytest.mark.parametrize("clock", ["datetime.now", "datetime.today"])
def test_tools_that_read_the_clock(project: Path, clock: str) -> None:
    tools = project / "domains" / "mock" / "tools.py"
    edit(tools, "from typing import", "from datetime import datetime\nfrom typing import")
    edit(tools, "title=title,", f"title=str({clock}()),")
    what = f"{clock}() is the real clock, and what follows from it is another answer tomorrow"
    [found] = [one for one in faults(project) if "the real clock" in one]
    assert re.fullmatch(rf"{re.escape(str(tools))}:\d+: {re.escape(what)}: take self.now, .*", found)


def test_the_clock_in_a_tool_that_is_wrapped(project: Path) -> None:
    tools = project / "domains" / "mock" / "tools.py"
    edit(tools, "from typing import", "import functools, time\nfrom typing import")
    hour = '    def hour(self) -> str:\n        """The hour."""\n        return str(time.time())\n'
    kept = f"\n    @tool\n    @functools.cache\n{hour}"
    tools.write_text(tools.read_text(encoding="utf-8") + kept, encoding="utf-8")
    assert any("time.time() is the real clock" in one for one in faults(project))


@pytest.mark.parametrize("name", ["zähle", "n" * 65])
def test_a_name_that_no_model_can_be_given(project: Path, name: str) -> None:
    tools = project / "domains" / "mock" / "tools.py"
    own = f'\n    @tool\n    def {name}(self) -> str:\n        """Count."""\n        return "3"\n'
    tools.write_text(tools.read_text(encoding="utf-8") + own, encoding="utf-8")
    (found,) = faults(project)
    assert f"{name}: providers of models refuse this name: write at most 64 of a to z, A to Z" in found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"known_inf": "y", "reason_for_call": "x"}, "nothing reads the key 'known_inf' (did you mean 'known_info'?)"),
        ({"reason": "x"}, "reason_for_call: Field required"),
        (3, "Input should be an object"),
    ],
)
def test_a_paraphrase_that_is_none(project: Path, words: Any, said: str) -> None:
    path = project / "tasks" / "mock" / "reworded.json"
    path.write_text(json.dumps({"add_a_task": [words]}), encoding="utf-8")
    assert faults(project) == [f"{path}: add_a_task[0]: {said}"]


def test_a_tool_whose_value_nobody_can_read(project: Path) -> None:
    tools = project / "domains" / "mock" / "tools.py"
    ids = '\n    @tool\n    def ids(self) -> set[str]:\n        """All ids."""\n        return set(self.db.tasks)\n'
    tools.write_text(tools.read_text(encoding="utf-8") + ids, encoding="utf-8")
    assert any("the tool ids of domain 'mock' returned what has no JSON form" in one for one in faults(project))


def test_a_tool_that_writes_random_numbers(project: Path) -> None:
    tools = project / "domains" / "mock" / "tools.py"
    edit(tools, "from typing import", "import random\nfrom typing import")
    edit(tools, "title=title,", "title=str(random.random()),")
    edit(tools, "        return task\n", '        return "done"\n')
    found = faults(project)
    assert any("create_task() changes two equal worlds differently" in one for one in found), found


def test_a_tool_that_changes_what_all_worlds_share(project: Path) -> None:
    tools = project / "domains" / "mock" / "tools.py"
    edit(tools, "        task.status = status\n", '        self.db.users.read("user_1").name = "x"\n')
    assert f"{project / 'domains' / 'mock'}: a tool changed what users.read('user_1') gave it" in faults(project)[-1]


def test_checks_of_the_domain_that_look_at_nothing(project: Path) -> None:
    checks = "checks=[{'check': 'identified', 'by': ['get_user']}, {'check': 'own_records'}, "
    checks += "{'check': 'confirmed', 'rules': ['nope']}], "
    edit(project / "domains" / "mock" / "domain.py", "DomainSpec(", f"DomainSpec({checks}")
    found = faults(project)
    assert (
        "domain.py: DomainSpec.checks[0]: there is no assistant tool 'get_user' (did you mean 'get_users'?)" in found[0]
    )
    assert "DomainSpec.checks[1]: own_records looks at nothing: no table is owned_by(…)" in found[1]
    assert "domain.py: DomainSpec.checks[2].rules: there is no rule 'nope'" in found[2]


def test_places_that_no_value_fills(project: Path) -> None:
    domain = project / "domains" / "mock"
    (domain / "values.toml").write_text("[most]\nvalue = 3\n", encoding="utf-8")
    policy = domain / "policy.md"
    policy.write_text(policy.read_text(encoding="utf-8") + "\nAt most {most} or {mots} tasks.\n", encoding="utf-8")
    assert [one.split(": ", 1)[1] for one in faults(project)] == [
        "the policy has {most} in it, and its toolkit has no values; write 'values = values_of(__package__)' in it",
        "the policy has {mots} in it, and there is no value 'mots' in values.toml (did you mean 'most'?)",
    ]


def test_documents_do_not_have_the_values_in_them(project: Path) -> None:
    folder = project / "domains" / "mock"
    (folder / "values.toml").write_text("[most]\nvalue = 3\n", encoding="utf-8")
    edit(
        folder / "domain.py",
        "from pytest_tau.environment import ",
        "from pytest_tau.environment import KnowledgeBase, ",
    )
    edit(folder / "domain.py", "DomainSpec(", "DomainSpec(documents=KnowledgeBase(), ")
    (folder / "documents").mkdir()
    (folder / "documents" / "limits.md").write_text("# At most {most}, {name}!\n", encoding="utf-8")
    assert [one.split(": ", 1)[1] for one in faults(project)] == [
        "the document 'limits' has {most} in it, and documents are read as they stand; write the value itself"
    ]


def test_a_key_that_stands_twice(project: Path) -> None:
    edit(project / "domains" / "mock" / "db.json", '"task_2": {', '"task_1": {}, "task_2": {')
    edit(project / "tasks" / "mock" / "add_a_task.json", '"id":', '"id": "old", "id":')
    twice = [one for one in faults(project) if "stands twice in one object, and only the last one counts" in one]
    assert [Path(one.split(": ")[0]).name for one in twice] == ["db.json", "add_a_task.json"]


def test_a_task_that_names_another_domain(project: Path) -> None:
    edit(project / "tasks" / "mock" / "add_a_task.json", '"domain": "mock"', '"domain": "mokc"')
    (found,) = faults(project)
    assert found.endswith("task 'add_a_task': names the domain 'mokc', and this is 'mock'")


def test_python_that_cannot_be_imported(project: Path) -> None:
    edit(project / "domains" / "mock" / "domain.py", "MockTools", "MockTool")
    (found,) = faults(project)
    assert "domain.py" in found
    assert "MockTool" in found


def test_an_argument_without_a_type(project: Path) -> None:
    edit(project / "domains" / "mock" / "tools.py", "summary: str", "summary")
    assert any("argument 'summary' needs a type annotation" in fault for fault in faults(project))


def test_toolkit_without_tools(project: Path) -> None:
    path = project / "domains" / "mock" / "user_tools.py"
    edit(path, "@tool(reads=True)", "@property")
    edit(path, "@tool(writes=True)", "@property")
    edit(path, "import Toolkit, tool", "import Toolkit")
    assert any("there is no user tool 'dismiss_notification'" in fault for fault in faults(project))


def test_one_id_in_two_files(project: Path) -> None:
    tasks = project / "tasks" / "mock"
    shutil.copy(tasks / "add_a_task.json", tasks / "another.json")
    (found,) = faults(project)
    assert "another.json: the id 'add_a_task' is taken by" in found


def test_files_that_look_like_tasks_and_are_not_read(project: Path) -> None:
    tasks = project / "tasks" / "mock"
    for name in ("more.JSON", "more.yaml"):
        (tasks / name).write_text("id: x", encoding="utf-8")
    assert faults(project) == [
        f"{tasks / name}: nothing reads it; tasks stand in files that end in .json"
        for name in ("more.JSON", "more.yaml")
    ]


def test_documents_that_are_not_read(project: Path) -> None:
    folder = project / "domains" / "mock"
    edit(folder / "domain.py", "import DomainSpec", "import DomainSpec, KnowledgeBase")
    edit(folder / "domain.py", "DomainSpec(", "DomainSpec(documents=KnowledgeBase(), ")
    documents = folder / "documents"
    (documents / "billing").mkdir(parents=True)
    for name in ("read.md", "read.json", "plan.svg", "billing/refunds.md", "fees.txt", "UP.MD", ".fees.txt"):
        (documents / name).write_text('{"id": "x", "text": ""}' if name == "read.json" else "# One", encoding="utf-8")
    found = faults(project)
    assert [one.partition(": nothing reads it; documents stand in ")[0] for one in found] == [
        str(documents / name) for name in ("UP.MD", "billing/refunds.md", "fees.txt")
    ]


def test_copies_under_names_with_a_dot_are_no_tasks(project: Path) -> None:
    (project / "tasks" / "mock" / "._add_a_task.json").write_text("no JSON", encoding="utf-8")
    assert faults(project) == []


def test_a_linked_domain_has_the_name_of_the_link(project: Path) -> None:
    folder = project / "domains" / "mock"
    (project / "elsewhere").mkdir()
    folder.symlink_to(folder.rename(project / "elsewhere" / "mock_v7"))
    assert faults(project) == []


def test_a_key_that_stands_twice_in_a_document(project: Path) -> None:
    folder = project / "domains" / "mock"
    edit(folder / "domain.py", "import DomainSpec", "import DomainSpec, KnowledgeBase")
    edit(folder / "domain.py", "DomainSpec(", "DomainSpec(documents=KnowledgeBase(), ")
    (folder / "documents").mkdir()
    path = folder / "documents" / "fees.json"
    path.write_text('{"id": "fees", "text": "Five.", "text": "Six."}', encoding="utf-8")
    assert faults(project) == [f"{path}: the key 'text' stands twice in one object, and only the last one counts"]


def test_a_key_that_stands_twice_in_the_changes_of_a_variant(project: Path) -> None:
    ghost = project / "domains" / "ghost"
    ghost.mkdir()
    (ghost / "values.toml").write_text('base = "mock"', encoding="utf-8")
    (path := ghost / "db_changes.json").write_text('{"users": {}, "users": {}}', encoding="utf-8")
    said = "the key 'users' stands twice in one object, and only the last one counts"
    assert f"{path}: {said}" in faults(project, "ghost")


def test_parts_that_the_domain_does_not_declare(project: Path) -> None:
    folder = project / "domains" / "mock"
    edit(folder / "domain.py", "user_tools=MockUserTools, solo=True", "dual_only=False")
    (folder / "policy_dual.md").write_text("# Both", encoding="utf-8")
    needed = {"user_db.json": "user_tools=… and no shared_database", "policy_solo.md": "solo=True"}
    for name, what in {**needed, "policy_dual.md": "dual_only=True"}.items():
        assert f"{folder / name}: nothing reads it, because domain.py has not {what}" in faults(project)


def test_a_split_that_names_a_task_that_is_not_there(project: Path) -> None:
    path = project / "tasks" / "mock" / "split_tasks.json"
    path.write_text(json.dumps({"core": ["add_a_task", "gone"]}), encoding="utf-8")
    assert f"{path}: core: there is no task 'gone'" in faults(project)
