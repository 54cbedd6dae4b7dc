"""``--tau-k``."""

import pytest

from tests.options.usage import assert_refused
from tests.plugin.inner import mock_run, rows
from tests.plugin.parts import nodeids


def test_every_task_runs_k_times(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, "--tau-k=3", "--tau-tasks=add_*,count_*", "-v")
    result.assert_outcomes(passed=6)
    row = rows(result)["mock"]
    assert (row["tasks"], row["trials"]) == ("2", "6")
    assert [head for head in row if head.startswith("pass^")] == ["pass^1", "pass^3", "pass^2"]


def test_trials_are_counted_from_1_and_stand_together(pytester: pytest.Pytester) -> None:
    assert nodeids(pytester, "--tau-domain=mock", "--tau-k=2", "--tau-tasks=add_*,count_*") == [
        "tau/mock/add_a_task.json::test_task[trial1]",
        "tau/mock/add_a_task.json::test_task[trial2]",
        "tau/mock/count_my_tasks.json::test_task[trial1]",
        "tau/mock/count_my_tasks.json::test_task[trial2]",
    ]


@pytest.mark.parametrize("value", ["0", "-1", "two", "1.5", "100000"])
def test_a_bad_value_is_a_usage_error(value: str) -> None:
    assert_refused("k", value, f"must be a whole number from 1 to 10000, not '{value}'")
