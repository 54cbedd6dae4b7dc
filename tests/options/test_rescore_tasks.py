"""``--tau-rescore-tasks``: whose tasks recorded conversations are graded by."""

import pytest

from tests.options.usage import assert_refused, refused
from tests.recordings.test_rescored import tau2_file


def test_of_today(pytester: pytest.Pytester) -> None:
    tau2_file(pytester.path / "run.json")
    refused(pytester, "--tau-rescore=run.json", "--tau-rescore-tasks=today").fnmatch_lines(
        ["ERROR: --tau-rescore: *run.json: simulations[[]0]: its task 't' is not among the tasks that 'mock' has now"]
    )


def test_bad_values_are_usage_errors() -> None:
    assert_refused("rescore_tasks", "theirs", "must be one of file, today, not 'theirs'")
