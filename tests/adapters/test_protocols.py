"""Each protocol against a server that speaks it: what is asked, what becomes of the answers, and what is no answer."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import Simulation, grade, load_tasks, simulate
from pytest_tau.adapters.service import ServiceSettings
from pytest_tau.adapters.services import service
from pytest_tau.conversation.trial import Limits
from pytest_tau.errors import PlayerError
from pytest_tau.llm.pricing import Price, Prices
from pytest_tau.llm.retry import RetryPolicy
from pytest_tau.schema.messages import Usage
from pytest_tau.schema.simulation import Termination
from tests.adapters.server import CALL, Answer, Asked, Behaviour, competent, complete_a_task, serving
from tests.builders import mock
from tests.pictures import picture_task, strip

AT_ONCE = RetryPolicy(attempts=3, base=0.0)
PRICES = Prices({"m": Price(input=1_000_000, output=2_000_000)})


def played(behaviour: Behaviour, path: str = "", **settings: Any) -> tuple[Simulation, list[Asked], list[Asked]]:
    with serving(behaviour) as server:
        agent = service(server.url + path, ServiceSettings(retry=AT_ONCE, **settings)).agent
        return simulate(complete_a_task(), mock(), agent), server.asked, server.looked


def earned(simulation: Simulation) -> float | None:
    return grade(complete_a_task(), simulation, mock()).value


def costs(simulation: Simulation) -> list[float | None]:
    return [m.cost for m in simulation.messages[1:] if m.role == "assistant"]


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
    with pytest.raises(PlayerError, match=r"the agent at http://127.0.0.1:\d+/a answered .*; it must be \{\"content\""):
        played(lambda asked: Answer(body), "/a?key=secret")


def test_calls_may_have_the_form_of_chat_completions_and_arguments_that_are_no_json_lose_the_turn() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": CALL["name"], "arguments": '{"task_id": "task_1"'}}
    simulation, asked, _ = played(lambda asked: Answer({"tool_calls": [call]}))
    assert simulation.termination_reason is Termination.AGENT_ERROR
    assert "arguments that are not JSON" in str(simulation.note)
    assert len(asked) == 3


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


def response(*output: dict[str, Any]) -> Answer:
    return Answer({"id": "r", "output": list(output), "usage": {"input_tokens": 3, "output_tokens": 2}, "model": "m"})


def test_responses_gets_back_what_it_put_out() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    arguments = json.dumps(CALL["arguments"])
    call = {"type": "function_call", "call_id": "fc_1", "name": CALL["name"], "arguments": arguments}

    def behaviour(asked: Asked) -> Answer:
        if asked.body["input"][-1].get("type") == "function_call_output":
            return response({"type": "message", "content": [{"type": "output_text", "text": "It is done."}]})
        return response(reasoning, call)

    simulation, asked, _ = played(behaviour, "/v1/responses", prices=PRICES)
    assert earned(simulation) == 1.0
    assert asked[0].body["instructions"] == mock().environment().policy
    assert asked[0].body["tools"][0]["type"] == "function"
    assert "name" in asked[0].body["tools"][0]
    assert asked[1].body["input"][2:] == [
        reasoning,
        call,
        {"type": "function_call_output", "call_id": "fc_1", "output": asked[1].body["input"][-1]["output"]},
    ]
    assert costs(simulation) == [7.0, 7.0]


def test_responses_that_fail_are_the_providers_fault_and_others_are_named() -> None:
    failed = Answer({"status": "failed", "error": {"message": "overloaded"}, "output": []})
    simulation, asked, _ = played(lambda asked: failed, "/responses")
    assert simulation.termination_reason is Termination.INFRASTRUCTURE_ERROR
    assert len(asked) == 3
    with pytest.raises(PlayerError, match="it must be a response with a list of output items"):
        played(lambda asked: Answer({"choices": []}), "/responses")


def data_of(message: dict[str, Any], name: str) -> Any:
    return next((part["data"][name] for part in message["parts"] if name in part.get("data", {})), None)


def a2a(version: int, answers: Callable[[dict[str, Any]], dict[str, Any]]) -> Behaviour:
    """An agent of one of the two versions of A2A; ``answers`` gives the result for a message."""
    interface = {"url": "/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    card = {"name": "x", "supportedInterfaces": [interface]} if version else {"name": "x", "url": "/rpc"}
    methods = ("SendMessage", "GetTask") if version else ("message/send", "tasks/get")

    def behaviour(asked: Asked) -> Answer:
        if asked.method == "GET":
            return Answer(card) if asked.path == "/.well-known/agent-card.json" else Answer({}, 404)
        assert asked.path == "/rpc"
        assert asked.headers.get("a2a-version") == ("1.0" if version else None)
        assert asked.body["method"] in methods
        result = answers(asked.body["params"].get("message") or asked.body["params"])
        return Answer({"jsonrpc": "2.0", "id": asked.body["id"], "result": result})

    return behaviour


@pytest.mark.parametrize("version", [0, 1])
def test_a2a_keeps_one_context_and_takes_calls_as_data(version: int) -> None:
    seen: list[dict[str, Any]] = []

    def answers(message: dict[str, Any]) -> dict[str, Any]:
        seen.append(message)
        if data_of(message, "tool_results") is None:
            told: dict[str, Any] = {"data": {"tool_calls": [CALL], "cost": 0.25}}
        else:
            told = {"text": "It is done."}
        if version:
            return {"message": {"messageId": "1", "contextId": message["contextId"], "parts": [told]}}
        part = {"kind": next(iter(told)), **told}
        return {"kind": "message", "messageId": "1", "contextId": message["contextId"], "parts": [part]}

    simulation, _, looked = played(a2a(version, answers), protocol="a2a")
    assert earned(simulation) == 1.0
    assert [one.path for one in looked] == ["/.well-known/agent-card.json"]
    assert len({message["contextId"] for message in seen}) == 1
    assert data_of(seen[0], "policy") == mock().environment().policy
    assert data_of(seen[1], "policy") is None
    assert "completed" in data_of(seen[1], "tool_results")[0]["content"]
    assert seen[0]["role"] == ("ROLE_USER" if version else "user")
    assert costs(simulation) == [0.25, None]


def test_a2a_waits_for_a_task_and_goes_on_with_one_that_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_tau.adapters.a2a._LOOK", 0.0)
    seen: list[dict[str, Any]] = []

    def answers(message: dict[str, Any]) -> dict[str, Any]:
        seen.append(message)
        task: dict[str, Any] = {"kind": "task", "id": "t1", "contextId": "theirs"}
        if "parts" in message:
            return {**task, "status": {"state": "working"}}
        asks = {"role": "agent", "parts": [{"kind": "text", "text": "Which one?"}]}
        return {**task, "status": {"state": "input-required", "message": asks}}

    simulation, _, _ = played(a2a(0, answers), "/.well-known/agent-card.json")
    said = [message.content for message in simulation.messages if message.role == "assistant"][1:]
    assert set(said) == {"Which one?"}
    assert [message.get("taskId") for message in seen if "parts" in message][:2] == [None, "t1"]
    assert seen[2]["contextId"] == "theirs"


def test_a_task_that_failed_is_a_miss_and_an_error_the_providers_fault() -> None:
    failed = {"kind": "task", "id": "t", "status": {"state": "failed"}}
    simulation, _, _ = played(a2a(0, lambda message: failed), protocol="a2a")
    assert simulation.termination_reason is Termination.AGENT_ERROR

    def error(asked: Asked) -> Answer:
        return Answer({"url": "/"} if asked.method == "GET" else {"error": {"code": -32603, "message": "It broke"}})

    simulation, asked, _ = played(error, protocol="a2a")
    assert simulation.termination_reason is Termination.INFRASTRUCTURE_ERROR
    assert "It broke" in str(simulation.note)
    assert len(asked) == AT_ONCE.attempts

    def unknown(asked: Asked) -> Answer:
        return Answer({"url": "/"} if asked.method == "GET" else {"error": {"code": -32601, "message": "No method"}})

    simulation, asked, _ = played(unknown, protocol="a2a")
    assert (len(asked), simulation.termination_reason) == (1, Termination.INFRASTRUCTURE_ERROR)


@pytest.mark.parametrize(
    ("card", "sentence"),
    [({"name": "x"}, "must be an agent card"), ({"url": "http://elsewhere.example/"}, "must be on its own host")],
)
def test_a_card_that_leads_nowhere_is_named(card: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PlayerError, match=sentence):
        played(lambda asked: Answer(card), protocol="a2a")


PICTURE = base64.b64encode(strip("STAMPS")).decode()


def with_a_picture(behaviour: Behaviour, folder: Path, path: str, **settings: Any) -> list[Asked]:
    (shown,) = load_tasks(picture_task(folder))
    with serving(behaviour) as server:
        agent = service(server.url + path, ServiceSettings(retry=AT_ONCE, **settings)).agent
        simulate(shown, mock(), agent, limits=Limits(max_steps=2))
        return server.asked


def test_pictures_go_as_the_responses_api_has_them(tmp_path: Path) -> None:
    said = response({"type": "message", "content": [{"type": "output_text", "text": "I see."}]})
    (asked,) = with_a_picture(lambda asked: said, tmp_path, "/v1/responses")
    text, image = asked.body["input"][-1]["content"]
    assert text["type"] == "input_text"
    assert image == {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}"}


@pytest.mark.parametrize("version", [0, 1])
def test_pictures_go_as_a2a_has_files(tmp_path: Path, version: int) -> None:
    def answers(message: dict[str, Any]) -> dict[str, Any]:
        seen.append(message)
        said = {"text": "I see."} if version else {"kind": "text", "text": "I see."}
        told = {"messageId": "1", "contextId": message["contextId"], "parts": [said]}
        return {"message": told} if version else {"kind": "message", **told}

    seen: list[dict[str, Any]] = []
    with_a_picture(a2a(version, answers), tmp_path, "", protocol="a2a")
    name = "note1.png"
    old = {"kind": "file", "file": {"bytes": PICTURE, "mimeType": "image/png", "name": name}}
    assert seen[0]["parts"][1] == ({"raw": PICTURE, "mediaType": "image/png", "filename": name} if version else old)
