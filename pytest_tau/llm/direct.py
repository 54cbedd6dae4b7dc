"""Chat completions sent straight to providers that speak exactly them.

litellm translates between providers. Where the provider speaks OpenAI's chat completions there is nothing to translate,
and its work around a call (walking messages and tools by their types, logging, pricing) takes most of the call's
processor time. So for such a model litellm is asked once what it would do: which provider, which address, which
parameters. Where its answer is "send what was given", the calls go to that address as a plain body, by the HTTP client
that litellm brings with it. Everything else goes through litellm: other providers, models whose parameters it rewrites,
unusual parameters, and every call of a user who has put callbacks or connection settings into litellm.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.request import getproxies_environment

from ..errors import describe
from ..printable import one_line
from . import private
from .encoding import encode_json
from .replies import UnreadableAnswer

_PROVIDER = "openai"
_WEB_PAGE = "the answer is a web page, not an API: check the address"
_BAD_GATEWAY = 502  # of an error in an answer that tells no other status
_STATUS_OF = {
    "context_length_exceeded": 400,
    "insufficient_quota": 429,
    "invalid_api_key": 401,
    "model_not_found": 404,
    "rate_limit_exceeded": 429,
}
_LONGEST = 64_000_000  # bytes of an answer
# Sent as they are; "model" and "messages" besides. What is not here has a meaning of its own to litellm.
_PLAIN = {
    "frequency_penalty",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "n",
    "parallel_tool_calls",
    "presence_penalty",
    "reasoning_effort",
    "response_format",
    "seed",
    "stop",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
}
_ABOUT_THE_CALL = {"model", "messages", "timeout", "api_base", "base_url", "api_key"}
# Connection settings that litellm reads by itself.
_VARIABLES = ("OPENAI_ORGANIZATION", "OPENAI_ORG_ID", "SSL_VERIFY", "SSL_CERTIFICATE")


class DirectError(Exception):
    """A provider's refusal: its status, its headers, and its words in the form that litellm gives them."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str], body: Any) -> None:
        super().__init__(message)
        self.status_code = status
        self.litellm_response_headers = dict(headers)
        self.body = body


class Response(dict[str, Any]):
    """A JSON object whose keys can be read as attributes, as those of litellm's responses; None where it has none.

    ``headers``: those it came with.
    """

    headers: Mapping[str, str] = {}

    def __getattr__(self, name: str) -> Any:
        value = self.get(name)
        if isinstance(value, list):
            return [Response(one) if isinstance(one, dict) else one for one in value]
        return Response(value) if isinstance(value, dict) else value


@dataclass(frozen=True)
class Route:
    """Where the calls of a model go, and by which session."""

    session: Any
    url: str
    headers: Mapping[str, str]
    model: str

    async def send(self, request: Mapping[str, Any]) -> Response:
        """One chat completion.

        Raises:
            DirectError: the provider refused.
            UnreadableAnswer: it answered with something that is no completion.
            ConnectionError: there was no answer.
        """
        body = {name: value for name, value in request.items() if name in _PLAIN and value is not None}
        body |= {"model": self.model, "messages": request["messages"]}
        aiohttp: Any = importlib.import_module("aiohttp")
        try:
            sent = self.session.post(self.url, data=encode_json(body), headers=self.headers, allow_redirects=False)
            async with sent as answer:
                if "Location" in answer.headers and 300 <= answer.status < 400:
                    raise DirectError(answer.status, redirect_text(self.url, answer.headers["Location"]), {}, None)
                content = await _read(answer)
                status, headers = answer.status, answer.headers
        except aiohttp.ClientError as error:
            if "content-encoding" in str(error).lower():
                raise UnreadableAnswer(f"the answer cannot be unpacked ({one_line(str(error))[:200]})") from None
            raise ConnectionError(f"Connection error: {error or type(error).__name__}") from None
        found, broken = None, "the answer is JSON, and no object"
        try:
            found = json.loads(content)
        except (ValueError, RecursionError) as error:
            broken = _what_it_is(content, status, describe(error))
        if status >= 400:
            raise DirectError(status, _complaint(found, content, status), headers, _error_in(found))
        if not isinstance(found, dict):
            raise UnreadableAnswer(broken)
        told = found.get("error") or (found if found.get("object") == "error" else None)
        if not found.get("choices") and told:
            code = str(told.get("code") if isinstance(told, dict) else "")[:40]
            number = int(code) if re.fullmatch(r"[45]\d\d", code, re.ASCII) else _STATUS_OF.get(code, _BAD_GATEWAY)
            raise DirectError(number, _complaint(found, content, number), headers, told)
        if not found.get("choices") and not found.get("usage"):
            raise UnreadableAnswer(f"the response has no choices in it: {_short(content)}")
        response = Response(found)
        response.headers = headers
        return response


def redirect_text(url: str, location: str) -> str:
    """What to say of an address that sends a conversation on to another one."""
    return (
        f"{one_line(url[:200])} redirects to {one_line(location[:200])}, and no redirect is followed: if the models "
        "are there, name that address as api_base"
    )


def _what_it_is(content: bytes, status: int, broken: str) -> str:
    """What came in place of JSON."""
    if not content.strip():
        return f"the answer is empty (HTTP {status})"
    if _is_web_page(content):
        return _WEB_PAGE
    if content.lstrip().startswith((b"data:", b"event:", b": ")):
        return "the answer is a stream of events, and none was asked for: turn streaming off at the server"
    if content[:2] == b"\x1f\x8b":
        return "the answer is packed (gzip), and does not say so"
    return f"the answer is no JSON ({broken}): {_short(content)}"


async def _read(answer: Any) -> bytes:
    """The whole answer; raises UnreadableAnswer for one that has no end."""
    parts, size = [], 0
    async for part in answer.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > _LONGEST:
            raise UnreadableAnswer(f"the answer is longer than {_LONGEST // 1_000_000} MB")
    return b"".join(parts)


def _is_web_page(content: bytes) -> bool:
    begin = content[:20_000].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return begin.startswith((b"<!doctype", b"<head", b"<body")) or b"<html" in begin


def _error_in(found: Any) -> Any:
    return found.get("error", found) if isinstance(found, dict) else None


def _complaint(found: Any, content: bytes, status: int) -> str:
    error = _error_in(found)
    message = error.get("message") if isinstance(error, dict) else error
    if message:
        return str(message)
    return _WEB_PAGE if _is_web_page(content) else _short(content) or f"HTTP {status} without a word"


def _short(content: bytes) -> str:
    return " ".join(content[:300].decode("utf-8", "replace").split())


class Routes:
    """The routes that have been found, over one session; for one event loop, whose connections it holds."""

    def __init__(self) -> None:
        self._found: dict[Any, Route | None] = {}
        self._session: Any = None

    def of(self, litellm: Any, request: Mapping[str, Any]) -> Route | None:
        """The route of a call, None where it is litellm's."""
        if set(request) - _PLAIN - _ABOUT_THE_CALL or private.is_configured(litellm):
            return None
        if any(map(os.environ.get, _VARIABLES)):
            return None
        base = request.get("api_base") or request.get("base_url")
        names = frozenset(name for name in request if name in _PLAIN)
        # The environment decides the address as well, and may change between two runs in one process.
        environment = tuple(os.environ.get(name) for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_API_KEY"))
        key = (request["model"], base, request.get("api_key"), names, environment)
        if key not in self._found:
            self._found[key] = _route(litellm, request, base, self._open)
        return self._found[key]

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _open(self) -> Any:
        """The session, made on the running loop when first needed."""
        if self._session is None:
            aiohttp: Any = importlib.import_module("aiohttp")
            certifi: Any = importlib.import_module("certifi")
            trusted = ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE") or certifi.where())
            # How many calls are open at once is decided elsewhere, and so is how long one may take.
            connector = aiohttp.TCPConnector(limit=0, ssl=trusted)
            unlimited = aiohttp.ClientTimeout(total=None)
            # Told to trust the environment, it reads ~/.netrc for each call, in another thread: all of it for a proxy.
            self._session = aiohttp.ClientSession(
                connector=connector, timeout=unlimited, trust_env=bool(getproxies_environment())
            )
        return self._session


def _route(litellm: Any, request: Mapping[str, Any], base: str | None, open_session: Callable[[], Any]) -> Route | None:
    try:
        model, provider, key, address = litellm.get_llm_provider(request["model"], api_base=base)
        given = {name: value for name, value in request.items() if name in _PLAIN and value is not None}
        if provider != _PROVIDER or _mode(litellm, model) != "chat":
            return None
        if private.as_sent(litellm, model, provider, given) != given:
            return None
        environment = os.environ.get
        address = (
            base or address or litellm.api_base or environment("OPENAI_BASE_URL") or environment("OPENAI_API_BASE")
        )
        secret = request.get("api_key") or key or litellm.api_key or litellm.openai_key or environment("OPENAI_API_KEY")
    except Exception:
        return None  # litellm says what is wrong, when the call goes through it
    if not address or not secret:
        return None
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    return Route(open_session(), f"{address.rstrip('/')}/chat/completions", headers, model)


def _mode(litellm: Any, model: str) -> str:
    """What litellm takes the model for; one that it does not know is asked to chat."""
    try:
        return litellm.get_model_info(model).get("mode") or "chat"
    except Exception:
        return "chat"
