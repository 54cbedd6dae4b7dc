"""The Messages API of the endpoint."""

import json
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from pytest_tau.llm.client import LiteLLMClient
from pytest_tau.llm.endpoint.asking import Refused
from pytest_tau.llm.endpoint.messages import MessagesRequest
from pytest_tau.llm.endpoint.serving import Proxy
from pytest_tau.llm.retry import ProviderError
from pytest_tau.schema.spending import Usage
from tests.fake_model import FakeModel, reply
from tests.llm.server import ChatServer, says

from .test_serving import SELL, Served

BODY = {"model": "some/model", "max_tokens": 9, "messages": [{"role": "user", "content": "Hello?"}]}
TOOL = {"name": "sell", "description": "Sells.", "input_schema": {"type": "object"}}


def said(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": list(blocks)}]}


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    made = Proxy()
    yield made
    made.close()


def test_blocks_become_messages_of_a_chat() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    use = {"type": "tool_use", "id": "t1", "name": "sell", "input": {"a": 1}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "sold"}]}
    said = [
        {"role": "user", "content": [{"type": "text", "text": "See."}, picture]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "Well.", "signature": ""}, use]},
        {"role": "user", "content": [{"type": "text", "text": "And?"}, result]},
    ]
    body = {
        **BODY,
        "system": [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}],
        "messages": said,
        "tools": [TOOL],
        "tool_choice": {"type": "any", "disable_parallel_tool_use": True},
        "stop_sequences": ["x"],
    }
    call = {"id": "t1", "type": "function", "function": {"name": "sell", "arguments": '{"a": 1}'}}
    function = {"name": "sell", "description": "Sells.", "parameters": {"type": "object"}}
    assert MessagesRequest(body).chat == {
        "model": "some/model",
        "max_tokens": 9,
        "messages": [
            {"role": "system", "content": "Be kind."},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "See."},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
                ],
            },
            {"role": "assistant", "content": None, "tool_calls": [call], "reasoning_content": "Well."},
            {"role": "tool", "tool_call_id": "t1", "content": "sold"},
            {"role": "user", "content": "And?"},
        ],
        "tools": [{"type": "function", "function": function}],
        "tool_choice": "required",
        "parallel_tool_calls": False,
        "stop": ["x"],
    }


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"messages": "Hello?"}, "the messages of the request are not a list of objects"),
        ({"messages": [{"role": "user", "content": 7}]}, "the blocks of the request are not a list of objects"),
        ({"system": [{"type": "document"}]}, "a block of the type 'document' means nothing"),
        (said({"type": "document"}, {"type": "text", "text": "Summarise."}), "a block of the type 'document' means"),
        (said({"text": "Summarise."}), "a block of the type 'None' means nothing"),
        (said({"type": ["text"]}), "a block of the type .* means nothing"),
        ({"tools": [{"type": "bash_20250124"}]}, "a tool of the type 'bash_20250124' runs at a provider"),
        ({"container": "c"}, "'container' is not passed on"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        MessagesRequest({**BODY, **fields})


def test_a_message_and_its_stream(proxy: Proxy) -> None:
    told = replace(reply("One moment.", SELL), thoughts="A sale.")
    served = Served(proxy, FakeModel(told))
    status, answer = served.post({**BODY, "tools": [TOOL]}, "/messages")
    assert (status, answer["stop_reason"], answer["usage"]["output_tokens"]) == (200, "tool_use", 5)
    assert [block["type"] for block in answer["content"]] == ["thinking", "text", "tool_use"]
    assert answer["content"][2]["input"] == SELL.arguments
    request = MessagesRequest({**BODY, "tools": [TOOL], "stream": True})
    events = list(request.stream(told))
    assert all(event.name == event.data["type"] for event in events if not isinstance(event.data, str))
    names = [event.name for event in events]
    assert (names[0], names[-1], names.count("content_block_start")) == ("message_start", "message_stop", 3)


def test_a_refusal_is_told_with_its_words(proxy: Proxy) -> None:
    with ChatServer(says(None, refusal="I cannot help with that.")) as server:
        served = Served(proxy, LiteLLMClient("openai/test", {"api_base": server.url, "api_key": "sk-test-1"}))
        _, answer = served.post(BODY, "/messages")
    assert (answer["stop_reason"], answer["content"]) == (
        "refusal",
        [{"type": "text", "text": "I cannot help with that."}],
    )


def test_signed_thoughts_and_what_came_from_a_cache_are_passed_on(proxy: Proxy) -> None:
    signed = {"type": "thinking", "thinking": "A sale.", "signature": "c2lnbmVk"}
    hidden = {"type": "redacted_thinking", "data": "aGlkZGVu"}
    usage = Usage(prompt_tokens=10, completion_tokens=5, cached_tokens=8)
    told = replace(reply(None, SELL), usage=usage, thoughts="A sale.", thinking={"thinking_blocks": [signed, hidden]})
    served = Served(proxy, FakeModel(told, told, told))
    _, answer = served.post({**BODY, "tools": [TOOL]}, "/messages")
    assert answer["content"][:2] == [signed, hidden]
    assert (answer["usage"]["input_tokens"], answer["usage"]["cache_read_input_tokens"]) == (2, 8)
    back = MessagesRequest({**BODY, "messages": [{"role": "assistant", "content": answer["content"]}]})
    assert back.chat["messages"][0]["thinking_blocks"] == [signed, hidden]
    deltas = [event.data.get("delta") for event in back.stream(told) if isinstance(event.data, dict)]
    assert {"type": "signature_delta", "signature": "c2lnbmVk"} in deltas
    _, answer = served.post({"model": "some/model", "input": "Hello?"}, "/responses")
    assert answer["usage"]["input_tokens_details"] == {"cached_tokens": 8}
    _, answer = served.post({**BODY, "tools": []}, "/chat/completions")
    assert answer["usage"]["prompt_tokens_details"] == {"cached_tokens": 8}
    assert answer["choices"][0]["message"]["thinking_blocks"] == [signed, hidden]


def test_an_input_is_an_object_whatever_was_written(proxy: Proxy) -> None:
    broken = [{"id": "t1", "name": "sell", "arguments": "kettle"}]
    _, answer = Served(proxy, FakeModel(replace(reply(None), broken_calls=broken))).post(BODY, "/messages")
    assert answer["content"] == [{"type": "tool_use", "id": "t1", "name": "sell", "input": {"arguments": "kettle"}}]


def test_a_failure_has_the_form_of_the_api(proxy: Proxy) -> None:
    down = ProviderError("a call failed: rate limit", permanent=False, status=429)
    for path in ("/messages", "/messages?beta=true"):
        status, answer = Served(proxy, FakeModel(down)).post(BODY, path)
        assert status == 429
        assert answer == {"type": "error", "error": {"type": "provider_error", "message": "a call failed: rate limit"}}


def test_the_anthropic_client_speaks_with_it(proxy: Proxy) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anthropic = pytest.importorskip("anthropic")
        served = Served(proxy, FakeModel("Hi.", reply("One moment.", SELL)))
        with anthropic.Anthropic(base_url=served.trial.url(), api_key="none") as client:
            assert client.messages.create(**BODY).content[0].text == "Hi."
            with client.messages.stream(**BODY, tools=[TOOL]) as stream:
                whole = stream.get_final_message()
    assert whole.content[0].text == "One moment."
    assert json.loads(json.dumps(whole.content[1].input)) == SELL.arguments
