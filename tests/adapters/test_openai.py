"""Chat completions against a server that speaks them."""

from typing import Any

import pytest

from pytest_tau.schema.simulation import Termination
from tests.adapters.protocols import PRICES, costs, earned, played
from tests.adapters.server import CALL, Answer, Asked
from tests.builders import mock


def completion(message: dict[str, Any], **more: Any) -> Answer:
    usage = {"prompt_tokens": 3, "completion_tokens": 2}
    return Answer({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage, **more})


def chat(asked: Asked) -> Answer:
    if asked.body["messages"][-1]["role"] == "tool":
        return completion({"role": "assistant", "content": "It is done."}, model="m")
    function = {"name": CALL["name"], "arguments": '{"task_id": "task_1", "status": "completed"}'}
    return completion({"role": "assistant", "content": None, "tool_calls": [{"id": "x", "function": function}]})


@pytest.mark.parametrize("path", ["/v1", "/v1/chat/completions"])
def test_openai_asks_for_completions_and_runs_the_loop(path: str) -> None:
    simulation, asked, _ = played(chat, path, prices=PRICES, parameters={"temperature": 0})
    assert earned(simulation) == 1.0
    assert {one.path for one in asked} == {"/v1/chat/completions"}
    body = asked[0].body
    assert body["messages"][0] == {"role": "system", "content": mock().environment().policy}
    assert (body["model"], body["temperature"]) == ("agent", 0)
    assert asked[1].body["messages"][-1]["tool_call_id"] == "x"
    assert costs(simulation) == [None, 7.0]


def test_openai_that_answers_with_no_completion_is_asked_again_and_then_down() -> None:
    simulation, asked, _ = played(lambda asked: Answer({"choices": []}), "/v1")
    assert simulation.termination_reason is Termination.INFRASTRUCTURE_ERROR
    assert len(asked) == 3
