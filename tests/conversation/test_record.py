"""The record of a trial: what it cost, when it was, and what it was played with."""

import pytest

from pytest_tau.conversation.limits import Limits
from pytest_tau.conversation.trial import Trial
from pytest_tau.errors import RecordingError, TauError
from pytest_tau.schema.messages import ToolMessage
from tests.builders import CREATE, Lines, a_call, asks, mock, result_of, says, task
from tests.conversation.played import STOP, run


class TestRecord:
    def test_costs(self) -> None:
        sim = run([says("a", cost=0.25), says("b", cost=0.5)], [asks("x", cost=1.0), asks("y", cost=None), asks(STOP)])
        assert (sim.agent_cost, sim.user_cost) == (0.75, None)

    def test_replies_that_were_empty_cost_too(self) -> None:
        sim = run([says(None, cost=0.5), says("Hm", cost=0.25)], [asks(None, cost=0.125)])
        assert (sim.agent_cost, sim.user_cost) == (0.0, 0.375)
        sim = run([says(None, cost=0.5), says("Hm", cost=0.25)], ["Hello", STOP])
        assert sim.agent_cost == 0.75

    def test_times_and_turns(self) -> None:
        sim = run([says(None, a_call()), "Hm"], ["Hello", "And?", STOP])
        stamps = [message.timestamp or "" for message in sim.messages]
        assert all(stamps)
        assert [sim.start_time, *stamps, sim.end_time] == sorted([sim.start_time, *stamps, sim.end_time])
        assert [message.turn_idx for message in sim.messages] == list(range(len(sim.messages)))
        spoken = [m for m in sim.messages[1:] if not isinstance(m, ToolMessage)]
        assert all(m.generation_time_seconds is not None for m in spoken)
        assert sim.duration > 0

    def test_the_rest(self) -> None:
        class Tuned(Lines):
            @property
            def parameters(self) -> dict[str, float]:
                return {"temperature": 0.5}

        class Other(Lines):
            parameters = None  # many an object has something of this name

        assert run(lambda context: Other(["Hm"])).agent_parameters == {}
        sim = run(lambda context: Tuned(["Hm"]), ["Hello", STOP], trial=2, seed=7)
        assert (sim.domain, sim.task_id, sim.trial, sim.agent_parameters) == ("mock", "t", 2, {"temperature": 0.5})
        assert sim.user == "tests.builders:Lines"
        assert sim.seed != run(["Hm"], trial=1, seed=7).seed
        assert len({sim.id, run(["Hm"]).id}) == 2

    def test_a_history_comes_first_and_is_replayed(self) -> None:
        made = a_call("create_task", **CREATE)
        created = '{"task_id": "task_4", "title": "Buy stamps", "description": null, "status": "pending"}'
        history = [asks("Add it", cost=None), says(None, made), result_of(made, created)]
        dumped = [message.model_copy(update={"turn_idx": 7}).model_dump() for message in history]
        played = task(initial_state={"message_history": dumped})
        sim = run([says(None, a_call("get_users", id="c2")), "Done"], [STOP], played)
        assert [m.content for m in sim.messages[:3]] == ["Add it", None, created]
        assert "task_4" in (sim.messages[4].content or "")
        assert (sim.steps, sim.user_cost) == (4, None)
        assert [m.turn_idx for m in sim.messages] == list(range(7))

    def test_a_history_that_does_not_replay(self) -> None:
        made = a_call("create_task", **CREATE)
        dumped = [m.model_dump() for m in (asks("Add it"), says(None, made), result_of(made, "Done"))]
        with pytest.raises(RecordingError, match="does not replay"):
            run(["Hm"], played=task(initial_state={"message_history": dumped}))

    def test_a_conversation_has_to_be_over(self) -> None:
        players = (lambda context: Lines(["Hm"]), lambda context: Lines([STOP]))
        trial = Trial(task(), mock().environment(), *players, trial=1, seed=1, limits=Limits())
        with pytest.raises(TauError, match="not over yet"):
            trial.simulation()
