"""A line to one model under examination: small calls, one after the other, and all that its answers tell beside texts.

The calls go the way that a run's calls go, with the run's parameters, limits and prices. Only the patience is another:
a failure is a finding, so nothing is repeated but what a rate limit has turned away.
"""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any, Protocol

from ..llm import own_models
from ..llm.chat import Chat
from ..llm.client import LiteLLMClient
from ..llm.protocol import ModelReply
from ..llm.redirects import NoRedirect
from ..llm.retry import ProviderError, RetryPolicy

_ONCE = RetryPolicy(attempts=1)
_WAITS = (1.0, 2.0, 4.0, 8.0)  # seconds after a rate limit
_LIST_SECONDS = 5.0
# What servers call the window of a model that they list: vLLM, llama.cpp, others.
_WINDOWS = ("max_model_len", "n_ctx", "context_length", "max_context_length", "context_window")


class Maker(Protocol):
    """Makes clients of one model."""

    def __call__(
        self, changed: Mapping[str, Any], *, retry: RetryPolicy | None, watch: Callable[[Any], None] | None
    ) -> LiteLLMClient:
        """A client with the run's parameters, some of them changed; None as a value leaves one out."""


@dataclass(frozen=True)
class LineAnswer:
    """A reply, and what else came with it.

    ``raw``: the text as the model wrote it, with its thoughts.
    """

    reply: ModelReply
    raw: str = ""
    thoughts: str = ""

    @property
    def text(self) -> str:
        """What it says, without blanks around it."""
        return (self.reply.content or "").strip()


@dataclass
class ModelLine:
    """One model of a run, as its checks ask it.

    Attributes:
        sides: what the model is for in the run.
        model: its name.
        parameters: what every call of the run is made with.
        make: makes its clients.
        sleep: waits; replaced in tests.
        answers: all answers so far.
        rate_limited: how often a rate limit has turned a call away.
        headers: the last answer's headers about rates, by name.
        too_slow: whether a call has timed out: the next checks would wait as long, one after the other.
        refuses_tools: whether a request with tools was refused: the next ones would be, too.
    """

    sides: tuple[str, ...]
    model: str
    parameters: Mapping[str, Any]
    make: Maker
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    answers: list[LineAnswer] = field(default_factory=list)
    rate_limited: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    too_slow: bool = False
    refuses_tools: bool = False
    _clients: dict[str, LiteLLMClient] = field(default_factory=dict)
    _seen: list[Any] = field(default_factory=list)

    @property
    def side(self) -> str:
        """What the model is for, in words."""
        return " and ".join(self.sides)

    @property
    def option(self) -> str:
        """The option that its parameters are given in."""
        return f"--tau-{self.sides[0].partition(' ')[0]}-llm-args"

    @property
    def base(self) -> str:
        """The address of the model's server, "" where it is a provider's own."""
        given = self.parameters.get("api_base") or self.parameters.get("base_url")
        if not given and self.model.partition("/")[0] == "openai":
            given = own_models.address_of({})
        return str(given or "")

    def bound_parameter(self, tokens: int) -> dict[str, Any]:
        """The parameter that lets an answer have so many tokens at most."""
        return {"max_completion_tokens" if "max_completion_tokens" in self.parameters else "max_tokens": tokens}

    def client(self, changed: Mapping[str, Any]) -> LiteLLMClient:
        """The client with some parameters changed."""
        key = json.dumps(changed, sort_keys=True)
        if key not in self._clients:
            self._clients[key] = self.make(changed, retry=_ONCE, watch=self._seen.append)
        return self._clients[key]

    async def ask(
        self,
        chat: Chat,
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        seed: int | None = None,
        response_format: Mapping[str, Any] | None = None,
        changed: Mapping[str, Any] | None = None,
    ) -> LineAnswer:
        """The answer to a chat, with some parameters ``changed`` for this call.

        Raises:
            ProviderError: it failed, or a rate limit has turned it away several times.
            TauError: it cannot be asked at all.
        """
        for wait in (*_WAITS, None):
            client = self.client(changed or {})
            try:
                reply = await client.complete(chat, tools=tools, seed=seed, response_format=response_format)
                break
            except ProviderError as error:
                if error.kind != "rate limit":
                    raise
                self.rate_limited += 1
                if wait is None:
                    raise
                await self.sleep(wait)
        answer = self._answer(reply)
        self.answers.append(answer)
        return answer

    def _answer(self, reply: ModelReply) -> LineAnswer:
        response = self._seen[-1] if self._seen else None
        message = getattr((getattr(response, "choices", None) or [None])[0], "message", None)
        content = getattr(message, "content", None)
        thoughts = getattr(message, "reasoning_content", None)
        hidden = getattr(response, "_hidden_params", None) or {}
        headers = getattr(response, "headers", None) or hidden.get("additional_headers") or {}
        self.headers |= {
            str(name).lower().removeprefix("llm_provider-"): str(value)
            for name, value in dict(headers).items()
            if "ratelimit" in str(name).lower()
        }
        return LineAnswer(
            reply,
            content if isinstance(content, str) else reply.content or "",
            thoughts if isinstance(thoughts, str) else "",
        )

    def listed_models(self) -> dict[str, int | None]:
        """The models that the server at ``base`` lists, with their windows in tokens where it tells them."""
        if not self.base:
            return {}
        key = own_models.key_of(self.parameters, own_models.provider_of(self.model)) or "none"
        url = f"{self.base.rstrip('/')}/models"
        if not url.startswith(("http://", "https://")):
            return {}
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"})  # noqa: S310
        with suppress(OSError, HTTPException, ValueError, RecursionError, LookupError, TypeError):
            opener = urllib.request.build_opener(NoRedirect())
            with opener.open(request, timeout=_LIST_SECONDS) as answer:
                found = json.load(answer)
            return {str(one["id"]): _window(one) for one in found["data"] if isinstance(one, dict) and "id" in one}
        return {}


def _window(listed: Mapping[str, Any]) -> int | None:
    more = listed.get("meta")
    values = {**listed, **(more if isinstance(more, dict) else {})}
    found = (values.get(name) for name in _WINDOWS)
    return next(
        (value for value in found if isinstance(value, int) and not isinstance(value, bool) and value > 0), None
    )
