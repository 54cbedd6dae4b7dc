"""Who watches over a trial, and when a player has taken too long; that one is interrupted: test_hanging_players.py."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_tau.conversation.limits import Limits
from pytest_tau.conversation.trial import Trial as Conversation
from pytest_tau.plugin.playing import guarding
from pytest_tau.plugin.playing.guarding import PATIENCE, Guard, give_up
from pytest_tau.plugin.playing.running import make_trial
from pytest_tau.plugin.playing.trial import TrialRequest
from pytest_tau.plugin.worker_messages import ToWorker
from pytest_tau.schema.record import Outcome, TrialRecord
from tests.plugin.inner import apart
from tests.plugin.trials import Trial, items


@pytest.fixture
def request_for(pytester: pytest.Pytester) -> TrialRequest:
    return Trial(items(pytester, "tau/mock/complete_a_task.json")[0]).request()


def watchers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "tau-guard"}


def guarded(request: TrialRequest, do: Callable[[Guard], None]) -> None:
    guard = Guard(request)
    guard.begin(make_trial(request).begin())
    try:
        do(guard)
    finally:
        guard.end()
    assert guard not in guarding._guards


def test_a_trial_with_a_time_limit_is_watched_until_it_is_over(request_for: TrialRequest) -> None:
    def look(guard: Guard) -> None:
        assert guarding._guards[-1] is guard
        assert watchers()
        assert not guard.is_needed  # nobody is answering

    guarded(request_for, look)


def test_one_thread_watches_over_all_trials_of_a_process(request_for: TrialRequest) -> None:
    def look(guard: Guard) -> None:
        known = watchers()
        guarded(request_for, lambda another: added.append(watchers() - known))

    added: list[set[threading.Thread]] = []
    guarded(request_for, look)
    assert added == [set()]


def test_a_watching_thread_that_could_not_begin_is_begun_by_the_next_trial(
    request_for: TrialRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(guarding, "_watched_by", None)
    guard = Guard(request_for)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError, match="new thread"):
            guarding._watch_over(guard)
    guard.end()
    known = watchers()
    added: list[set[threading.Thread]] = []
    guarded(request_for, lambda another: added.append(watchers() - known))
    assert len(added[0]) == 1


def test_the_trial_that_is_played_in_its_place_has_the_same_guard(request_for: TrialRequest) -> None:
    def look(guard: Guard) -> None:
        known = list(guarding._guards)
        guard.begin(make_trial(request_for, 1))
        assert guarding._guards == known

    guarded(request_for, look)


def test_without_a_time_limit_nobody_watches(request_for: TrialRequest) -> None:
    before = list(guarding._guards)
    guarded(replace(request_for, limits=Limits(timeout=None)), lambda guard: None)
    guard = Guard(request_for)  # not begun
    assert not guard.is_needed
    assert guarding._guards == before


@pytest.mark.parametrize(("is_worker", "watched"), [(False, False), (True, True)])
def test_in_another_thread_only_a_worker_can_be_ended(
    request_for: TrialRequest, is_worker: bool, watched: bool
) -> None:
    request_for.run.told = ToWorker() if is_worker else None
    found: list[bool] = []
    thread = threading.Thread(target=guarded, args=(request_for, lambda guard: found.append(guard in guarding._guards)))
    thread.start()
    thread.join()
    assert found == [watched]


def overdue(trial: Conversation, seconds: float) -> None:
    """Put the trial's beginning so far into the past that its time has been over for so long."""
    trial.clock.began -= 600.0 + seconds


def test_it_is_needed_when_a_player_is_at_work_long_after_the_time_limit(request_for: TrialRequest) -> None:
    trial = make_trial(request_for).begin()
    guard = Guard(replace(request_for, limits=Limits(timeout=None)))  # for which nobody else looks
    guard.begin(trial)
    trial.ask()
    for seconds, needed in ((1.0, False), (PATIENCE, True)):
        overdue(trial, seconds)
        assert not guard.is_needed  # a test that looks at its trial may take its time
        with trial.answering():
            assert guard.is_needed == needed
    guard.end()


def test_a_trial_that_is_given_up_is_kept_as_it_is(request_for: TrialRequest) -> None:
    trial = make_trial(request_for).begin()
    trial.ask()
    overdue(trial, PATIENCE)
    with trial.answering():
        done = give_up(request_for, trial)
    assert (done.simulation.termination_reason, done.reward) == ("timeout", None)
    assert done.simulation.agent == "oracle"
    (file,) = request_for.run.folder.glob("spool-*.jsonl")
    (line,) = file.read_text(encoding="utf-8").splitlines()
    record = TrialRecord.model_validate_json(line)
    assert (record.nodeid, record.outcome) == (request_for.item.nodeid, Outcome.INFRA_ERROR)
    assert record.fault == done.fault


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells which signals a thread blocks")
def test_who_blocks_a_signal_is_deaf_to_it_in_a_copied_process_too(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import signal

        from pytest_tau.plugin.playing import guarding

        def test_deaf():
            number = guarding._our_signal()
            assert not guarding._is_deaf(number)
            signal.pthread_sigmask(signal.SIG_BLOCK, {number})
            assert guarding._is_deaf(number)
        """
    )
    apart(pytester).assert_outcomes(passed=1)
