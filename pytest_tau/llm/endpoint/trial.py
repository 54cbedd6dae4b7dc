"""What one trial's agent reaches at its address: requests go through our client, and are billed to the trial."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...clock import Clock, at_hand
from ...errors import InfraError, TauError
from ...schema.messages import ToolCall
from ..limits import BudgetReached
from ..protocol import ModelClient, ModelReply
from ..retry import ProviderError
from .asking import Body, Refused
from .chat import NAMED

if TYPE_CHECKING:
    from .serving import Proxy

ClientFor = Callable[[str, Mapping[str, Any]], ModelClient]
_NO_ANSWER = 502
# What OpenAI calls the failures that agents tell apart, to shorten a chat that is too long, for example.
_CODES: Mapping[str, str] = {
    "context window": "context_length_exceeded",
    "quota": "insufficient_quota",
    "rate limit": "rate_limit_exceeded",
    "unknown model": "model_not_found",
}


class TrialEndpoint:
    """What one trial's agent reaches at its address.

    Args:
        proxy: gives the server, when it is needed.
        client_for: gives the client for a model's name and the parameters of a request.
        embeddings_for: gives the client for the name of an embedding model.
        models: the names of the models that are known before anybody asks.

    Attributes:
        failure: why the trial cannot count, whatever its agent made of the answer: a request that is not the recorded
            one, a model that cannot be called.
        unanswered: why the latest request got no answer of a model: clients tell no more than "502".
        models: the names of the models.
        asked: the names of those that have been asked, in order.
        responses: the chats of the responses so far, by id, for requests that go on from one.
        clock: the trial's, which stands still while a request waits for the limits of the run.
    """

    def __init__(
        self,
        proxy: Callable[[], Proxy],
        client_for: ClientFor,
        *,
        embeddings_for: Callable[[str], ModelClient] | None = None,
        models: Sequence[str] = (),
    ) -> None:
        self._proxy = proxy
        self._client_for = client_for
        self._embeddings_for = embeddings_for
        self._lock = threading.Lock()
        self._url: str | None = None
        self._unbilled: list[ModelReply] = []
        self._called: list[Sequence[ToolCall]] = []
        self.models = models
        self.clock: Clock | None = None
        self.responses: dict[str, list[Body]] = {}
        self.asked: list[str] = []
        self.failure: Exception | None = None
        self.unanswered = ""

    def url(self) -> str:
        """The base URL for a client of OpenAI's or Anthropic's APIs; it is listened at from now on."""
        with self._lock:
            if self._url is None:
                self._url = self._proxy().open(self)
            return self._url

    def take_answers(self) -> list[ModelReply]:
        """What has been answered since this was asked last."""
        with self._lock:
            asked, self._unbilled = self._unbilled, []
        return asked

    def take_calls(self) -> list[Sequence[ToolCall]]:
        """The calls of each answer since this was asked last."""
        with self._lock:
            called, self._called = self._called, []
        return called

    def close(self) -> None:
        """Answer no more: the trial is over."""
        if self._url is not None:
            self._proxy().forget(self)

    def complete(self, chat: Body) -> ModelReply:
        """The reply to a request for a chat completion; raises Refused."""
        parameters = {name: value for name, value in chat.items() if name not in NAMED}

        async def ask() -> ModelReply:
            client = self._client_for(str(chat["model"]), parameters)
            if client.model not in self.asked:
                self.asked.append(client.model)
            return await client.complete(
                chat["messages"],
                tools=chat.get("tools") or (),
                tool_choice=chat.get("tool_choice"),
                seed=chat.get("seed"),
                response_format=chat.get("response_format"),
            )

        return self._answer(ask())

    def embed(self, model: str, texts: Sequence[str]) -> ModelReply:
        """The vectors of texts, as JSON; raises Refused."""
        made = self._embeddings_for
        if made is None:
            raise Refused(404, "there are no embeddings here")

        async def ask() -> ModelReply:
            return await made(model).complete([{"content": text} for text in texts])

        return self._answer(ask())

    def _answer(self, work: Coroutine[Any, Any, ModelReply]) -> ModelReply:
        """The reply that comes of the work, billed to the trial; raises Refused."""
        try:
            with at_hand(self.clock):
                reply = asyncio.run(work)
        except BudgetReached as error:
            raise Refused(429, str(error), "insufficient_quota") from None
        except InfraError as error:
            self.unanswered = str(error)
            self._bill_attempts(error)
            status, kind = (error.status, error.kind) if isinstance(error, ProviderError) else (0, "unknown")
            raise Refused(status or _NO_ANSWER, str(error), _CODES.get(kind, "provider_error")) from None
        except TauError as error:
            self.failure = self.failure or error
            raise Refused(400, str(error)) from None
        except Exception as error:
            self.failure = self.failure or error
            raise Refused(500, f"{type(error).__name__}: {error}", "bug") from None
        with self._lock:
            self.unanswered = ""
            self._unbilled.append(reply)
            if reply.tool_calls:
                self._called.append(reply.tool_calls)
        return reply

    def _bill_attempts(self, error: InfraError) -> None:
        """Note what the attempts of a call that failed for good were billed."""
        spent = error.spent if isinstance(error, ProviderError) else ()
        with self._lock:
            self._unbilled += [ModelReply(None, None, one.cost, one.usage, seconds=0.0) for one in spent]
