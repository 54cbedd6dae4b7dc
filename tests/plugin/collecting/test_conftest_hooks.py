"""Whose hooks hold for a test: those of the conftest.py files above it, or above the project's root."""

import pytest

from tests.plugin.inner import mock_run, task, write
from tests.plugin.trials import items
from tests.shared import shared

HOOK = """
def pytest_tau_grade(task):
    return {}
"""


def grades(item: pytest.Item) -> set[str]:
    """What the hooks of a test return, whoever's come first."""
    return set(item.ihook.pytest_tau_grade(task=None, simulation=None, domain=None))


def test_a_built_in_task_has_the_hooks_of_the_root_and_one_of_the_project_those_above_it(
    pytester: pytest.Pytester,
) -> None:
    for folder in ("", "tasks/mock/", "tests/"):
        write(pytester.path, f"{folder}conftest.py", HOOK.format(repr(folder or "root")))
    write(pytester.path, "tasks/mock/one.json", task())
    write(pytester.path, "tests/test_other.py", "def test_other(): pass")
    built_in, own, _ = items(pytester, "tau/mock/add_a_task.json", "tasks/mock/one.json", "tests/test_other.py")
    assert grades(built_in) == {"root"}
    assert grades(own) == {"root", "tasks/mock/"}


def test_plugins_hold_for_all_and_one_that_comes_later_is_seen(pytester: pytest.Pytester) -> None:
    class Late:
        def pytest_tau_grade(self) -> str:
            return "late"

    (built_in,) = items(pytester, "tau/mock/add_a_task.json")
    assert grades(built_in) == set()
    built_in.config.pluginmanager.register(Late())
    assert grades(built_in) == {"late"}


SEES_ALL = """
import pytest

seen = []

def pytest_itemcollected(item):
    seen.append("itemcollected")
    item.add_marker(pytest.mark.xfail(reason="known"))

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    seen.append(f"makereport {call.when}")
    return (yield)

def pytest_runtest_setup(item):
    seen.append("setup")

def pytest_runtest_call(item):
    seen.append("call")

def pytest_runtest_logreport(report):
    seen.append(f"logreport {report.when}")

def pytest_fixture_setup(fixturedef):
    if fixturedef.argname.startswith("tau_slot"):
        seen.append("fixture_setup")

def pytest_sessionfinish():
    print("seen:", *seen)
"""
SEEN = (
    "*seen: itemcollected setup fixture_setup makereport setup logreport setup call makereport call logreport call"
    " makereport teardown logreport teardown"
)


def test_all_hooks_of_the_root_see_built_in_and_recorded_trials_and_those_below_do_not(
    pytester: pytest.Pytester,
) -> None:
    write(pytester.path, "conftest.py", SEES_ALL)
    write(
        pytester.path, "tests/conftest.py", "def pytest_runtest_setup(item):\n    raise ValueError('not for this test')"
    )
    write(pytester.path, "tests/test_other.py", "")
    played = mock_run(pytester, "tests", "--tau-tasks=1", "--tau-agent=noop", "-s")
    played.stdout.fnmatch_lines([SEEN])
    played.assert_outcomes(xfailed=1)
    again = pytester.runpytest("--tau-rescore=.tau", "-s")
    again.stdout.fnmatch_lines([SEEN])
    again.assert_outcomes(xfailed=1)
    named = pytester.runpytest("tau/mock/add_a_task.json", "-s")  # as failures say that it is run again
    named.stdout.fnmatch_lines([SEEN])


def test_all_hooks_of_the_root_see_trials_of_public_data(pytester: pytest.Pytester) -> None:
    write(pytester.path, "conftest.py", SEES_ALL)
    public = mock_run(pytester, f"--tau-data={shared('tau2')}", "--tau-tasks=1", "--tau-agent=noop", "-s")
    public.stdout.fnmatch_lines([SEEN])


def test_a_hook_changes_the_tasks_of_its_folder_and_of_the_tests_in_it_only(pytester: pytest.Pytester) -> None:
    for folder in "ab":
        for name in ("one", "two"):
            write(pytester.path, f"tasks/{folder}/{name}.json", task(f"{folder}_{name}"))
        marked = f"import pytest\n@pytest.mark.tau(domain='b')\ndef test_{folder}(tau_task): pass"
        write(pytester.path, f"tasks/{folder}/test_{folder}.py", marked)
    write(pytester.path, "tasks/a/conftest.py", "def pytest_tau_modify_tasks(tasks): tasks[:] = tasks[1:]")
    of_a = ["tasks/a/test_a.py::test_a[b_two-trial1]"]
    of_b = [
        "tasks/b/one.json::test_task[trial1]",
        "tasks/b/test_b.py::test_b[b_one-trial1]",
        "tasks/b/test_b.py::test_b[b_two-trial1]",
        "tasks/b/two.json::test_task[trial1]",
    ]
    built_in = "tau/mock/add_a_task.json"
    found = [item.nodeid for item in items(pytester, "tasks/a", "tasks/b", built_in)]
    assert sorted(found) == [*of_a, *of_b, f"{built_in}::test_task[trial1]"]
