"""A trial as its watcher sees it: what it waits for, how late it is, and how it ends from outside."""

from typing import Any

import pytest

from pytest_tau.conversation import watched
from pytest_tau.conversation.limits import Limits
from pytest_tau.conversation.trial import Trial
from pytest_tau.errors import TrialCancelled
from pytest_tau.schema.simulation import Termination
from tests.builders import Lines, mock, task


class Closes(Lines):
    """An agent that counts how often it is let go."""

    closed = 0

    def close(self) -> None:
        self.closed += 1


def begun(agent: Any, timeout: float | None = None) -> Trial:
    players = (lambda context: agent, lambda context: Lines(["Hello", "###STOP###"]))
    return Trial(task(), mock().environment(), *players, trial=3, seed=1, limits=Limits(timeout=timeout)).begin()


def test_what_a_trial_is_and_how_far_it_has_come() -> None:
    trial = begun(Lines(["Hm"]))
    assert (trial.turns, trial.overdue, trial.is_busy) == (1, 0.0, False)
    with trial.answering():
        assert trial.is_busy
    trial.end(Termination.TEST_ENDED, "enough")
    trial.end(Termination.TIMEOUT, "too late to say so")
    assert (trial.turns, trial.simulation().note) == (None, "enough")


def test_one_that_is_cancelled_ends_before_the_next_turn() -> None:
    trial = begun(Lines(["Hm"]))
    trial.cancel()
    with pytest.raises(TrialCancelled, match="the trial was cancelled"):
        trial.ask()


def test_one_that_is_abandoned_says_what_it_waited_for_and_lets_its_agent_go() -> None:
    agent = Closes(["Hm"])
    trial = begun(agent, timeout=0.0)
    assert trial.overdue > 0
    trial.abandon()
    note = trial.simulation().note or ""
    assert note.startswith("the user was still answering ")
    assert (trial.conversation.reason, trial.overdue, agent.closed) == (Termination.TIMEOUT, 0.0, 1)
    with pytest.raises(TrialCancelled, match="given up"):
        trial.ask()


def test_an_agent_is_let_go_once() -> None:
    agent = Closes(["Hm"])
    trial = begun(agent)
    trial.close()
    trial.close()
    assert (agent.closed, trial.is_closing, watched.TO_CLOSE) == (1, False, 5.0)


def test_an_agent_that_does_not_come_back_is_left_with_a_warning() -> None:
    trial = begun(Lines(["Hm"]))
    with pytest.warns(UserWarning, match="had not returned after its time"):
        trial.leave_closing()
    assert trial.abandoned
