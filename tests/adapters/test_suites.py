"""Which tasks an environment draws from: those for a first try."""

import pytest

from pytest_tau.adapters.suites import own_tasks
from tests.builders import core


@pytest.mark.parametrize(("domain", "number"), [("mock", 6), ("retail", 30)])
def test_the_core_of_a_suite_or_all_of_one_without_splits(domain: str, number: int) -> None:
    tasks = own_tasks(domain)
    assert len(tasks) == number
    assert tasks == core(domain)
