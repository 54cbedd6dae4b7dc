"""What a server answers that is no completion: an infra error that says what it is, and never the agent's miss."""

import asyncio
import gzip
from typing import Any

import pytest

from tests.llm.asking import HELLO, client, fail
from tests.llm.server import Answer, ChatServer, says


def completion(message: Any) -> Answer:
    return Answer({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (completion("hi"), "the message is a string, not an object"),
        (completion([]), "the message is a list, not an object"),
        (completion(5), "the message is a number, not an object"),
        (completion(None), "the response has no message in it"),
        (completion({"content": None, "tool_calls": {"name": "get_user"}}), "the message's tool_calls are no list"),
        (Answer(b"<!DOCTYPE html><html><body>Welcome"), "the answer is a web page, not an API: check the address"),
        (Answer(b"<html>", status=404), "the answer is a web page, not an API: check the address"),
        (Answer(b""), "the answer is empty (HTTP 200)"),
        (Answer(b"", status=204), "the answer is empty (HTTP 204)"),
        (Answer(b'data: {"choices": []}\n\n'), "the answer is a stream of events, and none was asked for"),
        (Answer(b"{}", headers={"Content-Encoding": "gzip"}), "the answer cannot be unpacked"),
        (Answer(gzip.compress(b"{}")), "the answer is packed (gzip), and does not say so"),
        (Answer(b"[1]"), "the answer is JSON, and no object"),
        (Answer(b"OK"), "the answer is no JSON (Expecting value: line 1 column 1 (char 0)): OK"),
        (Answer(b"\xef\xbb\xbf<!-- x -->" * 300 + b"<html>"), "the answer is a web page"),
        (Answer(b" " * 65_000_000), "the answer is longer than 64 MB"),
        (Answer({"detail": "Not Found"}), 'the response has no choices in it: {"detail": "Not Found"}'),
        (Answer({"choices": [], "error": {"code": 500, "message": "both"}}), "server (HTTP 500): both"),
        (Answer({"object": "error", "message": "no model x", "code": 404}), "(HTTP 404): no model x"),
    ],
    ids=lambda value: value if isinstance(value, str) else "answer",
)
def test_says_what_came(answer: Answer, sentence: str) -> None:
    assert sentence in str(fail(answer))


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


@pytest.mark.parametrize("status", [302, 307])
def test_nor_where_litellm_makes_the_call(status: int) -> None:
    with ChatServer(says("Stolen.")) as other:
        elsewhere = Answer(b"", status=status, headers={"Location": other.url + "/chat/completions"})
        error = fail(elsewhere, model="hosted_vllm/test")
        assert other.requests == []
    assert "no redirect is followed" in str(error)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(status: int) -> None:
    with ChatServer(says("Stolen.")) as other:
        error = fail(Answer(b"", status=status, headers={"Location": other.url + "/chat/completions"}))
        assert other.requests == []
    assert (error.status, error.permanent) == (status, True)
    assert f"redirects to {other.url}" in str(error)
    assert "name that address as api_base" in str(error)


def test_a_redirect_in_a_circle_ends_at_its_first_step() -> None:
    with ChatServer(Answer(b"", status=302, headers={"Location": "/v1/chat/completions"})) as server:
        with pytest.raises(Exception, match="no redirect is followed"):
            asyncio.run(client(server).complete(HELLO))
        assert len(server.requests) == 1
