"""Which tasks an environment draws from: those for a first try."""

import pytest

from pytest_tau.adapters.suites import chosen_tasks, own_tasks
from pytest_tau.errors import SettingsError
from tests.builders import core


@pytest.mark.parametrize(("domain", "number"), [("mock", 6), ("retail", 30)])
def test_the_core_of_a_suite_or_all_of_one_without_splits(domain: str, number: int) -> None:
    tasks = own_tasks(domain)
    assert len(tasks) == number
    assert tasks == core(domain)


def test_no_tasks_at_all_are_refused() -> None:
    assert chosen_tasks("mock", None) == own_tasks("mock")
    assert chosen_tasks("mock", own_tasks("mock")[:1]) == own_tasks("mock")[:1]
    with pytest.raises(SettingsError, match="no tasks were given for an environment of mock: give some, or leave"):
        chosen_tasks("mock", [])
