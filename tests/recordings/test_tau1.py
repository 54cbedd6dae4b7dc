import json
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import ToolCall, rescore
from pytest_tau.errors import RecordingError
from pytest_tau.recordings.tau1 import read_tau1
from pytest_tau.schema.messages import AnyMessage, AssistantMessage, ToolMessage
from pytest_tau.schema.simulation import Simulation, Termination
from pytest_tau.schema.task import Task
from tests.shared import shared

LOOK: dict[str, Any] = {
    "id": "c1",
    "type": "function",
    "function": {"name": "get_user_details", "arguments": '{"user_id": "u"}'},
}
STOP = {"role": "user", "content": "Thanks. ###STOP###"}
CALLS: list[dict[str, Any]] = [
    {"role": "system", "content": "the policy"},
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": None, "tool_calls": [LOOK]},
    {"role": "tool", "tool_call_id": "c1", "name": "get_user_details", "content": "Error: user not found"},
    {"role": "assistant", "content": "There is no such user."},
    STOP,
]


def run(traj: list[Any] | None = None, **info: Any) -> dict[str, Any]:
    actions = [
        {"name": "book_reservation", "kwargs": {"user_id": "u"}},
        {"name": "respond", "kwargs": {"content": "x"}},
    ]
    about = {"user_id": "u", "actions": actions, "instruction": "You want to fly.", "outputs": ["327"]}
    return {
        "task_id": 7,
        "trial": 2,
        "reward": 0.0,
        "traj": CALLS if traj is None else traj,
        "info": {"task": about, "source": "user", "user_cost": 0.01, "reward_info": {"reward": 0.0}, **info},
    }


def read(*runs: Any) -> tuple[str, list[tuple[Task, Simulation, float | None]]]:
    domain, found = read_tau1(list(runs), "v1.json")
    return domain, list(found)


def simulation(*runs: Any) -> Simulation:
    return read(*runs)[1][0][1]


def said(messages: list[AnyMessage]) -> list[tuple[str, str | None]]:
    return [(message.role, message.content) for message in messages]


def test_a_task() -> None:
    domain, [(task, _, recorded)] = read(run())
    assert (domain, recorded) == ("airline", 0.0)
    assert (task.id, task.domain, task.user_scenario.instructions) == ("7", "airline", "You want to fly.")
    assert [(action.action_id, action.name) for action in task.gold_actions] == [("7_0", "book_reservation")]
    criteria = task.evaluation_criteria
    assert criteria is not None
    assert (criteria.communicate_info, criteria.reward_basis) == (["327"], ["DB", "COMMUNICATE"])


def test_a_conversation_with_native_calls() -> None:
    played = simulation(run())
    assert (played.trial, played.user_cost, played.agent_cost) == (3, 0.01, None)
    assert said(played.messages)[0] == ("assistant", "Hi! How can I help you today?")
    assert said(played.messages)[1:2] == [("user", "Hello")]
    call, result = played.messages[2:4]
    assert isinstance(call, AssistantMessage)
    assert call.tool_calls == [ToolCall(id="c1", name="get_user_details", arguments={"user_id": "u"})]
    assert isinstance(result, ToolMessage)
    assert (result.id, result.error) == ("c1", True)


def test_only_the_first_call_of_a_message_was_run() -> None:
    both = {**CALLS[2], "tool_calls": [LOOK, {**LOOK, "id": "c2"}]}
    [call] = [m for m in simulation(run([*CALLS[:2], both, *CALLS[3:]])).messages if getattr(m, "tool_calls", None)]
    assert [made.id for made in getattr(call, "tool_calls", [])] == ["c1"]


def test_calls_published_as_the_text_of_a_python_list() -> None:
    flat = {**CALLS[2], "content": "None", "tool_calls": str([LOOK])}
    assert simulation(run([*CALLS[:2], flat, *CALLS[3:]])) == simulation(run())


@pytest.mark.parametrize("thought", ["", "Thought:\nA look first.\n"])
def test_actions_written_as_text(thought: str) -> None:
    written = [
        {"role": "user", "content": "Hello"},
        {
            "role": "assistant",
            "content": thought + 'Action:\n{"name": "get_user_details", "arguments": {"user_id": "u"}}',
        },
        {"role": "user", "content": "API output: Error: user not found"},
        {"role": "assistant", "content": thought + 'Action:\n{"name": "respond", "arguments": {"content": "None."}}'},
        {"role": "user", "content": "Sure?"},
        {"role": "assistant", "content": "Action: I am."},
        STOP,
    ]
    messages = simulation(run(written)).messages
    assert said(messages)[1:] == [
        ("user", "Hello"),
        ("assistant", None),
        ("tool", "Error: user not found"),
        ("assistant", "None."),
        ("user", "Sure?"),
        ("assistant", "I am."),
        ("user", "Thanks. ###STOP###"),
    ]


class TestEnding:
    def test_the_user_hung_up(self) -> None:
        assert simulation(run()).termination_reason is Termination.USER_STOP

    def test_a_transfer_ends_it(self) -> None:
        handed = {"name": "transfer_to_human_agents", "arguments": '{"summary": "x"}'}
        call = {**CALLS[2], "tool_calls": [{"id": "c1", "type": "function", "function": handed}]}
        played = simulation(run([CALLS[1], call, {**CALLS[3], "content": "Transfer successful"}]))
        assert played.termination_reason is Termination.AGENT_STOP

    def test_it_was_cut_off(self) -> None:
        assert simulation(run(CALLS[:-1])).termination_reason is Termination.MAX_STEPS

    def test_an_exception(self) -> None:
        _, [(_, played, recorded)] = read(run([], error="RateLimitError", traceback="…"))
        assert (played.termination_reason, played.messages) == (Termination.INFRASTRUCTURE_ERROR, [])
        assert (played.note, recorded) == ("RateLimitError", None)


class TestRefused:
    @pytest.mark.parametrize(
        "broken",
        [
            3,
            {},
            {**run(), "info": None},
            {**run(), "reward": "high"},
            run([{"role": "assistant", "content": None, "tool_calls": "import os"}]),
            run([{**CALLS[2], "tool_calls": [{**LOOK, "function": {"name": "x", "arguments": "{"}}]}]),
            run([{"role": "user"}]),
        ],
    )
    def test_what_is_no_run_is_named(self, broken: Any) -> None:
        with pytest.raises(RecordingError, match=r"v1\.json\[1\]: not a run of τ-bench v1"):
            read(run(), broken)

    def test_a_domain_that_cannot_be_told(self) -> None:
        with pytest.raises(RecordingError, match="airline or retail"):
            read()

    def test_a_message_that_is_none(self) -> None:
        with pytest.raises(RecordingError, match=r"v1\.json\[0\]: messages"):
            read(run([{"role": "oracle", "content": "x"}, *CALLS]))


def test_a_retail_run_is_told_by_its_calls() -> None:
    order = {"name": "get_order_details", "arguments": '{"order_id": "#W1"}'}
    info = run()["info"]["task"] | {"actions": [{"name": "cancel_pending_order", "kwargs": {}}]}
    call = {**CALLS[2], "tool_calls": [{"id": "c1", "type": "function", "function": order}]}
    assert read(run([*CALLS[:2], call, *CALLS[3:]], task=info))[0] == "retail"


def test_rescore_reads_it(tmp_path: Path) -> None:
    actions = [{"name": "list_all_airports", "kwargs": {}}]
    asks = {"user_id": "u", "actions": actions, "instruction": "You want to fly.", "outputs": ["327"]}
    (tmp_path / "v1.json").write_text(json.dumps([run(task=asks)]), encoding="utf-8")
    [(task, _, reward, recorded)] = rescore(tmp_path / "v1.json")
    assert (task.id, reward.value, recorded) == ("7", 0.0, 0.0)
    (tmp_path / "v1.json").write_text(json.dumps([run(task=asks) | {"reward": "nan"}]), encoding="utf-8")
    assert rescore(tmp_path / "v1.json")[0][3] is None


def test_recorded_runs_of_a_real_model_earn_what_they_earned() -> None:
    graded = rescore(shared("samples", "tau1_results_airline.json"), data=shared("tau2"))
    assert len(graded) == 8
    assert [reward.value for _, _, reward, _ in graded] == [recorded for _, _, _, recorded in graded]
