"""The Responses API of the endpoint."""

import json
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from pytest_tau.llm.client import LiteLLMClient
from pytest_tau.llm.endpoint.asking import Refused
from pytest_tau.llm.endpoint.responses import ResponsesRequest
from pytest_tau.llm.endpoint.serving import Proxy
from tests.fake_model import FakeModel, reply
from tests.llm.server import ChatServer, says

from .test_serving import SELL, Served

BODY = {"model": "some/model", "input": "Hello?"}
TOOL = {"type": "function", "name": "sell", "description": "Sells.", "parameters": {"type": "object"}, "strict": True}


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    made = Proxy()
    yield made
    made.close()


def chat(**fields: Any) -> dict[str, Any]:
    return ResponsesRequest({**BODY, **fields}, {}).chat


def test_a_text_is_a_message_of_the_customer() -> None:
    assert chat(instructions="Be kind.", temperature=0.5, max_output_tokens=9, reasoning={"effort": "low"}) == {
        "model": "some/model",
        "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello?"}],
        "temperature": 0.5,
        "max_tokens": 9,
        "reasoning_effort": "low",
    }


def test_items_become_messages_and_calls_join_the_message_before_them() -> None:
    items = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "input_text", "text": "Hi "}, {"type": "input_text", "text": "there"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "Well."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "One moment."}]},
        {"type": "function_call", "call_id": "c1", "name": "sell", "arguments": "{}"},
        {"type": "function_call", "call_id": "c2", "name": "look", "arguments": '{"a": 1}'},
        {"type": "function_call_output", "call_id": "c1", "output": "sold"},
        {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "seen"}]},
    ]
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "sell", "arguments": "{}"}},
        {"id": "c2", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}},
    ]
    assert chat(input=items)["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi there"},
        {"role": "assistant", "content": "One moment.", "reasoning_content": "Well.", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "sold"},
        {"role": "tool", "tool_call_id": "c2", "content": "seen"},
    ]


def test_pictures_tools_and_forms() -> None:
    picture = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}
    form = {"type": "json_schema", "name": "mood", "schema": {"type": "object"}, "strict": True}
    made = chat(
        input=[{"role": "user", "content": [{"type": "input_text", "text": "See."}, picture]}],
        tools=[TOOL],
        tool_choice={"type": "function", "name": "sell"},
        text={"format": form, "verbosity": "low"},
    )
    assert made["messages"][0]["content"] == [
        {"type": "text", "text": "See."},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
    ]
    function = {name: TOOL[name] for name in ("name", "description", "parameters", "strict")}
    assert made["tools"] == [{"type": "function", "function": function}]
    assert made["tool_choice"] == {"type": "function", "function": {"name": "sell"}}
    schema = {"name": "mood", "schema": {"type": "object"}, "strict": True}
    assert made["response_format"] == {"type": "json_schema", "json_schema": schema}
    assert made["verbosity"] == "low"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"input": 7}, "the input items of the request are not a list of objects"),
        ({"input": [{"type": "computer_call"}]}, "an input item of the type 'computer_call' means nothing"),
        ({"input": [{"role": "user", "content": [{"type": "input_file"}]}]}, "a part of the type 'input_file'"),
        ({"input": [{"role": "user", "content": [{"type": ["text"]}]}]}, "a part of the type .* means nothing"),
        ({"input": [{"type": "reasoning", "content": 5}]}, "the thoughts of the request are not a list of objects"),
        ({"input": [{"type": "reasoning", "summary": ["Well."]}]}, "the thoughts of the request are not a list"),
        ({"tools": [{"type": "web_search"}]}, "a tool of the type 'web_search' runs at a provider"),
        ({"tool_choice": {"type": "allowed_tools"}}, "a tool_choice of the type 'allowed_tools' is not passed on"),
        ({"background": True}, "responses are answered at once: leave background out"),
        ({"truncation": "auto"}, "leave truncation out"),
        ({"api_base": "http://127.0.0.1:9"}, "'api_base' is not passed on"),
        ({"previous_response_id": "resp_x"}, "this trial has had no response 'resp_x'"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Refused, match=sentence) as refused:
        ResponsesRequest({**BODY, **fields}, {})
    assert refused.value.status == 400


def test_a_response_and_one_that_goes_on_from_it(proxy: Proxy) -> None:
    model = FakeModel(replace(reply(None, SELL), thoughts="A sale."), "Sold.")
    served = Served(proxy, model)
    status, first = served.post({**BODY, "tools": [TOOL]}, "/responses")
    assert (status, first["object"], first["status"], first["usage"]["total_tokens"]) == (
        200,
        "response",
        "completed",
        15,
    )
    assert [item["type"] for item in first["output"]] == ["reasoning", "function_call"]
    assert json.loads(first["output"][1]["arguments"]) == SELL.arguments
    output = {"type": "function_call_output", "call_id": "call_7", "output": "done"}
    _, second = served.post({**BODY, "input": [output], "previous_response_id": first["id"]}, "/responses")
    assert second["output"][0]["content"][0]["text"] == "Sold."
    said, called, result = model.chats[1]
    assert (said["content"], called["tool_calls"][0]["id"], result["tool_call_id"]) == ("Hello?", "call_7", "call_7")


def test_what_goes_on_from_a_refusal_has_its_words(proxy: Proxy) -> None:
    with ChatServer(says(None, refusal="I cannot.")) as server:
        served = Served(proxy, LiteLLMClient("openai/test", {"api_base": server.url, "api_key": "sk-test-1"}))
        _, first = served.post(BODY, "/responses")
        served.post({**BODY, "input": "And now?", "previous_response_id": first["id"]}, "/responses")
        said = [message["content"] for message in server.requests[1].body["messages"]]
    assert said == ["Hello?", "I cannot.", "And now?"]


def test_a_request_may_name_items_of_an_earlier_response(proxy: Proxy) -> None:
    model = FakeModel(replace(reply("One moment.", SELL), thoughts="A sale."), "Sold.")
    served = Served(proxy, model)
    _, first = served.post({**BODY, "tools": [TOOL]}, "/responses")
    named = [{"type": "item_reference", "id": item["id"]} for item in first["output"]]
    output = {"type": "function_call_output", "call_id": "call_7", "output": "done"}
    asked = {"role": "user", "content": "Hello?"}
    status, _ = served.post({**BODY, "input": [asked, *named, output]}, "/responses")
    assert status == 200
    _, called, result = model.chats[1]
    assert (called["content"], called["tool_calls"][0]["id"], result["content"]) == ("One moment.", "call_7", "done")
    status, answer = served.post({**BODY, "input": [{"type": "item_reference", "id": "msg_x"}]}, "/responses")
    assert (status, answer["error"]["message"]) == (400, "this trial has had no item 'msg_x'")
    for strange in (first["id"], ["msg_x"], None):  # a response is no item
        status, _ = served.post({**BODY, "input": [{"type": "item_reference", "id": strange}]}, "/responses")
        assert status == 400
    for strange in (named[0]["id"], ["resp_x"]):
        status, _ = served.post({**BODY, "input": "Hello?", "previous_response_id": strange}, "/responses")
        assert status == 400


def test_an_answer_that_was_cut_off_is_incomplete(proxy: Proxy) -> None:
    told = replace(reply("And then"), finish_reason="length")
    _, answer = Served(proxy, FakeModel(told)).post(BODY, "/responses")
    assert (answer["status"], answer["incomplete_details"]) == ("incomplete", {"reason": "max_output_tokens"})


def test_the_openai_client_reads_responses_and_their_streams(proxy: Proxy) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        openai = pytest.importorskip("openai")
        both = replace(reply("One moment.", SELL), thoughts="A sale.")
        served = Served(proxy, FakeModel("Hi.", both, both))
        with openai.OpenAI(base_url=served.trial.url(), api_key="none") as client:
            first = client.responses.create(**BODY)
            assert first.output_text == "Hi."
            next_one = client.responses.create(model="m", input="Sell.", tools=[TOOL], previous_response_id=first.id)
            assert [item.type for item in next_one.output] == ["reasoning", "message", "function_call"]
            with client.responses.stream(model="m", input="Sell.", tools=[TOOL]) as stream:
                kinds = [event.type for event in stream]
                whole = stream.get_final_response()
    assert kinds[0] == "response.created"
    assert {"response.output_text.delta", "response.function_call_arguments.done"} <= set(kinds)
    assert whole.output_text == "One moment."
    assert json.loads(whole.output[-1].arguments) == SELL.arguments
