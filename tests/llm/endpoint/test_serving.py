"""The chat-completions server for agents with a client of their own."""

import json
import socket
import threading
import urllib.error
import urllib.parse
import urllib.request
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import loopback
from pytest_tau.clock import Clock, monotonic, standing_still
from pytest_tau.errors import InfraError, SettingsError
from pytest_tau.llm.cassette import Cassette
from pytest_tau.llm.client import LiteLLMClient
from pytest_tau.llm.endpoint.asking import Refused
from pytest_tau.llm.endpoint.chat import ChatRequest
from pytest_tau.llm.endpoint.serving import Proxy
from pytest_tau.llm.endpoint.trial import TrialEndpoint
from pytest_tau.llm.limits import BudgetReached
from pytest_tau.llm.pricing import Price, Prices
from pytest_tau.llm.protocol import ModelClient, ModelReply
from pytest_tau.llm.retry import ProviderError, RetryPolicy
from pytest_tau.llm.tape import TrialKey
from pytest_tau.schema.messages import ToolCall
from tests.fake_model import FakeModel, reply
from tests.llm.server import Answer, ChatServer, fails, no_choices, rate_limited, says

CHAT = [{"role": "user", "content": "Hello?"}]
BODY = {"model": "some/model", "messages": CHAT}
TOOLS = [{"type": "function", "function": {"name": "sell", "parameters": {"type": "object"}}}]
SELL = ToolCall(id="call_7", name="sell", arguments={"item_id": "kettle", "note": "é"})


class Served:
    """An endpoint for one trial, on a model that says what a test tells it to."""

    def __init__(self, proxy: Proxy, client: ModelClient) -> None:
        self.named: list[tuple[str, dict[str, Any]]] = []
        self._client = client
        self.trial = TrialEndpoint(
            lambda: proxy, self._for, embeddings_for=lambda model: self._for(model, {}), models=["fake/model"]
        )

    def _for(self, model: str, parameters: Mapping[str, Any]) -> ModelClient:
        self.named.append((model, dict(parameters)))
        return self._client

    def post(self, body: Any, path: str = "/chat/completions") -> tuple[int, Any]:
        """Status and answer."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Authorization": "Bearer of-no-interest"}
        return fetched(urllib.request.Request(self.trial.url() + path, data, headers))  # noqa: S310 (loopback)


def fetched(request: urllib.request.Request | str) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(request) as answer:  # noqa: S310 (loopback)
            return answer.status, decoded(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, decoded(error.read())


def decoded(data: bytes) -> Any:
    text = data.decode("utf-8")
    return text if text.startswith("data:") else json.loads(text)


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    made = Proxy()
    yield made
    made.close()


def test_a_completion_in_the_form_of_chat_completions(proxy: Proxy) -> None:
    model = FakeModel("Hi.")
    served = Served(proxy, model)
    status, answer = served.post({**BODY, "temperature": 0.5, "seed": 3, "tools": TOOLS, "tool_choice": "auto"})
    assert (status, answer["object"], answer["model"]) == (200, "chat.completion", "some/model")
    message = {"role": "assistant", "content": "Hi."}
    assert answer["choices"] == [{"index": 0, "message": message, "finish_reason": "stop"}]
    counted = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    assert answer["usage"] == {**counted, "prompt_tokens_details": {"cached_tokens": 0}}
    assert served.named == [("some/model", {"temperature": 0.5})]
    options = {"tools": TOOLS, "tool_choice": "auto", "seed": 3, "response_format": None}
    assert model.asked == [(CHAT, options)]


def test_a_call_of_a_tool(proxy: Proxy) -> None:
    _, answer = Served(proxy, FakeModel(SELL)).post({**BODY, "tools": TOOLS})
    [choice] = answer["choices"]
    assert choice["finish_reason"] == "tool_calls"
    [call] = choice["message"]["tool_calls"]
    assert (call["id"], call["type"], call["function"]["name"]) == ("call_7", "function", "sell")
    assert json.loads(call["function"]["arguments"]) == SELL.arguments


def test_a_stream_gives_each_call_and_then_its_arguments(proxy: Proxy) -> None:
    served = Served(proxy, FakeModel(reply(None, SELL, SELL.model_copy(update={"id": "call_8"}))))
    _, text = served.post({**BODY, "stream": True, "stream_options": {"include_usage": True}})
    *events, last = [event.removeprefix("data: ") for event in text.split("\n\n") if event]
    assert last == "[DONE]"
    *said, ended, counted = (json.loads(event) for event in events)
    first, *calls = [chunk["choices"][0]["delta"] for chunk in said]
    assert first == {"role": "assistant", "content": ""}
    assert [len(delta["tool_calls"]) for delta in calls] == [1, 1, 1, 1]
    pieces = [delta["tool_calls"][0] for delta in calls]
    assert [(piece["index"], piece.get("id")) for piece in pieces] == [
        (0, "call_7"),
        (0, None),
        (1, "call_8"),
        (1, None),
    ]
    assert [json.loads(piece["function"]["arguments"]) for piece in pieces[1::2]] == [SELL.arguments] * 2
    assert ended["choices"][0]["finish_reason"] == "tool_calls"
    assert counted["usage"]["total_tokens"] == 15
    assert served.named == [("some/model", {})]


def test_a_call_that_nobody_can_carry_out_is_passed_on_as_it_was_written(proxy: Proxy) -> None:
    broken = [{"id": "call_1", "name": "sell", "arguments": '{"item_id": kettle}'}]
    told = replace(reply(None, problem="sell was called with arguments that are not JSON"), broken_calls=broken)
    _, answer = Served(proxy, FakeModel(told)).post({**BODY, "tools": TOOLS})
    [choice] = answer["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["tool_calls"][0]["function"] == {"name": "sell", "arguments": '{"item_id": kettle}'}


def test_a_call_that_was_cut_off_says_so_in_each_form(proxy: Proxy) -> None:
    broken = [{"id": "call_1", "name": "sell", "arguments": '{"item_id": '}]
    told = replace(reply(None, problem="cut off"), broken_calls=broken, finish_reason="length")
    served = Served(proxy, FakeModel(told, told, told))
    _, chat = served.post(BODY)
    assert chat["choices"][0]["finish_reason"] == "length"
    assert chat["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] == '{"item_id": '
    _, response = served.post({"model": "some/model", "input": "Hello?"}, "/responses")
    assert (response["status"], [item["status"] for item in response["output"]]) == ("incomplete", ["incomplete"])
    _, message = served.post({**BODY, "max_tokens": 9}, "/messages")
    assert (message["stop_reason"], message["content"][0]["type"]) == ("max_tokens", "tool_use")


def test_a_refusal_reaches_the_client_as_one(proxy: Proxy) -> None:
    with ChatServer(says(None, refusal="I cannot help with that.")) as server, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        openai = pytest.importorskip("openai")
        served = Served(proxy, LiteLLMClient("openai/test", {"api_base": server.url, "api_key": "sk-test-1"}))
        with openai.OpenAI(base_url=served.trial.url(), api_key="none") as client:
            with client.chat.completions.stream(**BODY) as stream:
                streamed = stream.get_final_completion()
            with client.responses.stream(model="some/model", input="Hello?") as stream:
                response = stream.get_final_response()
            plain = client.chat.completions.create(**BODY)
    said = [whole.choices[0].message.refusal for whole in (plain, streamed)] + [response.output[0].content[0].refusal]
    assert said == ["I cannot help with that."] * 3
    assert plain.choices[0].message.content is None


def test_thoughts_are_given_beside_the_text(proxy: Proxy) -> None:
    _, answer = Served(proxy, FakeModel(replace(reply("Hi."), thoughts="A greeting."))).post(BODY)
    assert answer["choices"][0]["message"]["reasoning_content"] == "A greeting."


def test_settings_of_servers_at_home_are_passed_on(proxy: Proxy) -> None:
    served = Served(proxy, FakeModel("Hi."))
    given = {"chat_template_kwargs": {"enable_thinking": False}, "reasoning": {"effort": "low"}, "provider": {}}
    assert served.post({**BODY, **given})[0] == 200
    assert served.named == [("some/model", given)]


@pytest.mark.parametrize("finish", ["length", "content_filter", "end_turn", None])
def test_an_unheard_of_reason_to_finish_is_a_stop(proxy: Proxy, finish: str | None) -> None:
    told = ModelReply("Hi.", None, cost=None, usage=None, seconds=0.1, finish_reason=finish)
    _, answer = Served(proxy, FakeModel(told)).post(BODY)
    assert answer["choices"][0]["finish_reason"] == (finish if finish in ("length", "content_filter") else "stop")
    assert answer["usage"]["total_tokens"] == 0


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (ProviderError("a call failed: rate limit", permanent=False, status=429), 429, "provider_error"),
        (ProviderError("a call failed: server", permanent=False, status=503), 503, "provider_error"),
        (ProviderError("a call failed: connection", permanent=False), 502, "provider_error"),
        (InfraError("the machine failed"), 502, "provider_error"),
        (BudgetReached("the budget is reached"), 429, "insufficient_quota"),
    ],
)
def test_a_failure_of_the_provider_has_its_status(proxy: Proxy, error: Exception, status: int, kind: str) -> None:
    served = Served(proxy, FakeModel(error))
    assert served.post(BODY) == (
        status,
        {"error": {"message": str(error), "type": kind, "param": None, "code": kind}},
    )
    assert served.trial.failure is None


@pytest.mark.parametrize(
    ("failed", "code"),
    [
        (fails(400, "the maximum context length is 8192 tokens", code="context_length_exceeded"), None),
        (fails(429, "You exceeded your current quota", code="insufficient_quota"), None),
        (rate_limited(), None),
        (fails(404, "The model `test` does not exist", code="model_not_found"), None),
        (fails(500, "It broke.", code="server_broke"), "provider_error"),
    ],
)
def test_a_failure_has_the_code_by_which_agents_know_it(proxy: Proxy, failed: Answer, code: str | None) -> None:
    with ChatServer(failed) as server:
        parameters = {"api_base": server.url, "api_key": "sk-test-1"}
        served = Served(proxy, LiteLLMClient("openai/test", parameters, retry=RetryPolicy(attempts=1)))
        assert isinstance(failed.body, Mapping)
        codes = [served.post(BODY)[1]["error"]["code"] for _ in range(2)]
    assert codes == [code or failed.body["error"]["code"]] * 2


@pytest.mark.parametrize(("error", "status"), [(SettingsError("litellm is missing"), 400), (KeyError("a bug"), 500)])
def test_what_no_agent_can_help_fails_the_trial(proxy: Proxy, error: Exception, status: int) -> None:
    served = Served(proxy, FakeModel(error, "never mind"))
    assert served.post(BODY)[0] == status
    assert served.post(BODY)[0] == 200
    assert served.trial.failure is error


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"no JSON", "the request is not JSON of a given length"),
        (b"[" * 100_000, "the request is not JSON of a given length"),
        (b"", "the request is not JSON of a given length"),
        ([], "the request is not a JSON object"),
        ({"messages": CHAT}, "the request names no model"),
        ({"model": "m"}, "the request has no list of messages"),
        ({"model": "m", "messages": []}, "the request has no list of messages"),
        ({"model": "m", "messages": ["Hello?"]}, "the request has no list of messages"),
        ({**BODY, "tools": [7]}, "the tools of the request are not a list of objects"),
        ({**BODY, "n": 2}, "one completion is given for a request: leave n out"),
        ({**BODY, "logprobs": True}, "the probabilities of tokens are not kept: leave logprobs out"),
        ({**BODY, "stream": True, "stream_options": "all"}, "the stream_options of the request are not an object"),
        (
            {**BODY, "response_format": "json_object"},
            'the response_format of the request is not an object: write {"type": "json_object"}, for example',
        ),
        ({**BODY, "metadata": "ticket 7"}, "the metadata of the request are not an object"),
    ],
)
def test_what_is_no_request_is_refused(proxy: Proxy, body: Any, sentence: str) -> None:
    served = Served(proxy, FakeModel(AssertionError("nobody asks")))
    status, answer = served.post(body)
    assert (status, answer["error"]["message"]) == (400, sentence)
    assert served.trial.failure is None


def test_what_a_request_waits_for_the_limits_of_the_run_is_no_time_of_its_trial(proxy: Proxy) -> None:
    clock, stood_still = Clock(600.0), []

    class Waits(FakeModel):
        async def complete(self, messages: Any, **options: Any) -> ModelReply:
            with standing_still():
                before, began = clock.seconds, monotonic()
                while monotonic() == began:
                    pass
                stood_still.append(clock.seconds == before)
            return await super().complete(messages, **options)

    served = Served(proxy, Waits("Hi."))
    served.trial.clock = clock
    served.post(BODY)
    assert stood_still == [True]


def test_replies_are_billed_once(proxy: Proxy) -> None:
    served = Served(proxy, FakeModel(reply("one", cost=0.25), reply("two", cost=None)))
    served.post(BODY)
    served.post(BODY)
    assert [answered.cost for answered in served.trial.take_answers()] == [0.25, None]
    assert served.trial.take_answers() == []


def test_what_nobody_could_read_is_billed_as_well(proxy: Proxy) -> None:
    prices = Prices({"openai/test": Price(input=1.0, output=2.0)})
    with ChatServer([no_choices(), says("Hi.")]) as server:
        parameters = {"api_base": server.url, "api_key": "sk-test-1"}
        client = LiteLLMClient("openai/test", parameters, retry=RetryPolicy(attempts=1), prices=prices)
        served = Served(proxy, client)
        assert [served.post(BODY)[0] for _ in range(2)] == [502, 200]
    costs = [answered.cost for answered in served.trial.take_answers()]
    assert costs == pytest.approx([10e-6, 20e-6])


def test_a_trial_has_an_address_of_its_own_until_it_is_over(proxy: Proxy) -> None:
    one, other = Served(proxy, FakeModel("one")), Served(proxy, FakeModel("other"))
    assert one.trial.url() == one.trial.url() != other.trial.url()
    assert [served.post(BODY)[1]["choices"][0]["message"]["content"] for served in (one, other)] == ["one", "other"]
    one.trial.close()
    assert one.post(BODY)[0] == 404
    assert other.post(BODY)[0] == 200
    root = other.trial.url().removesuffix("/v1").rpartition("/")[0]
    for path in ("", "/v1/chat/completions", "/nobody/v1/chat/completions"):
        assert fetched(root + path + "/x")[0] == 404


def test_nothing_listens_before_somebody_asks_for_the_address() -> None:
    def never() -> Proxy:
        raise AssertionError("nobody asked")

    TrialEndpoint(never, lambda model, parameters: FakeModel()).close()
    Proxy().close()


def test_other_paths(proxy: Proxy) -> None:
    served = Served(proxy, FakeModel("one"))
    _, listed = fetched(served.trial.url() + "/models")
    assert [model["id"] for model in listed["data"]] == ["fake/model"]
    for path in ("/completions", "/models", ""):
        assert served.post(BODY, path)[0] == 404
    assert fetched(served.trial.url() + "/responses")[0] == 404
    forget = urllib.request.Request(served.trial.url() + "/responses/resp_1", method="DELETE")  # noqa: S310 (loopback)
    status, answer = fetched(forget)
    assert (status, answer["error"]["type"]) == (404, "invalid_request_error")


def test_what_is_not_recorded_is_a_4xx_and_fails_the_trial(proxy: Proxy, tmp_path: Path) -> None:
    key = TrialKey("shop", "sell_one", 1)
    served = Served(proxy, Cassette(tmp_path / "cassettes", key, "record").client(FakeModel("Hi."), "agent"))
    assert served.post(BODY)[0] == 200
    nobody = FakeModel(AssertionError("nobody asks"))
    served = Served(proxy, Cassette(tmp_path / "cassettes", key, "replay").client(nobody, "agent"))
    assert served.post(BODY)[1]["choices"][0]["message"]["content"] == "Hi."
    status, answer = served.post({**BODY, "messages": [{"role": "user", "content": "Goodbye?"}]})
    assert status == 400
    assert "+Goodbye?" in answer["error"]["message"]
    assert str(served.trial.failure) == answer["error"]["message"]


def test_the_openai_client_speaks_with_it(proxy: Proxy) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        openai = pytest.importorskip("openai")
        down = ProviderError("a call failed: rate limit", permanent=False, status=429)
        served = Served(proxy, FakeModel("Hi.", SELL, "In pieces.", down))
        with openai.OpenAI(base_url=served.trial.url(), api_key="none") as client:
            create = client.chat.completions.create
            assert create(model="m", messages=CHAT).choices[0].message.content == "Hi."
            [call] = create(model="m", messages=CHAT, tools=TOOLS).choices[0].message.tool_calls
            assert json.loads(call.function.arguments) == SELL.arguments
            pieces = [chunk.choices[0].delta.content or "" for chunk in create(model="m", messages=CHAT, stream=True)]
            assert "".join(pieces) == "In pieces."
            with pytest.raises(openai.RateLimitError):
                create(model="m", messages=CHAT)
        assert len(served.named) == 4


@pytest.mark.parametrize("model", ["oobabooga/http://127.0.0.1:9/steal", "huggingface/HTTPS://h.example", "x///y"])
def test_a_model_does_not_bring_its_own_address(proxy: Proxy, model: str) -> None:
    with pytest.raises(Refused, match="brings its own address"):
        ChatRequest({"model": model, "messages": CHAT})
    bodies: dict[str, dict[str, Any]] = {
        "/chat/completions": {"messages": CHAT},
        "/responses": {"input": "Hello?"},
        "/messages": {"messages": CHAT, "max_tokens": 9},
        "/embeddings": {"input": "Hello?"},
    }
    served = Served(proxy, FakeModel(AssertionError("nobody asks")))
    for path, body in bodies.items():
        status, answer = served.post({"model": model, **body}, path)
        assert (status, "brings its own address" in answer["error"]["message"]) == (400, True), path


@pytest.mark.parametrize(
    "name", ["api_base", "base_url", "api_key", "extra_headers", "custom_llm_provider", "mock_response"]
)
def test_a_request_does_not_say_where_the_key_goes(proxy: Proxy, name: str) -> None:
    served = Served(proxy, FakeModel("Hi."))
    status, answer = served.post({**BODY, name: "http://127.0.0.1:9/elsewhere"})
    assert status == 400
    assert f"'{name}' is not passed on: give it with --tau-agent-llm-args" in answer["error"]["message"]
    assert served.named == []


def test_those_who_connect_and_say_nothing_are_hung_up_on(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "MOST", 5)
    monkeypatch.setattr(loopback, "PATIENCE", 0.2)
    served = Served(proxy, FakeModel("Hi."))
    address = urllib.parse.urlsplit(served.trial.url())
    before = threading.active_count()
    idle = [socket.create_connection((address.hostname or "", address.port or 0)) for _ in range(20)]
    try:
        status, _ = served.post(BODY)
        assert status == 200
        assert threading.active_count() - before <= 5 + 1
        for connection in idle:
            connection.settimeout(30)
            assert connection.recv(1) == b""
    finally:
        for connection in idle:
            connection.close()


def test_a_body_beyond_all_measure_is_not_read(proxy: Proxy) -> None:
    served = Served(proxy, FakeModel("Hi."))
    address = urllib.parse.urlsplit(served.trial.url())
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=30) as connection:
        head = f"POST {address.path}/chat/completions HTTP/1.0\r\nContent-Length: 99999999999\r\n\r\n"
        connection.sendall(head.encode())
        assert connection.recv(100).startswith(b"HTTP/1.0 413 ")
