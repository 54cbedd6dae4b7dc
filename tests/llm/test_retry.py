"""Which failures are tried again, when, and what is said at last; with a clock that only waits move."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from pytest_tau.conversation.faults import is_infra
from pytest_tau.errors import InfraError, SettingsError
from pytest_tau.llm.replies import UnreadableAnswer
from pytest_tau.llm.retry import ProviderError, Retrying, RetryPolicy, failure_of, overflow

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC).timestamp()


class HTTPError(Exception):
    """A failure as a client raises it."""

    def __init__(self, status_code: int | None, text: str = "It broke.", **headers: str) -> None:
        super().__init__(text)
        if status_code is not None:
            self.status_code = status_code
        self.litellm_response_headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Waits:
    """A sleep that takes no time and remembers how long it was asked to wait."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def failing(*errors: Exception) -> Callable[[], Awaitable[str]]:
    """An attempt that raises these one after the other, and then succeeds."""
    left = list(errors)

    async def attempt() -> str:
        if left:
            raise left.pop(0)
        return "done"

    return attempt


def run(
    *errors: Exception, policy: RetryPolicy | None = None, waits: Waits | None = None, jitter: float = 1.0
) -> tuple[str, list[float]]:
    """The result, and what was waited for; ``jitter`` is the part of each wait that is drawn."""
    waits = waits or Waits()
    retrying = Retrying(
        policy or RetryPolicy(), sleep=waits, now=lambda: NOON, uniform=lambda low, high: low + jitter * (high - low)
    )
    return asyncio.run(retrying.run("a call", failing(*errors))), waits.seconds


def test_waits_double_up_to_the_cap() -> None:
    result, waits = run(*[HTTPError(500)] * 6, policy=RetryPolicy(base=1.0, cap=8.0))
    assert (result, waits) == ("done", [1, 2, 4, 8, 8, 8])


def test_jitter_is_full() -> None:
    assert run(*[HTTPError(500)] * 3, jitter=0.0)[1] == [0, 0, 0]


def test_without_a_failure_nothing_is_waited_for() -> None:
    assert run() == ("done", [])


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


def test_retry_after_is_kept_to_and_the_herd_is_spread() -> None:
    errors = [HTTPError(429, retry_after="7")] * 3
    assert run(*errors, jitter=0.0)[1] == [7, 7, 7]
    assert run(*errors, jitter=1.0)[1] == [8, 8, 8]


def test_a_wait_beyond_the_limit_is_not_begun() -> None:
    waits = Waits()
    with pytest.raises(ProviderError, match="was asked to wait 3601 s and gave up after 1 attempt and 0 s") as caught:
        run(HTTPError(429, retry_after="3600"), waits=waits)
    assert waits.seconds == []
    assert not caught.value.permanent


def test_waits_are_limited_in_all() -> None:
    waits = Waits()
    with pytest.raises(ProviderError, match=r"a call gave up after 4 attempts and 7 s of waiting: server \(HTTP 503\)"):
        run(*[HTTPError(503)] * 9, policy=RetryPolicy(max_wait=10.0), waits=waits)
    assert waits.seconds == [1, 2, 4]


UNHEARD = r"gave up after 5 attempts and 15 s of waiting: connection: .*; nothing has ever answered there: check"


def test_where_nobody_has_ever_answered_it_is_given_up_soon() -> None:
    waits = Waits()
    with pytest.raises(ProviderError, match=UNHEARD) as caught:
        run(*[ConnectionRefusedError("refused")] * 9, waits=waits)
    assert waits.seconds == [1, 2, 4, 8]
    assert not caught.value.permanent


@pytest.mark.parametrize("first", [None, HTTPError(503), HTTPError(429), HTTPError(401)])
def test_where_somebody_has_answered_a_connection_may_come_back(first: Exception | None) -> None:
    retrying = Retrying(RetryPolicy(), sleep=Waits(), uniform=lambda low, high: high)
    with suppress(ProviderError):
        asyncio.run(retrying.run("a call", failing(*[first] if first else [])))
    assert asyncio.run(retrying.run("a call", failing(*[ConnectionResetError("reset")] * 8))) == "done"


def test_attempts_are_limited_and_the_last_is_not_waited_after() -> None:
    waits = Waits()
    with pytest.raises(ProviderError, match="a call failed in 3 attempts: rate limit"):
        run(*[HTTPError(429)] * 9, policy=RetryPolicy(attempts=3), waits=waits)
    assert waits.seconds == [1, 2]


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


def test_what_is_not_worth_another_attempt_is_raised_at_once_as_the_provider_s_fault() -> None:
    waits = Waits()
    with pytest.raises(ProviderError, match=r"^a call failed: unknown: KeyError: 'choices'$") as caught:
        run(KeyError("choices"), waits=waits)
    assert waits.seconds == []
    assert isinstance(caught.value, InfraError)
    assert is_infra(caught.value)
    assert caught.value.__context__ is None


def test_silence_is_waited_for_twice() -> None:
    with pytest.raises(ProviderError, match="a call failed in 2 attempts: time-out"):
        run(*[TimeoutError()] * 9)


def test_our_own_errors_pass_as_they_are() -> None:
    ours = SettingsError("install it")
    with pytest.raises(SettingsError) as caught:
        run(ours)
    assert caught.value is ours


def test_being_cancelled_is_no_failure() -> None:
    async def attempt() -> str:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(Retrying(RetryPolicy(), sleep=Waits()).run("a call", attempt))


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
