"""What a server answers that is no completion: an infra error that says what it is, and never the agent's miss."""

import asyncio
import gzip
from typing import Any

import pytest

from pytest_tau.llm.retry import RetryPolicy
from tests.llm.asking import HELLO, ask, client, fail
from tests.llm.server import Answer, ChatServer, says

# The call as we send it, as litellm does by OpenAI's client, and as it does by its own.
ROUTES: dict[str, dict[str, Any]] = {
    "direct": {},
    "openai": {"parameters": {"extra_headers": {"X-Test": "1"}}},
    "litellm": {"model": "hosted_vllm/test"},
}
by_each_route = pytest.mark.parametrize("route", ROUTES)
FIREWORKS = "fireworks_ai/accounts/x/models/y"
FEW = RetryPolicy(attempts=2)


def completion(message: Any) -> Answer:
    return Answer({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})


@by_each_route
@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (completion("hi"), "the message is a string, not an object"),
        (completion([]), "the message is a list, not an object"),
        (completion(5), "the message is a number, not an object"),
        (completion(None), "the response has no message in it"),
        (completion({"content": None, "tool_calls": {"name": "get_user"}}), "the message's tool_calls are not a list"),
        (completion({"message": {"content": "hi"}}), "the message has no content, but another message in it"),
        (completion({"content": None, "tool_calls": [5]}), "one of the message's tool_calls is not an object"),
        (Answer(b"<!DOCTYPE html><html><body>Welcome"), "the answer is a web page, not an API: check the address"),
        (Answer(b"<html>", status=404), "the answer is a web page, not an API: check the address"),
        (Answer(b""), "the answer is empty (HTTP 200)"),
        (Answer(b"", status=204), "the answer is empty (HTTP 204)"),
        (Answer(b'data: {"choices": []}\n\n'), "the answer is a stream of events, and none was asked for"),
        (Answer(b"{}", headers={"Content-Encoding": "gzip"}), "the answer cannot be unpacked"),
        (Answer(gzip.compress(b"{}")), "the answer is packed (gzip), and does not say so"),
        (Answer(b"[1]"), "the answer is JSON, and no object: [1]"),
        (Answer(b'[{"error": {"code": 429, "message": "slow down"}}]'), "rate limit (HTTP 429): slow down"),
        (Answer(b"\xef\xbb\xbf"), "the answer is empty (HTTP 200)"),
        (Answer(b"OK"), "the answer is not JSON (Expecting value: line 1 column 1 (char 0)): OK"),
        (Answer(b"\xef\xbb\xbf<!-- x -->" * 300 + b"<html>"), "the answer is a web page"),
        (Answer({"choices": {"0": {}}}), "the response's choices are not a list"),
        (Answer({"choices": None, "base_resp": "zebra"}), 'is no completion: {"choices": null, "base_resp": "zebra"}'),
        (Answer({"choices": "hi"}), "the response's choices are not a list"),
        (Answer(completion({"content": "hi"}).body, headers={"Content-Encoding": "deflate"}), "cannot be unpacked"),
        (Answer(b'{"choices": [{"mess'), "the answer is not JSON (Unterminated string starting at: line 1 column 15"),
        (Answer(b"zebra", status=404), "refused (HTTP 404): zebra; check the model's name"),
        (Answer(b'[{"message": "zebra"}]', status=503), 'server (HTTP 503): [{"message": "zebra"}]'),
        (Answer({"error": "zebra"}, status=429), "rate limit (HTTP 429): zebra"),
        (
            Answer({"error": "context length of only 4096 tokens"}, status=400),
            "an unknown number of tokens needed, 4,096",
        ),
        (Answer({"error": "Bad Request", "message": "zebra"}, status=400), "refused (HTTP 400): Bad Request: zebra"),
        (
            Answer({"error": {"message": "Provider returned error", "metadata": {"raw": "zebra"}}}, status=400),
            "refused (HTTP 400): Provider returned error: zebra",
        ),
        (Answer({"error": {"code": "429", "message": "slow down"}}), "rate limit (HTTP 429): slow down"),
        (Answer({"error": {"type": "overloaded_error", "message": "busy"}}), "server (HTTP 529): busy"),
        (Answer({"error": True, "message": "zebra"}), "server (HTTP 502): zebra"),
        (Answer({"errors": [{"code": 429, "message": "slow down"}]}), "rate limit (HTTP 429): slow down"),
        (Answer({"success": False, "errors": ["no zebra", "no lion"]}), "server (HTTP 502): no zebra; no lion"),
        (Answer({"errors": {"message": "zebra"}}, status=400), "refused (HTTP 400): zebra"),
        (Answer({"error": [{"message": "zebra"}]}), "server (HTTP 502): zebra"),
        (Answer({"result": None, "errors": []}), "is no completion: "),
        (Answer({"message": "zebra"}, status=300), "refused (HTTP 300): zebra"),
        (Answer(reset=True), "connection: Connection error: "),
        (Answer({"detail": "Not Found"}), 'the response is no completion: {"detail": "Not Found"}'),
        (Answer({"choices": [], "error": {"code": 500, "message": "both"}}), "server (HTTP 500): both"),
        (Answer({"object": "error", "message": "no model x", "code": 404}), "(HTTP 404): no model x"),
    ],
    ids=lambda value: value if isinstance(value, str) else "answer",
)
def test_says_what_came(answer: Answer, sentence: str, route: str) -> None:
    assert sentence in str(fail(answer, retry=FEW, **ROUTES[route]))


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Answer(b"<html>"), "the answer is a web page, not an API: check the address"),
        (Answer({"content": 5, "type": "x"}), 'the response is no completion: {"content": 5, "type": "x"}'),
        (
            Answer({"type": "error", "error": {"type": "rate_limit_error", "message": "Too many."}}),
            "(HTTP 429): Too many.",
        ),
    ],
    ids=["page", "number", "error"],
)
def test_says_what_came_of_another_form(answer: Answer, sentence: str) -> None:
    assert sentence in str(fail(answer, retry=FEW, model="anthropic/claude-haiku-4-5"))


@by_each_route
@pytest.mark.parametrize("address", ["http://127.0.0.1:1/v1", "http://no-such-host.invalid/v1"])
def test_says_that_nobody_is_there(address: str, route: str) -> None:
    parameters = {**ROUTES[route].get("parameters", {}), "api_base": address}
    error = fail(says(""), retry=FEW, **{**ROUTES[route], "parameters": parameters})
    assert error.kind == "connection"
    assert "Cannot connect to host " + address[7:].partition("/")[0].partition(":")[0] in str(error)
    assert "0x" not in str(error)


def test_an_answer_without_an_end_is_not_read_to_it() -> None:
    assert "the answer is longer than 64 MB" in str(fail(Answer(b" " * 65_000_000), retry=FEW))


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("rate_limit_exceeded", "rate limit"),
        ("insufficient_quota", "quota"),
        ("context_length_exceeded", "context window"),
        ("503", "server"),
        ("99999", "server"),
    ],
)
def test_its_code_says_which(code: str, kind: str) -> None:
    error = fail(Answer({"error": {"code": code, "message": "the context window is too small"}}))
    assert error.kind == kind


def test_an_error_with_the_status_of_a_success_is_that_error() -> None:
    error = fail(Answer({"error": {"code": 429, "message": "slow down"}}))
    assert (error.kind, error.status) == ("rate limit", 429)
    assert "slow down" in str(error)
    assert fail(Answer({"error": "down"})).status == 502


@by_each_route
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(status: int, route: str) -> None:
    with ChatServer(says("Stolen.")) as other:
        elsewhere = Answer(b"", status=status, headers={"Location": other.url + "/chat/completions"})
        error = fail(elsewhere, **ROUTES[route])
        assert other.requests == []
    assert (error.status, error.permanent) == (status, True)
    assert f"redirects to {other.url}" in str(error)
    assert "name that address as api_base" in str(error)


def test_a_redirect_in_a_circle_ends_at_its_first_step() -> None:
    with ChatServer(Answer(b"", status=302, headers={"Location": "/v1/chat/completions"})) as server:
        with pytest.raises(Exception, match="no redirect is followed"):
            asyncio.run(client(server).complete(HELLO))
        assert len(server.requests) == 1


def test_no_reply_is_made_of_an_answer_without_choices() -> None:
    # litellm's own route to this provider makes an empty reply of it, which would be the agent's miss.
    said = str(fail(Answer({"choices": None, "base_resp": {"status_msg": "zebra"}}), retry=FEW, model=FIREWORKS))
    assert 'the response is no completion: {"choices": null, "base_resp": {"status_msg": "zebra"}}' in said


def test_an_empty_reply_is_one() -> None:
    assert ask(completion({"role": "assistant", "content": ""}), model=FIREWORKS).problem == "the reply is empty"
