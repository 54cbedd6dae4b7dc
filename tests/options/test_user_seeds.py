"""``--tau-user-seeds``: several trials of a task meet the same customer, and the variance is split."""

import pytest

from tests.options.usage import assert_refused
from tests.plugin.inner import journal, mock_run
from tests.plugin.parts import mock_play


def test_each_customer_meets_as_many_trials(pytester: pytest.Pytester) -> None:
    arguments = ("--tau-agent=faulty:rate=0.5", "--tau-k=4", "--tau-tasks=3", "--tau-user-seeds=2")
    result = mock_run(pytester, *arguments)
    seeds: dict[str, list[int | None]] = {}
    for record in journal(pytester.path):
        assert record.simulation is not None
        assert record.simulation.seed is not None
        seeds.setdefault(record.task_id, []).append(record.simulation.user_seed)
    for found in seeds.values():
        assert found[0::2] == [found[0]] * 2
        assert found[1::2] == [found[1]] * 2
        assert found[0] != found[1]
    split = "Variance of a trial: * task, * customer, * agent. Other customers alone can move pass^1 of such a run by *"
    result.stdout.fnmatch_lines([split])
    mock_play(pytester, *arguments, "--tau-resume").stdout.fnmatch_lines([split])


def test_each_agent_has_its_own_variance(pytester: pytest.Pytester) -> None:
    agents = ("--tau-agent=oracle", "--tau-agent=mine=faulty:rate=0.5")
    result = mock_play(pytester, *agents, "--tau-k=4", "--tau-tasks=4", "--tau-user-seeds=2")
    result.stdout.fnmatch_lines(["Variance of a trial of mine: * task, *"])
    result.stdout.no_fnmatch_line("Variance of a trial: *")


def test_without_it_every_trial_has_its_own(pytester: pytest.Pytester) -> None:
    result = mock_play(pytester, "--tau-tasks=2", "--tau-k=2")
    assert {record.simulation.user_seed for record in journal(pytester.path) if record.simulation} == {None}
    result.stdout.no_fnmatch_line("Variance of a trial: *")


def test_a_bad_value_is_a_usage_error() -> None:
    assert_refused("user_seeds", "1", "must be a whole number from 2 to 5000, not '1'")
