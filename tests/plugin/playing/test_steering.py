"""A trial that is played step by step: as far as a test wants, then to its end, or cut off where the test ends."""

import json
from collections.abc import Callable, Sized
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from pytest_tau import AssistantMessage, ToolCall
from pytest_tau.errors import SettingsError
from pytest_tau.journal.spools import DROPPED
from pytest_tau.plugin.playing.outcomes import NotRun
from pytest_tau.plugin.playing.steering import Steering
from pytest_tau.plugin.playing.trial import TrialRequest
from pytest_tau.schema.simulation import Termination
from tests.plugin.trials import Trial, items

ONE = "tau/mock/complete_a_task.json"
DONE = ToolCall(id="1", name="update_task_status", arguments={"task_id": "task_1", "status": "completed"})
Steer = Callable[..., tuple[Steering, TrialRequest]]


class Agent:
    """Looks, does what it is asked for, and tells; notes when it is closed."""

    def __init__(self, closed: list[str]) -> None:
        self._closed = closed
        look = ToolCall(id="0", name="get_users", arguments={})
        self._replies = iter(["What is it?", AssistantMessage(tool_calls=[look, DONE], cost=0.0)])

    def reply(self, messages: list[Any]) -> Any:
        """The next reply."""
        return next(self._replies, "It is done.")

    def close(self) -> None:
        """Once."""
        self._closed.append("closed")


def never(work: Any) -> Any:
    """Where nothing is asynchronous."""
    raise AssertionError(work)


@pytest.fixture
def closed() -> list[str]:
    """Grows with each agent that is closed."""
    return []


@pytest.fixture
def steer(pytester: pytest.Pytester, closed: list[str]) -> Steer:
    """Makes the steering of a trial in which this agent plays, and its request."""

    def make(agent: Any = None, *args: str) -> tuple[Steering, TrialRequest]:
        request = Trial(items(pytester, ONE, *args)[0]).request()
        made = replace(request, agent=agent or (lambda context: Agent(closed)))
        return Steering(made, never), made

    return make


def kept(request: TrialRequest) -> list[dict[str, Any]]:
    """What the spool of this process has of the trial since it began."""
    (file,) = request.run.folder.glob("spool-*.jsonl")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _has(messages: Sized, number: int) -> bool:
    return len(messages) >= number


def outcomes(request: TrialRequest) -> list[tuple[str, bool]]:
    return [(line["outcome"], line.get("graded", True)) for line in kept(request) if "task_id" in line]


class TestReaching:
    def test_the_trial_begins_when_it_is_first_asked_for(self, steer: Steer) -> None:
        steering, request = steer()
        begun: list[str] = []
        request.run.begins = begun.append
        assert begun == []
        assert steering.trial is steering.trial
        assert begun == [request.item.nodeid]

    def test_it_stops_as_soon_as_the_condition_is_met(self, steer: Steer) -> None:
        steering, _ = steer()
        messages = steering.trial.conversation.messages
        for number in (1, 2, 3):
            assert steering.reach(partial(_has, messages, number))
            assert len(messages) == number

    def test_calls_that_wait_are_carried_out_before_anybody_is_asked(self, steer: Steer) -> None:
        steering, _ = steer()
        messages = steering.trial.conversation.messages
        assert steering.reach(lambda: any(message.role == "tool" for message in messages))
        assert [message.role for message in messages][-2:] == ["tool", "tool"]

    def test_what_never_comes_is_not_reached_and_the_conversation_is_over(self, steer: Steer) -> None:
        steering, _ = steer()
        assert not steering.reach(lambda: False)
        assert steering.trial.conversation.over
        assert steering.reach(lambda: True)

    def test_words_are_said_one_a_turn_in_the_customers_place_and_cost_nothing(self, steer: Steer) -> None:
        steering, _ = steer()
        steering.words.extend(["One", "Two ###STOP###", "Three"])
        assert not steering.reach(lambda: False)
        said = [message for message in steering.trial.conversation.messages if message.role == "user"]
        assert [(message.content, message.cost) for message in said] == [("One", 0.0), ("Two ###STOP###", 0.0)]
        assert list(steering.words) == ["Three"]

    def test_where_the_run_has_ended_no_trial_begins(self, steer: Steer) -> None:
        steering, request = steer()
        request.run.results.write_text("in the way", encoding="utf-8")
        with pytest.raises(NotRun, match="results cannot be kept any more: "):
            steering.reach(lambda: False)
        assert steering.cut_off(AssertionError()) is None


class TestPlayingWhatIsLeft:
    def test_it_goes_on_where_it_was_and_is_graded_and_kept(self, steer: Steer, closed: list[str]) -> None:
        steering, request = steer()
        steering.reach(lambda: len(steering.trial.conversation.messages) == 2)
        begun = [message.timestamp for message in steering.trial.conversation.messages]
        done = steering.run(request)
        assert [message.timestamp for message in done.simulation.messages][:2] == begun
        assert done.reward is not None
        assert done.reward.passed
        assert outcomes(request) == [("ungraded", False), ("passed", True)]
        assert closed == ["closed"]

    def test_another_request_is_played_where_the_trial_has_not_begun(self, steer: Steer) -> None:
        steering, request = steer()
        steering.begin_with(replace(request, agent_name="another"))
        assert steering.run(request).simulation.agent == "another"
        with pytest.raises(SettingsError, match=r"from_recording\(\) comes too late: the conversation has begun"):
            steering.begin_with(request)

    def test_a_grade_that_fails_keeps_no_result_and_closes_the_agent(self, steer: Steer, closed: list[str]) -> None:
        def broken(simulation: Any) -> Any:
            raise ValueError("no grade today")

        steering, request = steer()
        with pytest.raises(ValueError, match="no grade today"):
            steering.run(replace(request, grade=broken))
        assert outcomes(request) == [("ungraded", False)]
        assert DROPPED in kept(request)[-1]
        assert closed == ["closed"]


class TestCuttingOff:
    def cut_off(self, steering: Steering, error: BaseException | None, turns: int = 2) -> Any:
        steering.reach(lambda: len(steering.trial.conversation.messages) == turns)
        return steering.cut_off(error)

    def test_an_assertion_that_failed_is_a_miss_whose_note_says_what_failed(
        self, steer: Steer, closed: list[str]
    ) -> None:
        steering, request = steer()
        done = self.cut_off(steering, AssertionError("not yet\nassert False"))
        assert (done.simulation.termination_reason, done.simulation.note) == (Termination.TEST_ENDED, "not yet")
        assert (len(done.simulation.messages), done.reward.value) == (2, 0.0)
        assert outcomes(request)[-1] == ("missed", True)
        assert closed == ["closed"]

    def test_a_test_that_ended_well_has_passed_and_nothing_is_graded(self, steer: Steer, closed: list[str]) -> None:
        steering, request = steer()
        done = self.cut_off(steering, None)
        assert (done.simulation.note, done.reward) == (None, None)
        assert outcomes(request) == [("passed", True)]
        assert closed == ["closed"]

    def test_a_bug_of_the_test_is_an_error_without_the_keys_in_its_words(
        self, steer: Steer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        steering, request = steer()
        monkeypatch.setenv("PLANTED_API_KEY", "planted-1234567")
        done = self.cut_off(steering, ValueError("the key planted-1234567 is odd"))
        assert done.reward is None
        assert outcomes(request) == [("error", True)]
        assert "planted-1234567" not in done.simulation.note
        assert done.simulation.note.startswith("the key ")

    def test_what_says_nothing_of_the_agent_is_no_trial(self, steer: Steer) -> None:
        steering, request = steer()
        assert steering.cut_off(AssertionError()) is None  # never begun
        assert self.cut_off(steering, pytest.skip.Exception("not today")) is None
        assert outcomes(request) == []
