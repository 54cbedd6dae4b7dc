"""Whose hooks hold for a test: those of the conftest.py files above it, or above the project's root."""

import pytest

from pytest_tau.plugin.collecting.conftest_hooks import hooks_of
from tests.plugin.inner import task, write
from tests.plugin.trials import items

HOOK = """
def pytest_tau_grade(task):
    return {}
"""


def grades(item: pytest.Item) -> set[str]:
    """What the hooks of a test return, whoever's come first."""
    return set(hooks_of(item).pytest_tau_grade(task=None, simulation=None, domain=None))


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
