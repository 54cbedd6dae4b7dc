"""Runs of pytest within a test: they leave the modules of this process as they found them, and never without them."""

import sys
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


def test_they_are_there_also_while_an_inner_run_is_cleaned_up_after(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    # pytester itself takes all of them out first: what a thread imports just then is loaded a second time, which once
    # left a process with two copies of this package, and a thousand tests that failed for it.
    found: list[bool] = []
    seen = ModuleType("seen")
    vars(seen)["found"] = found
    monkeypatch.setitem(sys.modules, "seen", seen)
    pytester.makepyfile(LEAVES)
    pytester.runpytest().assert_outcomes(passed=1)
    assert "looks" not in sys.modules
    assert sys.modules["pytest_tau"] is pytest_tau
    assert found == [True]
