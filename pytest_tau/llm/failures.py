"""Failures of a provider, told apart by status and class name, for clients raise many classes for the same thing.

No text of a provider gets out of here that has not been scrubbed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Literal

from ..errors import describe
from ..patterns import lazy
from ..printable import cut
from ..scrub import scrub

Kind = Literal[
    "rate limit",
    "quota",
    "no key",
    "unknown model",
    "time-out",
    "connection",
    "server",
    "unreadable answer",
    "refused",
    "context window",
    "no tool parser",
    "unknown",
]

_RETRYABLE: frozenset[Kind] = frozenset({"rate limit", "time-out", "connection", "server", "unreadable answer"})
# Every other call of the model would fail as well, whatever is asked.
_PERMANENT: frozenset[Kind] = frozenset({"quota", "no key", "unknown model"})
_ADVICE: dict[Kind, str] = {
    "quota": "the account has no credit left",
    "no key": "set the provider's API key in the environment",
    "unknown model": "check the model's name and api_base",
    "context window": "the conversation is longer than the model's context window",
    "no tool parser": "start the server with its tool-call parser (llama.cpp --jinja, vLLM --enable-auto-tool-choice), "
    "take a model that has tools, or play --tau-agent act",
}
# llama.cpp says so with a 500, which is no passing trouble.
_NO_PARSER = re.compile(r"--jinja|--tool-call-parser|does not support tools", re.IGNORECASE)
_WIDER = (
    "use a model with a larger window, or give the server more (llama.cpp --ctx-size, vLLM --max-model-len, Ollama "
    "num_ctx)"
)
_STATUS_ADVICE = {
    401: "check the API key",
    403: "the key may not use this model",
    404: "check the model's name and api_base",
}
_CONTEXT = lazy(
    r"context.{0,10}(?:length|window|size|limit)|max_model_len|n_ctx|(?:prompt|input|messages)(?: is| are)? too long"
    r"|max\w* (?:prompt|input|model) length|reduce the length of the (?:messages|prompt|input)|prompt exceeds"
    r"|too many (?:input )?tokens|token count.{0,30}exceeds|(?:input|prompt) tokens exceed|model token limit"
    r"|tokens in request|token limit exceeded|.inputs.{1,3}(?:tokens|must have)|too large for (?:the )?model",
    re.IGNORECASE,
)
_PER_MINUTE = lazy(r"per minute|\bTPM\b")  # a limit of another kind, though for Groq's requests that are too large
_CONTEXT_500 = lazy(r"exceeds the available context|context size has been exceeded", re.IGNORECASE)  # llama.cpp
_WINDOW = tuple(
    lazy(pattern, re.IGNORECASE)
    for pattern in (
        r"n_ctx\W{1,6}(?P<n>\d{2,9})",
        r"(?P<n>\d[\d,]{1,12}) max\w* context",
        r">\s*(?P<n>\d[\d,]{1,12})\s*(?:tokens? )?max",
        r"(?:context|model)[\w' ]{0,20}(?:length|window|size|limit|len)\D{0,30}?(?P<n>\d[\d,]{1,12})",
        r"(?:max\w*|limit)\D{0,30}?(?P<n>\d[\d,]{1,12})",
    )
)
_NUMBER = lazy(r"(?<![\w.-])\d[\d,]*\d(?![\w-])")
_CREDIT = lazy(
    r"exceeded your current quota|insufficient.{0,10}(?:quota|credit|balance|funds)|credit balance|out of credit"
    r"|billing.{0,20}(?:limit|inactive|not active)|payment required",
    re.IGNORECASE,
)
# Google says "exceeded your current quota" of a minute's requests as well as of a day's, and of what is not for sale.
_STAYS = lazy(r"PerDay|limit: 0\b")
_WAIT = lazy(r"retry(?:Delay\W{1,6}| in )((?:\d{1,6}(?:\.\d*)?(?:ms|[hms]))+)")
_PART_OF_WAIT = lazy(r"([\d.]+)(ms|[hms])")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_NO_KEY = lazy(
    r"missing credentials|api[-_ ]?key.{0,60}(?:must be set|is missing|not set|not found|not provided|is required)"
    r"|(?:missing|no|set) .{0,20}api[-_ ]?key",
    re.IGNORECASE,
)
_NO_MODEL = lazy(
    r"model.{0,60}(?:does not exist|not found|is not a valid|unknown|decommissioned)|(?:unknown|invalid|no such) model"
    r"|model_not_found|LLM Provider NOT provided",
    re.IGNORECASE,
)
_CLASSES = lazy(r"^(?:(?:litellm\.)?\w+(?:Error|Exception|Timeout)(?:: | - ))+")
_TIMED_OUT = 408
_NO_CREDIT_CODES = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
_TEXT_LENGTH = 300


@dataclass(frozen=True)
class Failure:
    """What went wrong with one attempt; ``wait`` is what the provider asked for, in seconds.

    ``tokens``: of a context window that was too small, how many were needed and how many it has, where that is said.
    ``advice``: what to do about the status, where no model was asked.
    """

    kind: Kind
    status: int
    text: str
    wait: float | None = None
    tokens: tuple[int | None, int | None] = (None, None)
    advice: str | None = None

    @property
    def retryable(self) -> bool:
        """Whether another attempt may succeed."""
        return self.kind in _RETRYABLE

    @property
    def permanent(self) -> bool:
        """Whether every other call of this model would fail as well."""
        return self.kind in _PERMANENT or self.status in _STATUS_ADVICE or 300 <= self.status < 400

    def __str__(self) -> str:
        status = f" (HTTP {self.status})" if self.status else ""
        advice = _ADVICE.get(self.kind) or self.advice or _STATUS_ADVICE.get(self.status)
        if self.kind == "context window":
            advice = f"{advice} ({self._numbers}): {_WIDER}"
        return (
            f"{self.kind}{status}: {self.text.rstrip('.')}; {advice}" if advice else f"{self.kind}{status}: {self.text}"
        )

    @property
    def _numbers(self) -> str:
        """What was needed and what there is."""
        needed, window = ("an unknown number of" if number is None else f"{number:,}" for number in self.tokens)
        return f"{needed} tokens needed, {window} allowed"


def failure_of(error: BaseException, *, now: float, secrets: Iterable[str] = ()) -> Failure:
    """What an exception out of litellm, or of a client below it, means."""
    status = getattr(error, "status_code", None)
    status = status if isinstance(status, int) else 0
    text = _error_line(error, secrets)
    kind = _kind(error, status, text)
    if kind == "unknown":  # a bug in the client, perhaps: its class tells more than its text
        text = f"{type(error).__name__}: {text}"
    if kind in ("unreadable answer", "no key"):
        status = 0  # litellm's own: what came had another, and without a key nothing was asked
    tokens = overflow(describe(error)) if kind == "context window" else (None, None)
    wait = _retry_after(_headers(error), now)
    return Failure(kind, status, text, _wait_in(_all_told(error)) if wait is None else wait, tokens)


def costs_nothing(error: Exception) -> bool:
    """Whether a provider has refused a call: whoever gives up waiting for it may have to pay for it all the same."""
    return bool(getattr(error, "status_code", _TIMED_OUT) != _TIMED_OUT)


def overflow(text: str) -> tuple[int | None, int | None]:
    """Tokens that were needed, and that the context window has, as a provider says; None for what it does not say.

    The window is named by its word ("maximum context length is 8192", "n_ctx: 4096", "> 200000 maximum"). What was
    needed is the largest other number that is larger.
    """
    window = next((_whole(found["n"]) for pattern in _WINDOW if (found := pattern.search(text))), None)
    numbers = [_whole(found) for found in _NUMBER.findall(text)]
    needed = max((number for number in numbers if number > (window or 0)), default=None)
    return (needed, window) if window is not None else (None, None)


def _whole(text: str) -> int:
    return int(re.sub(r"\D", "", text)[:12])


def _kind(error: BaseException, status: int, text: str) -> Kind:
    names = {cls.__name__ for cls in type(error).__mro__}
    if "UnreadableAnswer" in names:
        return "unreadable answer"
    if _is_overflow(error, status, f"{text} {_code(error)}"):
        return "context window"
    if status in (400, 500) and _NO_PARSER.search(text):
        return "no tool parser"
    if status == 402 or (status in (400, 403, 429) and _is_without_credit(error, status, text)):
        return "quota"
    if status == 429:
        return "rate limit"
    if status in (0, 401, 500) and _NO_KEY.search(text):
        return "no key"
    if status in (400, 404, 422) and _NO_MODEL.search(text):
        return "unknown model"
    if status == 408 or names & {"Timeout", "APITimeoutError", "TimeoutError", "TimeoutException"}:
        return "time-out"
    if "Connection error" in text or names & {"APIConnectionError", "ConnectionError", "TransportError"}:
        return "connection"
    if status >= 500:
        return "server"
    return "refused" if 300 <= status < 500 else "unknown"


def _is_without_credit(error: BaseException, status: int, text: str) -> bool:
    if _code(error) in _NO_CREDIT_CODES:
        return True
    if not _CREDIT.search(text):
        return False
    told = _all_told(error)
    passes = "PerMinute" in told or _wait_in(told) is not None
    return status != 429 or not passes or bool(_STAYS.search(told))


def _is_overflow(error: BaseException, status: int, text: str) -> bool:
    classes = {cls.__name__ for one in (error, error.__cause__) for cls in type(one).__mro__}
    if "ContextWindowExceededError" in classes or (status == 500 and _CONTEXT_500.search(text)):
        return True
    return status in (400, 413, 422) and bool(_CONTEXT.search(text)) and not _PER_MINUTE.search(text)


def _code(error: BaseException) -> str:
    """The code, else the type, that a provider gives its error."""
    body = getattr(error, "body", None)
    return str(body.get("code") or body.get("type")) if isinstance(body, Mapping) else ""


def _all_told(error: BaseException) -> str:
    """What a provider says besides the line that is shown: Google's wait and the limit that was met stand below it."""
    return f"{describe(error)} {getattr(error, 'body', None)}"


def _headers(error: BaseException) -> Mapping[str, str]:
    found = getattr(error, "litellm_response_headers", None) or getattr(
        getattr(error, "response", None), "headers", None
    )
    return {str(name).lower(): str(value) for name, value in dict(found or {}).items()}


def _retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that Retry-After (a number or an HTTP date) or retry-after-ms asks for; None for none or nonsense."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


def _wait_in(text: str) -> float | None:
    """Seconds that an error asks for in words, as Google's do: "retry in 1m2.5s", or a retryDelay."""
    found = _WAIT.search(text)
    return None if found is None else sum(float(n) * _SECONDS[unit] for n, unit in _PART_OF_WAIT.findall(found[1]))


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _error_line(error: BaseException, secrets: Iterable[str]) -> str:
    """What an exception says, in a line: litellm repeats whole responses and tracebacks below its first one."""
    text = describe(error).strip()
    line = _CLASSES.sub("", next(iter(text.splitlines()), "")).partition("Traceback")[0] or type(error).__name__
    return cut(scrub(line.strip(), secrets), _TEXT_LENGTH)
