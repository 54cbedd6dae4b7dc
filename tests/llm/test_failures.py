"""What the failures of a provider are told apart as, and what is said of them."""

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from pytest_tau.llm.failures import failure_of, overflow
from pytest_tau.llm.replies import UnreadableAnswer
from tests.llm.http_errors import NOON, HTTPError


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry_after": "7"}, 7),
        ({"Retry_After": "2.5"}, 2.5),
        ({"retry_after_ms": "250", "retry_after": "1"}, 0.25),
        ({"retry_after": format_datetime(datetime.fromtimestamp(NOON + 90, UTC), usegmt=True)}, 90),
        ({"retry_after": format_datetime(datetime.fromtimestamp(NOON - 90, UTC), usegmt=True)}, 0),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "-3"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": "inf"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_as_seconds_milliseconds_or_a_date(headers: dict[str, str], wait: float | None) -> None:
    assert failure_of(HTTPError(429, **headers), now=NOON).wait == wait


class APIConnectionError(Exception):
    """Named as the clients name theirs."""


class Timeout(Exception):
    """Named as litellm names its own."""


class ContextWindowExceededError(Exception):
    """Named as litellm names its own."""


def coded(code: str, status: int = 429) -> HTTPError:
    error = HTTPError(status)
    error.body = {"code": code}  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize(
    ("error", "kind", "retryable"),
    [
        (HTTPError(408), "time-out", True),
        (HTTPError(429), "rate limit", True),
        (coded("rate_limit_exceeded"), "rate limit", True),
        (coded("insufficient_quota"), "quota", False),
        (HTTPError(429, "You exceeded your current quota, please look at your plan."), "quota", False),
        (HTTPError(500), "server", True),
        (HTTPError(529), "server", True),
        (HTTPError(500, "Connection error."), "connection", True),
        (ConnectionResetError("reset"), "connection", True),
        (APIConnectionError("no route"), "connection", True),
        (TimeoutError(), "time-out", True),
        (Timeout("slow"), "time-out", True),
        (HTTPError(400), "refused", False),
        (HTTPError(401), "refused", False),
        (HTTPError(403), "refused", False),
        (HTTPError(404), "refused", False),
        (HTTPError(422), "refused", False),
        (HTTPError(400, "maximum context length is 5 tokens"), "context window", False),
        (HTTPError(400, "prompt is too long: 9 tokens > 5 maximum"), "context window", False),
        (HTTPError(500, "context length"), "server", True),
        (ContextWindowExceededError("5 tokens"), "context window", False),
        (KeyError("choices"), "unknown", False),
        (HTTPError(402), "quota", False),
        (coded("billing_hard_limit_reached"), "quota", False),
        (HTTPError(429, "Your credit balance is too low"), "quota", False),
        (HTTPError(500, "Missing credentials. Please pass an `api_key`"), "no key", False),
        (HTTPError(500, "The api_key client option must be set"), "no key", False),
        (HTTPError(500, "tools param requires --jinja flag"), "no tool parser", False),
        (HTTPError(400, "registry.ollama.ai/library/gemma:2b does not support tools"), "no tool parser", False),
        (HTTPError(400, "invalid model ID"), "unknown model", False),
        (HTTPError(404, "The model `x` does not exist"), "unknown model", False),
        (HTTPError(400, "LLM Provider NOT provided. Pass in the LLM provider"), "unknown model", False),
        (HTTPError(500, "Context size has been exceeded."), "context window", False),
        (HTTPError(422, "`inputs` tokens + `max_new_tokens` must be <= 8193"), "context window", False),
        (HTTPError(413, "Request too large: reduce the length of the messages"), "context window", False),
        (HTTPError(400, "The input token count (12) exceeds the maximum"), "context window", False),
        *(
            (HTTPError(400, text), "context window", False)
            for text in (
                "Input is too long for requested model.",
                "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000",
                "prompt token count of 9000 exceeds the limit of 8192",
                "Your request exceeded model token limit: 8192 (requested: 9000)",
                "Tokens in request more than max tokens allowed",
                "invalid params, context window exceeds limit",
            )
        ),
        (coded("exceed_context_size_error", 400), "context window", False),
        (HTTPError(413, "Request too large for model `x` on tokens per minute (TPM): Limit 60"), "refused", False),
        (
            HTTPError(400, "max_tokens is too large: 9000. This model has at most 4096 completion tokens"),
            "refused",
            False,
        ),
        (HTTPError(400, "context is not a known parameter"), "refused", False),
        (HTTPError(400, "Your credit balance is too low"), "quota", False),
        (HTTPError(400, "The balance of brackets is off"), "refused", False),
        (UnreadableAnswer("it is no JSON"), "unreadable answer", True),
    ],
)
def test_failures_are_told_apart(error: Exception, kind: str, retryable: bool) -> None:
    failure = failure_of(error, now=NOON)
    assert (failure.kind, failure.retryable) == (kind, retryable)


GOOGLES = "You exceeded your current quota, please check your plan and billing details. For more: https://ai.google.dev"


def of_google(limit: str, delay: str, words: str = "") -> HTTPError:
    error = HTTPError(429, f"{GOOGLES}\n* Quota exceeded, limit: 15\n{words}")
    violations = [{"quotaId": f"GenerateRequests{limit}PerProjectPerModel-FreeTier"}]
    error.body = {"details": [{"violations": violations}, {"retryDelay": delay}]}  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize(
    ("error", "kind", "wait"),
    [
        (of_google("PerMinute", "26s"), "rate limit", 26),
        (of_google("PerMinute", "1.25s"), "rate limit", 1.25),
        (of_google("PerDay", "26s"), "quota", 26),
        (HTTPError(429, f"{GOOGLES}\nPlease retry in 1.5s."), "rate limit", 1.5),
        (HTTPError(429, f"{GOOGLES}\nPlease retry in 250ms."), "rate limit", 0.25),
        (HTTPError(429, f"{GOOGLES}\nPlease retry in 1h2m3.5s."), "rate limit", 3723.5),
        (HTTPError(429, f"{GOOGLES}\nPlease retry in 1.5s.", retry_after="7"), "rate limit", 7),
        (HTTPError(429, f"{GOOGLES}\n* Quota exceeded, limit: 0, model: x\nPlease retry in 1.5s."), "quota", 1.5),
        (HTTPError(429, GOOGLES), "quota", None),
    ],
)
def test_a_quota_that_comes_back_soon_is_a_rate_limit(error: Exception, kind: str, wait: float | None) -> None:
    failure = failure_of(error, now=NOON)
    assert (failure.kind, failure.wait) == (kind, wait)


def test_a_text_is_one_line_and_short() -> None:
    failure = failure_of(HTTPError(400, "litellm.BadRequestError: " + "x" * 999 + "\nTraceback of litellm"), now=NOON)
    assert failure.text == "x" * 300 + "…"


def test_a_key_at_the_cut_is_hidden_whole() -> None:
    key = "0123456789abcdef"
    failure = failure_of(HTTPError(400, "x" * 290 + key), now=NOON, secrets=[key])
    assert "0123" not in failure.text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("This model's maximum context length is 8192 tokens. However, your messages resulted in 9012", (9012, 8192)),
        (
            "maximum context length is 4096 tokens. However, you requested 5000 tokens (4900 in the messages, 100",
            (5000, 4096),
        ),
        ("maximum prompt length is 131072 but the request contains 140000 tokens", (140000, 131072)),
        ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", (40000, 32768)),
        ("prompt is too long: 208310 tokens > 200000 maximum", (208310, 200000)),
        ("request (40030 tokens) exceeds the available context size (16384 tokens), try increasing it", (40030, 16384)),
        (
            "the input token count (1,050,000) exceeds the maximum number of tokens allowed (1,048,576)",
            (1050000, 1048576),
        ),
        ("the request exceeds the available context size", (None, None)),
    ],
)
def test_the_numbers_of_a_context_window(text: str, tokens: tuple[int | None, int | None]) -> None:
    assert overflow(text) == tokens
