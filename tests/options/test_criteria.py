"""``--tau-criteria``: what a run is graded by, whatever the tasks say."""

from typing import get_args

import pytest

from pytest_tau.plugin.settings.values import CRITERIA
from pytest_tau.schema.record import TrialRecord
from pytest_tau.schema.task import Criterion
from tests.options.usage import assert_refused, refused
from tests.plugin.inner import journal, mock_run, outcomes, task, write
from tests.plugin.parts import mock_play, play
from tests.shared import shared

# complete_a_task is graded by DB, ENV_ASSERTION and TRAJECTORY.
ONE = "--tau-tasks=complete_a_task"
UNMET = task(
    "unmet",
    evaluation_criteria={
        "actions": [],
        "communicate_info": ["never said"],
        "nl_assertions": ["The agent is kind."],
        "reward_basis": ["NL_ASSERTION"],
    },
)


def basis(pytester: pytest.Pytester) -> list[str] | None:
    [record] = journal(pytester.path)
    assert record.reward is not None
    return record.reward.basis


def test_every_criterion_has_its_name() -> None:
    assert set(CRITERIA) == set(get_args(Criterion))


def test_by_these_alone(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, ONE, "--tau-agent=noop", "--tau-criteria=trajectory")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["tau: graded by TRAJECTORY alone, whatever the tasks' reward basis"])
    assert basis(pytester) == ["TRAJECTORY"]
    [record] = journal(pytester.path)
    assert record.reward is not None
    left_out = record.reward.result("DB")  # and it is reported
    assert left_out is not None
    assert (left_out.in_basis, left_out.value) == (False, 0.0)


@pytest.mark.parametrize(
    ("criteria", "outcome"),
    [("DB", "passed"), ("COMMUNICATE,DB", "missed"), ("DB, NL_ASSERTION", "ungraded")],
)
def test_also_by_what_a_task_leaves_out(pytester: pytest.Pytester, criteria: str, outcome: str) -> None:
    write(pytester.path, "tasks/mock/unmet.json", UNMET)
    mock_play(pytester, "--tau-agent=noop", f"--tau-criteria={criteria}")
    assert outcomes(pytester.path) == {"unmet": outcome}


def test_a_task_without_criteria_has_none(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tasks/mock/free.json", task("free", evaluation_criteria=None))
    mock_play(pytester, "--tau-criteria=DB").assert_outcomes(passed=1)
    assert basis(pytester) is None


def test_recordings_are_graded_by_them_too(pytester: pytest.Pytester) -> None:
    mock_play(pytester, ONE, "--tau-agent=noop")
    result = play(pytester, "--tau-rescore=.tau", "--tau-criteria=TRAJECTORY")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*test_task[[]complete_a_task-trial1]: 0 was recorded, and it is 1"])


def test_public_tasks_without_a_judge(pytester: pytest.Pytester) -> None:
    data = shared("tau2")
    arguments = ("--tau-domain=retail", f"--tau-data={data}", "--tau-tasks=6")
    waits = [record.task_id for record in records(pytester, *arguments) if record.outcome == "ungraded"]
    assert waits
    one = (*arguments[:2], f"--tau-tasks=id:{waits[0]}", "--tau-criteria=DB,COMMUNICATE")
    assert [record.outcome for record in records(pytester, *one)] == ["passed"]


def records(pytester: pytest.Pytester, *arguments: str) -> list[TrialRecord]:
    play(pytester, *arguments)
    return journal(pytester.path)


def test_a_run_by_others_is_not_gone_on_with(pytester: pytest.Pytester) -> None:
    mock_play(pytester, ONE, "--tau-criteria=DB").assert_outcomes(passed=1)
    refused(pytester, "--tau-domain=mock", ONE, "--tau-resume", "--tau-k=2").fnmatch_lines(["*--tau-criteria*"])
    mock_play(pytester, ONE, "--tau-criteria=DB", "--tau-resume", "--tau-k=2").assert_outcomes(passed=1)


def test_a_baseline_by_others_is_stale(pytester: pytest.Pytester) -> None:
    against = ("--tau-agent=noop", "--tau-baseline=base.json", ONE)
    mock_play(pytester, *against, "--tau-bless")
    result = mock_play(pytester, *against, "--tau-gate=no regression", "--tau-criteria=DB")
    result.stdout.fnmatch_lines(["*criteria*"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_bad_values_are_usage_errors() -> None:
    named = ", ".join(CRITERIA)
    assert_refused("criteria", "DB,MOOD", f"must be of {named}, not 'MOOD'")
    assert_refused("criteria", ",", "must name at least one")
