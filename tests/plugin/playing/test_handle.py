"""A test's handle on its trial: played when the test first looks, and ending the test with what became of it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from pytest_tau import grade, simulate
from pytest_tau.errors import InfraError
from pytest_tau.plugin.playing.handle import TrialHandle
from pytest_tau.plugin.playing.outcomes import NotRun, TauInfra, TauInvalid, TauMiss, Ungraded
from pytest_tau.plugin.playing.steering import Steering
from pytest_tau.plugin.playing.trial import Finished, TrialRequest
from pytest_tau.schema.reward import CriterionResult, Reward
from pytest_tau.schema.simulation import Termination
from tests.builders import finished
from tests.plugin.trials import Trial, items


class Plays:
    """Gives a finished trial, and counts how often."""

    def __init__(self, trial: Finished | BaseException) -> None:
        self.given = trial
        self.times = 0

    def run(self, request: TrialRequest) -> Finished:
        """As a runner does."""
        self.times += 1
        if isinstance(self.given, BaseException):
            raise self.given
        return self.given


class Steers(Plays, Steering):
    """One that its test plays step by step."""

    def cut_off(self, error: BaseException | None) -> Finished | None:
        """End it where it is."""
        return None if isinstance(self.given, BaseException) else self.given


Make = Callable[[Plays], TrialHandle]


@pytest.fixture
def trial(pytester: pytest.Pytester) -> Trial:
    return Trial(items(pytester, "tau/mock/complete_a_task.json")[0])


@pytest.fixture
def handle(trial: Trial) -> Make:
    """Makes the handle of a test, whose trial is as this runner has it."""
    return lambda runner: TrialHandle(runner.run, trial.request())


def played(trial: Trial, agent: str) -> Finished:
    simulation = simulate(trial.slot.task, trial.slot.domain, agent)
    return Finished(simulation, grade(trial.slot.task, simulation, trial.slot.domain))


def ended(reason: Termination, note: str | None = None) -> Finished:
    """A conversation that was not graded."""
    return Finished(finished(reason=reason).model_copy(update={"note": note}), None)


def test_it_is_played_once_when_its_test_first_looks(trial: Trial, handle: Make) -> None:
    looked: list[str] = []
    trial.run.begins = looked.append
    runner = Plays(played(trial, "oracle"))
    made = handle(runner)
    assert (made.started, made.end(None), runner.times) == (None, None, 0)
    assert made.simulation is runner.given.simulation  # type: ignore[union-attr]
    assert made.reward.passed
    made.verify()
    assert runner.times == 1
    assert made.started is made.end(None) is runner.given
    assert looked == [trial.item.nodeid]


def test_a_miss_ends_the_test_with_the_verdict_only_where_it_asks_for_one(trial: Trial, handle: Make) -> None:
    made = handle(Plays(played(trial, "noop")))
    assert made.simulation.termination_reason == "user_stop"
    assert made.reward.value == 0.0
    with pytest.raises(TauMiss) as missed:
        made.verify()
    text = str(missed.value)
    assert text == made.verdict_text()
    assert text.startswith("missed DB, ENV_ASSERTION (reward 0, ended by user_stop)\n  mock/complete_a_task, trial 1\n")
    assert "Run exactly this trial again:  pytest " in text
    assert "In the debugger" not in text


@pytest.mark.parametrize(
    ("reason", "error"), [(Termination.INFRASTRUCTURE_ERROR, TauInfra), (Termination.USER_ERROR, TauInvalid)]
)
def test_what_says_nothing_of_the_agent_ends_the_test_whatever_it_asks_for(
    handle: Make, reason: Termination, error: type[Exception]
) -> None:
    for ask in (TrialHandle.verify, lambda made: made.simulation, lambda made: made.reward):
        with pytest.raises(error, match=r"^\\x1b is down\nnot finished \(not graded, "):
            ask(handle(Plays(ended(reason, "\x1b is down"))))


def test_what_waits_for_a_judge_ends_a_test_that_asks_for_a_verdict(trial: Trial, handle: Make) -> None:
    for criterion in ("NL_ASSERTION", "POLITE"):
        results = [CriterionResult(criterion=criterion)]
        waits = replace(played(trial, "oracle"), reward=Reward(value=None, basis=[criterion], results=results))
        made = handle(Plays(waits))
        assert made.reward.ungraded
        with pytest.raises(Ungraded, match=f"waits for a judge: {criterion} is part of the reward"):
            made.verify()


@pytest.mark.parametrize("error", [NotRun("the budget of $5 is used up"), InfraError("down"), ValueError("a bug")])
def test_what_playing_raises_ends_the_test_as_it_is(handle: Make, error: BaseException) -> None:
    made = handle(Plays(error))
    with pytest.raises(type(error)) as raised:
        made.verify()
    assert raised.value is error
    assert made.end(error) is None


def test_one_that_is_played_step_by_step_ends_with_its_test(trial: Trial, handle: Make) -> None:
    whole, cut = Plays(played(trial, "oracle")), Steers(played(trial, "noop"))
    made = handle(whole)
    made.steer(cut)
    assert made.end(AssertionError()) is cut.given
    assert made.started is cut.given
    made = handle(whole)
    made.steer(Steers(ValueError()))  # never begun
    assert made.end(None) is made.started is None
    made = handle(whole)
    made.steer(cut)
    assert made.finished is cut.given
    assert (whole.times, cut.times) == (0, 1)


def test_in_a_debugger_the_verdict_says_where_the_trial_is(trial: Trial, handle: Make) -> None:
    trial.item.config.option.usepdb = True
    with pytest.raises(TauMiss, match=r"In the debugger: tau_trial\.finished\.simulation\.messages, "):
        handle(Plays(played(trial, "noop"))).verify()
