"""What customers like people cost an agent, as a sentence of the report."""

import pytest

from tests.plugin.inner import mock_run


def test_the_report_says_what_realism_costs(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, "--tau-agent=oracle", "--tau-perturb=people", "--tau-tasks=add_a_task,delete_a_task")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        ["Customers like people cost this agent 0.0 points [[]*: it passes 100.0 → 100.0 % (pass^1)."]
    )
