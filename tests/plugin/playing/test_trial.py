"""What it takes to play a trial, and what comes of it."""

from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from pytest_tau import grade, simulate
from pytest_tau.plugin.playing.trial import PLAYED, Finished, TrialRequest
from tests.builders import core, mock
from tests.plugin.trials import Trial, items

TASK = core("mock")[0]


def test_a_request_has_all_that_is_its_trials_own(pytester: pytest.Pytester) -> None:
    first, second = (Trial(item).request() for item in items(pytester, f"tau/mock/{TASK.id}.json", "--tau-k=2"))
    assert (first.slot.trial, second.slot.trial) == (1, 2)
    assert first.slot.task == second.slot.task == TASK
    assert first.item is not second.item
    shared = {field.name for field in fields(TrialRequest)} & {"run", "limits", "solo", "plan"}
    assert all(getattr(first, name) == getattr(second, name) for name in shared)
    with pytest.raises(FrozenInstanceError):
        first.solo = True  # type: ignore[misc]


def test_finished_trials_are_equal_when_all_of_them_is() -> None:
    simulation = simulate(TASK, mock())
    reward = grade(TASK, simulation, mock())
    assert Finished(simulation, reward) == Finished(simulation, reward, None)
    assert Finished(simulation, reward) != Finished(simulation, None)


def test_what_a_test_keeps_of_its_trial_is_its_own(pytester: pytest.Pytester) -> None:
    one, other = items(pytester, f"tau/mock/{TASK.id}.json", "--tau-k=2")
    one.stash[PLAYED] = played = simulate(TASK, mock())
    assert one.stash[PLAYED] is played
    assert PLAYED not in other.stash
    assert Path(one.path).stem == TASK.id
