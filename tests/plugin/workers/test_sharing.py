"""Reports that share what is the same in them, and are otherwise what they were."""

import json
from typing import Any

import pytest

from pytest_tau.plugin.hooks import pytest_runtest_logreport
from pytest_tau.plugin.workers.sharing import SharedParts
from pytest_tau.plugin.workers.transport import TRIAL, look, put

PHASES = ("setup", "call", "teardown")
PROPERTIES = [["tau_task", "mock/a"], ["tau_trial", 1], ["odd", {"a": 1}]]


def as_received(
    when: str, nodeid: str = "tau/mock/a.json::test_task[trial1]", kind: type[pytest.TestReport] = pytest.TestReport
) -> pytest.TestReport:
    """A report as xdist makes it of what a worker has sent: every text is a copy."""
    sent = {
        "nodeid": nodeid,
        "location": ["tau/mock/a.json", 0, "mock/a, trial 1"],
        "keywords": {"test_task[trial1]": 1, "a.json": 1},
        "outcome": "passed",
        "longrepr": None,
        "when": when,
        "user_properties": PROPERTIES if when != "setup" else [],
        "sections": [["Captured stdout call", "x" * 600]],
        "worker_id": "gw0",
        "$report_type": "TestReport",
    }
    copied: dict[str, Any] = json.loads(json.dumps(sent))
    copied["location"] = tuple(copied["location"])
    copied["user_properties"] = [tuple(one) for one in copied["user_properties"]]
    return kind(**copied)


def test_a_report_says_what_it_said() -> None:
    parts = SharedParts()
    for when in PHASES:
        report, before = as_received(when), vars(as_received(when))
        parts.share(report)
        assert {name: str(value) for name, value in vars(report).items()} == {
            name: str(value) for name, value in before.items()
        }


def test_what_is_equal_is_the_same_object() -> None:
    parts = SharedParts()
    kind = type("Report", (pytest.TestReport,), {})  # whose names other tests' reports have not added to
    called, torn_down = as_received("call", kind=kind), as_received("teardown", kind=kind)
    for report in (called, torn_down):
        parts.share(report)
    assert called.nodeid is torn_down.nodeid
    assert called.keywords is torn_down.keywords
    assert called.location is torn_down.location
    assert vars(called)["worker_id"] is vars(torn_down)["worker_id"]
    assert called.user_properties[0] is torn_down.user_properties[0]
    assert called.user_properties is not torn_down.user_properties
    assert {id(name) for name in vars(called)} == {id(name) for name in vars(torn_down)}


def test_nothing_is_kept_of_a_test_that_is_over() -> None:
    parts = SharedParts()
    for when in PHASES:
        parts.share(as_received(when))
    assert not parts._before


def test_other_tests_between_them_do_no_harm() -> None:
    parts = SharedParts()
    parts.share(as_received("setup"))
    other = as_received("call", "tests/test_other.py::test_it")
    parts.share(other)
    assert other.nodeid == "tests/test_other.py::test_it"


def test_a_worker_keeps_no_trial_that_it_has_sent() -> None:
    report = as_received("call")
    put(report, TRIAL, "{}")
    pytest_runtest_logreport(report)
    assert look(report, TRIAL) is None
