"""The node IDs of task files that lie outside of the project."""

from pathlib import Path

import pytest

from pytest_tau.environment.folders import builtin_folder
from pytest_tau.plugin.collecting.nodeids import nodeid_of, provided_nodeid, virtual_nodeid
from pytest_tau.plugin.collecting.task_files import resolve_arguments, suite_of, task_files
from pytest_tau.plugin.run import Run
from tests.plugin.inner import collected, journal, make_shop, shop_task, write
from tests.shared import shared

REGISTERS = """
def pytest_tau_register_domains(registry):
    registry.add("shop", "{0}/domains/shop", tasks="{0}/tasks/shop")
    registry.add("store", "{0}/domains/shop", tasks="{0}/tasks/store")
    registry.add("stall", "{0}/domains/shop", tasks="{0}/tasks/stall/sell_one.json")

class Silent:
    def __init__(self, context):
        pass

    def reply(self, messages):
        return "I see."

def pytest_tau_make_agent(item):
    return Silent
"""


@pytest.fixture
def root(pytester: pytest.Pytester, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project beside a folder with three suites of a domain, each of one file of the same name."""
    outside = tmp_path_factory.mktemp("outside")
    make_shop(outside)
    for suite in ("store", "stall"):
        write(outside, f"tasks/{suite}/sell_one.json", shop_task(f"of_{suite}"))
    pytester.makeconftest(REGISTERS.format(outside.as_posix()))
    pytester.makeini("[pytest]")
    return outside


def test_node_ids_of_what_is_not_the_projects(pytester: pytest.Pytester) -> None:
    run = Run(pytester.parseconfig(f"--tau-data={shared('tau2')}"))
    assert virtual_nodeid(run, pytester.path / "tasks/shop/sell_one.json") is None
    assert virtual_nodeid(run, builtin_folder("tasks", "mock") / "add_a_task.json") == "tau/mock/add_a_task.json"
    (public,) = suite_of(run, "mock")
    assert virtual_nodeid(run, public) == provided_nodeid(run, public) == "tau2/mock/tasks.json"
    assert task_files(run, "tau2/mock/tasks.json") == [public]
    assert virtual_nodeid(Run(pytester.parseconfig()), public) is None  # without the data it is a file like others


def test_a_registered_file_goes_by_the_name_of_its_suite(pytester: pytest.Pytester, root: Path) -> None:
    run = Run(pytester.parseconfig("tau/shop", "tau/store/sell_one.json::test_task[trial1]", "tau/stall/sell_one.json"))
    resolve_arguments(run)
    store = root / "tasks/store/sell_one.json"
    stall = root / "tasks/stall/sell_one.json"
    shop = root / "tasks/shop/sell_one.json"
    assert run.config.args == [str(shop), f"{store}::test_task[trial1]", str(stall)]
    assert nodeid_of(run, store) == virtual_nodeid(run, store) == "tau/store/sell_one.json"
    assert nodeid_of(run, stall) == "tau/stall/sell_one.json"
    assert provided_nodeid(run, store) is None


def test_any_other_file_goes_by_its_path_from_the_root(pytester: pytest.Pytester, root: Path) -> None:
    run = Run(pytester.parseconfig())
    assert nodeid_of(run, pytester.path / "tasks/one.json") is None
    tasks = pytester.mkdir("tasks")
    for name in ("one", "two"):
        write(pytester.path.parent, f"linked_{name}/sell_one.json", shop_task(name))
        (tasks / name).symlink_to(pytester.path.parent / f"linked_{name}")
    assert collected(pytester, "--tau-domain=one,two") == [
        "../linked_one/sell_one.json::test_task[trial1]",
        "../linked_two/sell_one.json::test_task[trial1]",
    ]


def test_a_root_behind_a_link_changes_no_id(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path / "real")
    link = pytester.path / "link"
    link.symlink_to(pytester.path / "real")
    found = collected(pytester, f"--rootdir={link}", "--tau-domain=shop")
    assert found == ["tasks/shop/sell_one.json::test_task[trial1]"]


def test_files_of_one_name_in_registered_suites_are_all_played_by_the_agent_of_the_root(
    pytester: pytest.Pytester, root: Path
) -> None:
    result = pytester.runpytest("--tau-domain=shop,store,stall")
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["agent: conftest:Silent   user: scripted"])
    assert [record.nodeid for record in journal(pytester.path)] == [
        f"tau/{suite}/sell_one.json::test_task[trial1]" for suite in ("shop", "store", "stall")
    ]
    pytester.runpytest("--tau-rescore=.tau").assert_outcomes(failed=3)
    again = pytester.runpytest("tau/store/sell_one.json::test_task[trial1]")
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines(
        ["Run exactly this trial again:  pytest 'tau/store/sell_one.json::test_task[[]trial1]'*"]
    )
