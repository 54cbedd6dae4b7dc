"""The protocol of ten lines against a server that speaks it: what is asked, and what is no answer."""

from typing import Any

import pytest

from pytest_tau import load_domain, simulate
from pytest_tau.adapters.services import service
from pytest_tau.adapters.simple import completion
from pytest_tau.errors import PlayerError
from pytest_tau.schema.simulation import Termination
from pytest_tau.schema.spending import Usage
from tests.adapters.protocols import PRICES, asked_in_roles, costs, earned, played
from tests.adapters.server import CALL, Answer, Asked, competent, complete_a_task, serving
from tests.builders import mock


def test_simple_posts_the_conversation_and_carries_out_the_calls() -> None:
    simulation, asked, _ = played(competent, "/agent?team=a", parameters={"colour": "red"}, model="m")
    assert earned(simulation) == 1.0
    first, second = (one.body for one in asked)
    assert [one.path for one in asked] == ["/agent?team=a"] * 2
    assert first["policy"] == mock().environment().policy
    assert "update_task_status" in {tool["function"]["name"] for tool in first["tools"]}
    assert [message["role"] for message in first["messages"]] == ["assistant", "user"]
    assert [message["role"] for message in second["messages"]] == ["assistant", "user", "assistant", "tool"]
    assert first["conversation_id"] == second["conversation_id"]
    assert (first["colour"], first["model"], first["trial"]) == ("red", "m", 1)
    assert simulation.agent_parameters == {"protocol": "simple", "model": "m", "colour": "red"}


def test_each_trial_is_a_conversation_of_its_own() -> None:
    with serving(competent) as server:
        agent = service(server.url).agent
        for _ in range(2):
            simulate(complete_a_task(), mock(), agent)
        assert len({one.body["conversation_id"] for one in server.asked}) == 2
        assert len({one.headers["x-session-id"] for one in server.asked}) == 2


def test_a_team_is_told_its_roles() -> None:
    (asked,) = asked_in_roles(lambda asked: Answer({"content": "Hello."}))
    assert set(asked.body["roles"]) == set(load_domain("retail_desk").spec.roles)
    assert all(role["policy"] and role["tools"] and role["hands_to"] for role in asked.body["roles"].values())


@pytest.mark.parametrize("path", ["", "/v1"])
def test_an_answer_may_say_which_of_a_team_speaks(path: str) -> None:
    def behaviour(asked: Asked) -> Answer:
        told = competent(asked).body
        author = "keeper" if "tool_calls" in told else "triage"
        whole = {"choices": completion(told, "")["choices"]} if path else told
        return Answer({**whole, "author": author, "handoff_reason": "it is done"})

    simulation, _, _ = played(behaviour, path)
    spoken: list[Any] = [message for message in simulation.messages[1:] if message.role == "assistant"]
    assert [message.author for message in spoken[:2]] == ["keeper", "triage"]
    assert spoken[1].handoffs == [{"from": "keeper", "to": "triage", "reason": "it is done"}]


def test_what_an_answer_says_it_cost_is_the_price_of_the_message() -> None:
    told = {"model": "m", "usage": {"prompt_tokens": 2, "completion_tokens": 1}}

    def behaviour(asked: Asked) -> Answer:
        answer = competent(asked).body
        return Answer({**answer, **told} if "tool_calls" in answer else {**answer, "cost": 0.5})

    simulation, _, _ = played(behaviour, prices=PRICES)
    assert costs(simulation) == [4.0, 0.5]
    assert simulation.messages[2].usage == Usage(prompt_tokens=2, completion_tokens=1)  # type: ignore[union-attr]
    assert simulation.agent_cost == 4.5


@pytest.mark.parametrize(
    "body",
    ["Hello", {"text": "Hello"}, {"content": 3}, {"tool_calls": "x"}, {"tool_calls": [{"arguments": {}}]}, [1]],
)
def test_an_answer_that_is_none_of_simple_is_a_bug_that_is_named(body: Any) -> None:
    with pytest.raises(
        PlayerError, match=r"^the agent at http://127.0.0.1:\d+/a answered (?!with).*; it must be \{\"content\""
    ):
        played(lambda asked: Answer(body), "/a?key=secret")


def test_calls_may_have_the_form_of_chat_completions_and_arguments_that_are_no_json_lose_the_turn() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": CALL["name"], "arguments": '{"task_id": "task_1"'}}
    simulation, asked, _ = played(lambda asked: Answer({"tool_calls": [call]}))
    assert simulation.termination_reason is Termination.AGENT_ERROR
    assert "arguments that are not JSON" in str(simulation.note)
    assert len(asked) == 3


def test_a_cost_beyond_all_measure_is_none() -> None:
    simulation, *_ = played(lambda asked: Answer({"content": "Goodbye.", "cost": 10**400}))
    assert set(costs(simulation)) == {None}
