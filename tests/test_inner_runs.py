"""Runs of pytest within a test: they leave the modules of this process as they found them, and never without them."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import ModuleType

import pytest

import pytest_tau

LEAVES = """
import sys, types

class Looks:
    def __init__(self, seen):
        self.seen = seen

    def __del__(self):
        self.seen.append("pytest_tau" in sys.modules)

def test_one():
    sys.modules["looks"] = types.ModuleType("looks")
    sys.modules["looks"].one = Looks(sys.modules["seen"].found)
"""


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether this package was there whenever a module that looks for it was taken out.

    pytester itself takes all of them out first: what a thread imports just then is loaded a second time, which once
    left a process with two copies of this package, and a thousand tests that failed for it.
    """
    seen, found = ModuleType("seen"), list[bool]()
    vars(seen)["found"] = found
    monkeypatch.setitem(sys.modules, "seen", seen)
    return found


def test_they_are_there_while_an_inner_run_is_cleaned_up_after(pytester: pytest.Pytester, found: list[bool]) -> None:
    pytester.makepyfile(LEAVES)
    pytester.runpytest().assert_outcomes(passed=1)
    assert "looks" not in sys.modules
    assert sys.modules["pytest_tau"] is pytest_tau
    assert found == [True]


def test_they_are_there_while_a_test_is_cleaned_up_after(
    shared_run: Callable[[], AbstractContextManager[pytest.Pytester]], found: list[bool]
) -> None:
    with shared_run():
        exec(f"{LEAVES}\ntest_one()", {"__name__": "looks"})  # noqa: S102 (our own lines)
    assert "looks" not in sys.modules
    assert sys.modules["pytest_tau"] is pytest_tau
    assert found == [True]
