"""Agents behind an address: ``--tau-agent http://host/path``.

An :class:`HttpService` is the address, for all trials of a process: it posts JSON, tries again as for models, keeps to
the run's limits and prices the answers. How a conversation is put into requests is a protocol's business, in a module
of its own (:mod:`.simple`, :mod:`.openai`, :mod:`.responses`, :mod:`.a2a`): its ``TALK`` turns messages into requests
and answers into a chat completion, the form that everything after it reads.

Addresses are asked with the standard library alone, so that an agent behind one needs nothing else installed.
"""

from __future__ import annotations

import asyncio
import http.client
import importlib
import json
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol
from uuid import uuid4

from ..clock import monotonic
from ..conversation.protocols import AgentContext
from ..errors import PlayerError, SettingsError, reason
from ..llm.client import FirstCall, RetryingReplies, seconds_of
from ..llm.failures import costs_nothing
from ..llm.limits import Need
from ..llm.pricing import forecast
from ..llm.protocol import ModelReply
from ..llm.redirects import NoRedirect
from ..llm.replies import ProviderAnswered, UnreadableAnswer
from ..llm.retry import ProviderError, RetryPolicy
from ..printable import cut, one_line
from ..schema.messages import AnyMessage, AssistantMessage
from ..schema.spending import Spending
from ..scrub import public, scrub
from .address import authorization, is_loopback, parts_of, protocol_of
from .service import ServiceSettings, agent_message, in_thread, note_author, reply_of
from .tracing import trace_headers

# Seconds that an agent may take to come up, when it was started just before the run; and between two looks.
COMES_UP, LOOK = 5.0, 0.1
_TIMEOUT = 120.0
_LONGEST = 64_000_000
_SHOWN = 200
_DOWN = (502, 503, 504)
_LEASE_MARGIN = 60.0

SESSION = "X-Session-Id"
"""The header that says which trial a request is of, for agents that keep sessions."""
Send = Callable[..., Awaitable[Any]]
"""``send(url, body, **headers)`` posts a JSON value, or gets the address for None, and gives the answer's JSON."""


class _ProtocolTalk(Protocol):
    """One trial's conversation in the words of a protocol."""

    async def ask(self, messages: list[AnyMessage], send: Send) -> Any:
        """The agent's next message as a chat completion; may have ``cost`` in USD. Can be tried again."""


class _InSession:
    """A conversation whose requests all say which trial they are of; an ``author`` in an answer is who speaks."""

    def __init__(self, talk: _ProtocolTalk, context: AgentContext) -> None:
        self._talk = talk
        self._context = context

    async def ask(self, messages: list[AnyMessage], send: Send) -> Any:
        """As the conversation itself."""
        answer = await self._talk.ask(messages, partial(send, **{SESSION: self._context.session_id}, **trace_headers()))
        note_author(answer, self._context)
        return answer


@dataclass(frozen=True)
class ProtocolContext:
    """What a protocol has to know of a trial.

    Attributes:
        address: where the agent is.
        context: the trial's.
        conversation: an id that is this conversation's alone.
        model: the model that the agent is to play; None for its own.
        parameters: more fields of each request.
    """

    address: str
    context: AgentContext
    conversation: str
    model: str | None
    parameters: Mapping[str, Any]

    @property
    def instructions(self) -> str:
        """The policy, with what else the agent is told before it begins."""
        more = {"ticket": self.context.ticket, "resolution_steps": self.context.plan}
        blocks = [f"<{name}>\n{text}\n</{name}>" for name, text in more.items() if text is not None]
        return "\n\n".join([self.context.policy, *blocks])

    @property
    def tools(self) -> list[Mapping[str, Any]]:
        """The definitions of the tools, as chat completions have them."""
        return [tool.schema for tool in self.context.tools]

    @property
    def roles(self) -> dict[str, dict[str, Any]]:
        """The roles in which a team may share the work: of each its policy, its tools, and to whom it hands over."""
        return {
            name: {"policy": role.policy, "tools": list(role.tools), "hands_to": list(role.hands_to)}
            for name, role in self.context.roles.items()
        }


class HttpService:
    """An agent behind an address, for all trials of a process.

    Args:
        name: the address, perhaps with the protocol before it: ``a2a+https://…``.
        settings: what the run says of it.

    Raises:
        SettingsError: it is no address, or its protocol is none of ours.
    """

    def __init__(self, name: str, settings: ServiceSettings) -> None:
        scheme, _, rest = name.partition("://")
        named, _, plain = scheme.lower().rpartition("+")
        self.address = f"{plain}://{rest}"
        self._settings = settings
        parts = parts_of(self.address)
        self.protocol = protocol_of(named or settings.protocol, parts.path)
        self._module: Any = importlib.import_module(f"{__package__}.{self.protocol}")
        self._shown = self.address.partition("?")[0]
        parameters = dict(settings.parameters)
        self._timeout = seconds_of(self._shown, parameters.pop("timeout", _TIMEOUT))
        self._parameters = parameters
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": "pytest-tau",
            **authorization(settings.secret),
        }
        closed = f"set its Authorization header in the environment variable {settings.secret}"
        advice = {401: closed, 403: closed, 404: "check the address"}
        self._retrying = RetryingReplies(settings.retry or RetryPolicy(), advice=advice, timeout=self._timeout)
        self._first = FirstCall()
        # A proxy of the environment is for others, not for this machine.
        handlers: list[urllib.request.BaseHandler] = [NoRedirect()]
        handlers += [urllib.request.ProxyHandler({})] if is_loopback(parts.hostname or "") else []
        self._opener = urllib.request.build_opener(*handlers)

    @property
    def refusal(self) -> str | None:
        """Why every request fails, in a sentence; None as long as nobody has said so."""
        return None if self._first.error is None else str(self._first.error)

    @property
    def parameters(self) -> dict[str, Any]:
        """What records say of it: the protocol, the model and the fields of each request, without keys."""
        model = {} if self._settings.model is None else {"model": self._settings.model}
        shown: dict[str, Any] = public({"protocol": self.protocol, **model, **self._parameters})
        return shown

    def check(self) -> None:
        """Raise SettingsError unless somebody is there who lets us in; waits some seconds for one to come up."""
        begun = monotonic()
        while True:
            try:
                self._open("GET", self._module.looks_at(self.address), None)
            except ProviderAnswered as error:
                self._refuse(error.status_code, str(error))
            except (OSError, UnreadableAnswer) as error:  # OSError: ConnectionError and TimeoutError as well
                if isinstance(error, ConnectionError) and monotonic() - begun < COMES_UP:
                    time.sleep(LOOK)
                    continue
                raise SettingsError(f"no agent answers at {self._shown}: {error}; start it before the run") from None
            return

    def _refuse(self, status: int, text: str) -> None:
        if status in (401, 403):
            raise SettingsError(
                f"the agent at {self._shown} refused access (HTTP {status}): put the value of its Authorization "
                f"header into the environment variable {self._settings.secret}"
            )
        if status in _DOWN or (status == 404 and self.protocol == "a2a"):
            raise SettingsError(f"the agent at {self._shown} cannot be reached (HTTP {status}: {text}); start it first")

    def agent(self, context: AgentContext) -> _HttpAgent:
        """The agent of one trial."""
        about = ProtocolContext(self.address, context, uuid4().hex, self._settings.model, self._parameters)
        talk: _ProtocolTalk = self._module.TALK(about)
        return _HttpAgent(self, _InSession(talk, context))

    async def ask(self, talk: _ProtocolTalk, messages: list[AnyMessage]) -> ModelReply:
        """The agent's next message.

        Raises:
            ProviderError: it failed for good.
            BudgetReached: the run's budget has no room for the request.
            PlayerError: what it answered is not what the protocol says.
        """
        if self._first.error is not None:
            raise ProviderError(str(self._first.error), permanent=True, status=self._first.error.status)
        try:
            return await self._retrying.reply(
                f"a request to the agent at {self._shown}", lambda: self._attempt(talk, messages), self._first.note_end
            )
        except ProviderError as error:
            self._first.gave_up(error)
            raise

    async def _attempt(self, talk: _ProtocolTalk, messages: list[AnyMessage]) -> ModelReply:
        limits = self._settings.limits
        if limits is None:
            return await self._exchange(talk, messages)
        call = await limits.acquire(self._need(messages), seconds=self._timeout + _LEASE_MARGIN)
        # None is "as reserved": whoever gives up waiting for an answer may have to pay for it all the same.
        used: int | None = None
        cost: float | None = None
        answer: tuple[str, int] | None = None
        try:
            reply = await self._exchange(talk, messages)
            used, cost = _tokens(reply), reply.cost
            if reply.usage is not None:
                answer = (self._shown, reply.usage.completion_tokens)
        except UnreadableAnswer as error:
            used, cost = _tokens(error), error.cost
            raise
        except Exception as error:
            if costs_nothing(error):
                used, cost = 0, 0.0
            raise
        finally:
            limits.settle(call, tokens=used, usd=cost, answer=answer)
        unknown = "USD" if limits.settings.budget_usd is not None and cost is None else None
        unknown = "tokens" if limits.settings.budget_tokens is not None and used is None else unknown
        if unknown:
            raise ProviderError(
                f"the agent at {self._shown} does not say how many {unknown} an answer takes, so the budget cannot be "
                "enforced: have it report its usage (and price its model with --tau-prices) or its cost, or run "
                "without a budget",
                permanent=True,
            )
        return reply

    def _need(self, messages: list[AnyMessage]) -> Need:
        """What a request takes; a guess of its prompt on the high side, as for models."""
        prompt = sum(len(message.model_dump_json(exclude_none=True)) for message in messages) // 3
        price = self._settings.prices.price(self._settings.model or "") if self._settings.prices else None
        usd = forecast(price, calls=1, prompt_tokens=prompt, completion_tokens=0) if price else 0.0
        return Need(prompt, usd, self._shown, price.output / 1_000_000 if price else 0.0)

    async def _exchange(self, talk: _ProtocolTalk, messages: list[AnyMessage]) -> ModelReply:
        began = monotonic()
        async with asyncio.timeout(self._timeout):  # of a socket it is the longest silence only
            try:
                completion = await talk.ask(messages, self._send)
            except PlayerError:  # a TypeError, too, which says all
                raise
            except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:  # values of other types
                raise PlayerError(
                    f"the agent at {self._shown} answered with something else than the protocol '{self.protocol}' has "
                    f"({type(error).__name__}: {one_line(reason(error))})"
                ) from error
        if not isinstance(completion, Mapping):
            raise UnreadableAnswer("the answer is not a JSON object")
        seconds = monotonic() - began
        return reply_of(completion, seconds=seconds, prices=self._settings.prices, model=self._settings.model)

    async def _send(self, url: str, body: Any, **headers: str) -> Any:
        return await in_thread(lambda: self._open("POST" if body is not None else "GET", url, body, headers))

    def _open(self, method: str, url: str, body: Any, headers: Mapping[str, str] | None = None) -> Any:
        """What is answered, as JSON; None where a look at an address found something else.

        Raises:
            ProviderAnswered: an HTTP status that is no success.
            UnreadableAnswer: the answer to a request is not JSON.
            ConnectionError: there was no answer.
            TimeoutError: it took too long.
        """
        data = None if body is None else json.dumps(body).encode()
        known = {**self._headers, **(headers or {})}
        request = urllib.request.Request(url, data, known, method=method)  # noqa: S310 (http and https, see _parts)
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                content = answer.read(_LONGEST + 1)
        except urllib.error.HTTPError as error:
            content = b""
            with error, suppress(OSError, http.client.HTTPException):  # cut off; the status has come all the same
                content = error.read(_LONGEST)
            found = None
            with suppress(ValueError):
                found = _json(content)
            told = _complaint(found, content, url, error.headers.get("Location"))
            raise ProviderAnswered(told, error.code, dict(error.headers), found) from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise reason from None
            raise ConnectionError(f"Connection error: {reason or type(error).__name__}") from None
        if len(content) > _LONGEST:
            raise UnreadableAnswer(f"the answer is longer than {_LONGEST:,} bytes")
        try:
            return _json(content)
        except ValueError:
            if method == "GET":
                return None
            raise UnreadableAnswer(f"the answer is not JSON: {_short(content) or 'it is empty'}") from None


class _HttpAgent:
    """One trial's agent behind an address."""

    def __init__(self, service: HttpService, talk: _ProtocolTalk) -> None:
        self._service = service
        self._talk = talk

    @property
    def parameters(self) -> dict[str, Any]:
        """The protocol, the model and the fields of each request."""
        return self._service.parameters

    async def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """What the agent answers."""
        return agent_message(await self._service.ask(self._talk, messages))


def _tokens(spent: Spending) -> int | None:
    return None if spent.usage is None else spent.usage.prompt_tokens + spent.usage.completion_tokens


def wrong(address: str, must: str, answer: Any) -> PlayerError:
    """The error for an answer that is not what the protocol says."""
    shown = cut(scrub(json.dumps(answer, ensure_ascii=False, default=repr)), _SHOWN)
    return PlayerError(f"the agent at {address.partition('?')[0]} answered {shown}; {must}")


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _complaint(found: Any, content: bytes, url: str, location: str | None) -> str:
    if location is not None:
        at = location.partition("?")[0][:_SHOWN]
        return f"{url.partition('?')[0]} redirects to {one_line(at)}, and no redirect is followed: name that address"
    error = found.get("error", found.get("detail")) if isinstance(found, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return str(message) if message else _short(content) or "without a word"


def _short(content: bytes) -> str:
    return " ".join(content[:_SHOWN].decode("utf-8", "replace").split())
