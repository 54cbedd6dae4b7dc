"""Agent2Agent in both of its versions, against a server that speaks it."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from pytest_tau import load_domain
from pytest_tau.errors import PlayerError
from pytest_tau.schema.simulation import Termination
from tests.adapters.protocols import AT_ONCE, asked_in_roles, costs, earned, played, with_a_picture
from tests.adapters.server import CALL, Answer, Asked, Behaviour
from tests.builders import mock
from tests.pictures import strip

PICTURE = base64.b64encode(strip("STAMPS")).decode()


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


def test_an_answer_that_says_nothing_is_asked_for_again_with_the_same_words() -> None:
    seen: list[dict[str, Any]] = []

    def answers(message: dict[str, Any]) -> dict[str, Any]:
        seen.append(message)
        broken = {"data": {"tool_calls": [{"name": "get_users", "arguments": "{"}]}}
        said = [[], [broken], [{"text": "Hello."}]][min(len(seen), 3) - 1]
        return {"message": {"messageId": "1", "contextId": message["contextId"], "parts": said}}

    played(a2a(1, answers), protocol="a2a")
    assert seen[0]["parts"] == seen[1]["parts"] == seen[2]["parts"]
    assert [data_of(message, "policy") for message in seen[3:]] == [None] * len(seen[3:])
    assert len({message["messageId"] for message in seen}) == len(seen)


def test_alone_with_a_ticket_it_is_told_the_policy_once() -> None:
    seen: list[dict[str, Any]] = []

    def answers(message: dict[str, Any]) -> dict[str, Any]:
        seen.append(message)
        calls = [{"name": "done", "arguments": {}}] if len(seen) == 3 else [CALL] if len(seen) == 2 else []
        parts = [{"data": {"tool_calls": calls}}] if calls else []
        return {"message": {"messageId": "1", "contextId": message["contextId"], "parts": parts}}

    simulation, _, _ = played(a2a(1, answers), protocol="a2a", solo=True)
    assert simulation.termination_reason is Termination.AGENT_STOP
    assert seen[0]["parts"] == seen[1]["parts"]  # an answer was none
    assert [data_of(message, "policy") is None for message in seen] == [False, False, True]
    assert "completed" in data_of(seen[2], "tool_results")[0]["content"]


def test_results_are_of_the_calls_in_its_answers_and_not_of_its_own_over_mcp() -> None:
    seen: list[dict[str, Any]] = []

    def answers(message: dict[str, Any]) -> dict[str, Any]:
        seen.append(message)
        if len(seen) == 1:
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_users", "arguments": {}}}
            wanted = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
            url = data_of(message, "mcp")
            with urlopen(Request(url, json.dumps(call).encode(), wanted)) as answer:  # noqa: S310 (loopback)
                assert b"user_1" in answer.read()
        part = {"data": {"tool_calls": [CALL]}} if len(seen) == 2 else {"text": "Hello."}
        return {"message": {"messageId": "1", "contextId": message["contextId"], "parts": [part]}}

    played(a2a(1, answers), protocol="a2a")
    told = [data_of(message, "tool_results") for message in seen[1:3]]
    assert told[0] is None
    assert len(told[1]) == 1
    assert "completed" in told[1][0]["content"]


def test_a_team_says_which_of_it_speaks() -> None:
    def answers(message: dict[str, Any]) -> dict[str, Any]:
        data = {"author": "refunds", "handoff_reason": "wants the money back"}
        return {"message": {"messageId": "1", "parts": [{"text": "Hello."}, {"data": data}]}}

    simulation, _, _ = played(a2a(1, answers), protocol="a2a")
    assert simulation.messages[2].author == "refunds"  # type: ignore[union-attr]


def test_a_team_is_told_its_roles() -> None:
    seen: list[dict[str, Any]] = []

    def answers(message: dict[str, Any]) -> dict[str, Any]:
        seen.append(message)
        return {"message": {"messageId": "1", "contextId": message["contextId"], "parts": [{"text": "Hello."}]}}

    asked_in_roles(a2a(1, answers), protocol="a2a")
    assert set(data_of(seen[0], "roles")) == set(load_domain("retail_desk").spec.roles)


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


@pytest.mark.parametrize(
    ("state", "made", "said"),
    [
        ("input-required", {"text": "The first answer."}, "Which one?"),
        ("completed", {"text": "The first answer."}, "The first answer."),
        ("completed", {"file": {"bytes": "", "mimeType": "image/png"}}, "Which one?"),
    ],
)
def test_what_a_task_asks_is_heard_and_not_what_it_made_before(state: str, made: dict[str, Any], said: str) -> None:
    status = {"state": state, "message": {"role": "agent", "parts": [{"kind": "text", "text": "Which one?"}]}}
    task = {"kind": "task", "id": "t1", "status": status, "artifacts": [{"parts": [made]}]}
    simulation, _, _ = played(a2a(0, lambda message: task), protocol="a2a")
    assert simulation.messages[2].content == said


@pytest.mark.parametrize("url", ["http://[::1", "/ä"])
def test_a_card_whose_address_cannot_be_asked_is_not_of_the_protocol(url: str) -> None:
    with pytest.raises(PlayerError, match=r"answered with something else than the protocol 'a2a' has"):
        played(lambda asked: Answer({"url": url}), protocol="a2a")


def test_a_task_that_failed_is_a_miss_and_an_error_the_providers_fault() -> None:
    ended = {"kind": "task", "id": "t", "status": {"state": "failed"}}
    for state, told in (("failed", "failed"), ("rejected", "rejected"), ("TASK_STATE_CANCELED", "canceled")):
        ended["status"] = {"state": state}
        simulation, _, _ = played(a2a(0, lambda message: ended), protocol="a2a")
        assert simulation.termination_reason is Termination.AGENT_ERROR
        assert f"the agent's task is {told}: without a word" in str(simulation.note)

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


@pytest.mark.parametrize(
    "result",
    [{"status": "completed"}, {"status": {"state": "working"}}, {"parts": 1.5}, {"artifacts": ["x"]}],
)
def test_values_of_other_types_are_not_of_the_protocol(result: dict[str, Any]) -> None:
    with pytest.raises(PlayerError, match=r"answered with something else than the protocol 'a2a' has"):
        played(a2a(0, lambda message: result), "/.well-known/agent-card.json")
