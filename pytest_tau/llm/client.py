"""A model with its parameters: calls are retried, limited and priced, and their replies checked."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..clock import monotonic
from ..errors import SettingsError
from ..schema.spending import total_spent
from ..scrub import public, remember, secrets_in
from . import backend
from .chat import mark_for_cache
from .failures import Failure, costs_nothing, failure_of
from .limits import CallLimits, Need
from .meter import Meter
from .own_models import is_sent_as_given
from .pictures import split_pictures
from .pricing import Price, Prices, forecast, require_price
from .protocol import ChatMessage, ModelReply
from .replies import UnreadableAnswer, read_reply
from .retry import ProviderError, Retrying, RetryPolicy

_OURS = frozenset({"model", "messages", "tools", "n", "stream", "num_retries", "max_retries", "drop_params", "seed"})
_TEXTS = ("api_base", "base_url", "api_key")
# A lease outlives its request: time-outs of clients are not to the second.
_LEASE_MARGIN = 60.0
# litellm's own parameter for the marks of a prompt cache: who gives it decides for themselves.
_OWN_MARKS = "cache_control_injection_points"
_POLL = 0.02
MAX_TOKENS = 4096
"""Tokens of an answer at most, where nobody says otherwise: no message needs as many, and all providers take it."""
# Seconds that the others wait for a first call. A refusal from nearby comes sooner; from afar, as many calls are
# refused as there are conversations at once, which nobody pays for.
REFUSED_WITHIN = 0.1
# Seconds between two of those that come before the first has ended. All at once they would arrive in one burst, and
# their answers as well, so that in each turn every conversation would wait for the work of all others.
APART = 0.0008


class LiteLLMClient:
    """One model with its parameters; a ModelClient.

    Args:
        model: the model's name, as litellm knows it.
        parameters: what every call is made with: temperature, api_base, api_key and the like; ``timeout`` as below;
            ``tool_choice`` of calls with tools, whatever the player asks for.
        retry: how often to try and how long to wait.
        limits: the run's limits.
        prices: the user's price table; models that are not in it cost what litellm says, if it knows.
        meter: counts the calls, with those of other clients.
        max_tokens: bounds each answer where the parameters do not, and the model's context window has room for so many.
        keeps_schema: ask for a JSON schema also where nobody knows whether the model takes one: who asks does.
        timeout: seconds a request may take, where the parameters do not say.
        sleep: waits between attempts; replaced in tests.
        watch: is shown each response as it came.

    Raises:
        SettingsError: a parameter is one that pytest-tau sets itself, or cannot be what it says.
    """

    def __init__(
        self,
        model: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        retry: RetryPolicy | None = None,
        limits: CallLimits | None = None,
        prices: Prices | None = None,
        meter: Meter | None = None,
        max_tokens: int | None = None,
        keeps_schema: bool = False,
        timeout: float = 120.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        watch: Callable[[Any], None] | None = None,
    ) -> None:
        self.model = model
        self._parameters = dict(parameters or {})
        if taken := sorted(_OURS & self._parameters.keys()):
            instead = "give --tau-seed" if taken == ["seed"] else "leave it out"
            raise SettingsError(f"{model}: {', '.join(taken)} cannot be given as a model parameter; {instead}")
        for name in _TEXTS:
            if not isinstance(self._parameters.get(name) or "", str):
                raise SettingsError(f"{model}: {name} is no text; write it in quotes")
        remember(secrets_in(self._parameters))
        self._timeout = seconds_of(model, self._parameters.pop("timeout", timeout))
        self._tool_choice = self._parameters.pop("tool_choice", None)
        secrets = secrets_in(self._parameters)
        self._retrying = RetryingReplies(retry or RetryPolicy(), secrets=secrets, sleep=sleep, timeout=self._timeout)
        self._limits = limits
        self._watch = watch
        self._prices = prices or Prices({})
        self._meter = meter or Meter()
        bounded = {"max_tokens", "max_completion_tokens"} & self._parameters.keys()
        self._bound = {} if max_tokens is None or bounded else {"max_tokens": max_tokens}
        self._keeps_schema = keeps_schema
        self._first = FirstCall()
        self._litellms: Price | None = None
        self._asked_for_price = False
        self._dropped: dict[frozenset[str], frozenset[str]] = {}

    def __repr__(self) -> str:
        return f"<LiteLLMClient {self.model}>"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters every call is made with, without keys and headers."""
        choice = {} if self._tool_choice is None else {"tool_choice": self._tool_choice}
        shown: Mapping[str, Any] = public({**self._parameters, **choice})
        return shown

    @property
    def refusal(self) -> str | None:
        """Why every call of this model fails, in a sentence; None as long as nobody has said so."""
        return None if self._first.error is None else str(self._first.error)

    def lacking(self) -> str | None:
        """What its calls lack on this machine, in a sentence; None where they can be made."""
        return backend.lacking({**self._parameters, "model": self.model})

    def unsupported_parameters(self) -> list[str]:
        """Which of the parameters, and of the seed that players give, the model does not take. Imports litellm."""
        return sorted(backend.unsupported_parameters(self.model, {**self._parameters, "seed": 0}))

    def price(self) -> Price | None:
        """What the model costs, by the user's table or by litellm's; None when neither knows. Imports litellm."""
        return self._prices.price(self.model) or backend.known_price(self.model)

    def required_price(self) -> Price:
        """What the model costs, for a budget in USD; raises SettingsError where it is not known. May import litellm."""
        return require_price(self.price(), self.model)

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        tool_choice: str | Mapping[str, Any] | None = None,
        seed: int | None = None,
        response_format: Mapping[str, Any] | None = None,
    ) -> ModelReply:
        """Ask for the next message of a chat in chat-completions form.

        A model that cannot be held to the JSON schema of ``response_format`` is asked for any JSON object, unless
        ``keeps_schema`` says otherwise.

        Raises:
            ProviderError: the provider failed for good.
            BudgetReached: the run's budget has no room for the call.
            SettingsError: litellm is missing, the model takes no tools, or a USD budget is set and no price known.
        """
        optional = {
            "tools": [dict(tool) for tool in tools] or None,
            "tool_choice": (self._tool_choice or tool_choice) if tools else None,
            "seed": seed,
            "response_format": None if response_format is None else dict(response_format),
        }
        options = {name: value for name, value in optional.items() if value is not None}
        if not is_sent_as_given(self.model, {**self._parameters, **options}):
            await backend.warm_up()  # before anything is counted: the first time takes seconds
        loosens = not self._keeps_schema and (response_format or {}).get("type") == "json_schema"
        if loosens and not backend.takes_schema(self.model):
            options["response_format"] = {"type": "json_object"}
        self._check_parameters(options)
        chat = [dict(message) for message in messages]
        await self._first.over()
        try:
            with self._meter.trying() as failed:

                def seen(failure: Failure | None) -> None:
                    self._first.note_end(failure)
                    if failure is not None:
                        failed(f"{self.model}: {failure}")

                return await self._retrying.reply(f"a call of {self.model}", lambda: self._attempt(chat, options), seen)
        except ProviderError as error:
            self._first.gave_up(error)
            raise
        finally:
            self._first.let_others_go()

    async def _attempt(self, chat: list[dict[str, Any]], options: dict[str, Any]) -> ModelReply:
        """One request, or two."""
        try:
            return await self._send_within_limits(chat, {**self._bound, **options})
        except Exception as error:
            # Some providers want room for the whole answer: without the bound there may be enough.
            if not self._bound or failure_of(error, now=0.0).kind != "context window":
                raise
        return await self._send_within_limits(chat, options)

    async def _send_within_limits(self, chat: list[dict[str, Any]], options: dict[str, Any]) -> ModelReply:
        if self._limits is None:
            return await self._send(chat, options)
        call = await self._limits.acquire(
            self._need(self._limits, chat, options), seconds=self._timeout + _LEASE_MARGIN
        )
        # None is "as reserved": whoever gives up waiting for an answer may have to pay for it all the same.
        used: int | None = None
        cost: float | None = None
        answer: tuple[str, int] | None = None
        try:
            reply = await self._send(chat, options)
            if reply.usage is not None:
                answer = (self.model, reply.usage.completion_tokens)
                used, cost = reply.usage.prompt_tokens + reply.usage.completion_tokens, reply.cost
            return reply
        except UnreadableAnswer as error:
            if error.usage is not None:
                used, cost = error.usage.prompt_tokens + error.usage.completion_tokens, error.cost
            raise
        except Exception as error:
            if costs_nothing(error):
                used, cost = 0, 0.0
            raise
        finally:
            self._limits.settle(call, tokens=used, usd=cost, answer=answer)

    async def _send(self, chat: list[dict[str, Any]], options: dict[str, Any]) -> ModelReply:
        given = {**self._parameters, **options}
        dropped = self._dropped[frozenset(options).difference(self._bound)]
        sent = {name: value for name, value in given.items() if name not in dropped}
        began = monotonic()
        if _OWN_MARKS not in sent and backend.wants_marks(self.model):
            chat = mark_for_cache(chat)
        request = {"model": self.model, "messages": chat, "timeout": self._timeout}
        with self._meter.waiting():
            response = await backend.send({**sent, **request})
        if self._watch is not None:
            self._watch(response)
        price = self._prices.price(self.model)
        reply = read_reply(
            response,
            cost=price.cost if price else lambda _: backend.known_cost(response, self.model),
            seconds=monotonic() - began,
            parameters=public({name: value for name, value in sent.items() if name != "tools"}),
            wants_thoughts=backend.wants_thoughts(self.model),
        )
        if reply.usage is not None and reply.usage.cached_tokens and (known := price or self._known_price()):
            reply = replace(reply, usage=known.noted(reply.usage))
        self._meter.count_answer(reply)
        return reply

    def _known_price(self) -> Price | None:
        """litellm's price, which it is asked for once."""
        if not self._asked_for_price:
            self._litellms, self._asked_for_price = backend.known_price(self.model), True
        return self._litellms

    def _check_parameters(self, options: Mapping[str, Any]) -> None:
        """Find out, once for each set of options, which parameters the model does not take."""
        given = frozenset(options)
        if given in self._dropped:
            return
        if self._bound and backend.thinks(self.model):  # thoughts may take more than any answer
            self._bound = {}
        dropped = backend.unsupported_parameters(self.model, {**self._bound, **self._parameters, **options})
        if "tools" in dropped:
            raise SettingsError(f"{self.model} takes no tools; choose another model, or an agent that needs none")
        self._dropped[given] = dropped

    def _need(self, limits: CallLimits, chat: Sequence[Any], options: Mapping[str, Any]) -> Need:
        """What a call takes; a guess of its prompt on the high side, and its answer as long as it may get."""
        # English has about four characters a token, other languages and JSON fewer.
        light, pictures = split_pictures(chat)
        prompt = pictures + len(json.dumps([light, options.get("tools")], ensure_ascii=False, default=str)) // 3
        limit = self._parameters.get("max_completion_tokens") or self._parameters.get("max_tokens")
        answer = limit if isinstance(limit, int) and limit > 0 else None
        model = self.model if answer is None else None
        if limits.settings.budget_usd is None:
            return Need(prompt + (answer or 0), model=model)
        price = self.required_price()
        usd = forecast(price, calls=1, prompt_tokens=prompt, completion_tokens=answer or 0)
        return Need(prompt + (answer or 0), usd, model, price.output / 1_000_000)


class RetryingReplies(Retrying):
    """Runs attempts at a reply, which bears what those were billed that nobody could read; else the error has it."""

    async def reply(
        self,
        what: str,
        attempt: Callable[[], Awaitable[ModelReply]],
        seen: Callable[[Failure | None], None] = lambda failure: None,
    ) -> ModelReply:
        """As :meth:`run`."""
        billed: list[UnreadableAnswer] = []

        async def noted() -> ModelReply:
            try:
                return await attempt()
            except UnreadableAnswer as error:
                if error.usage is not None or error.cost is not None:
                    billed.append(error)
                raise

        try:
            reply = await self.run(what, noted, seen)
        except ProviderError as error:
            error.spent = tuple(billed)
            raise
        return replace(reply, **total_spent([*billed, reply])) if billed else reply


class FirstCall:
    """Stops the calls of a model that would all fail in the same way: a wrong key, an unknown model, no credit.

    The first call goes ahead of the others, until its first attempt has ended or ``REFUSED_WITHIN`` is over; then they
    follow one by one. Once a call is refused like this, the others raise its error without asking. Shared by threads
    and event loops.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun = False
        self._open_at = 0.0
        self._over = False
        self._waiting = 0
        self._answered = False
        self.error: ProviderError | None = None

    async def over(self) -> None:
        """Return when a call may go; raises the ProviderError that all calls would."""
        with self._lock:
            if not self._begun:
                self._begun = True
                self._open_at = monotonic() + REFUSED_WITHIN
                return
            place = 0 if self._over else self._waiting
            self._waiting += not self._over
        while self.error is None and (left := self._open_at + place * APART - monotonic()) > 0:
            await asyncio.sleep(min(left, _POLL))
        if self.error is not None:
            raise ProviderError(str(self.error), permanent=True, status=self.error.status, kind=self.error.kind)

    def note_end(self, failure: Failure | None) -> None:
        """An attempt has ended, well or with this failure."""
        self._answered |= failure is None
        if failure is None or not failure.permanent:
            self.let_others_go()

    def gave_up(self, error: ProviderError) -> None:
        """A call has failed for good."""
        # Some refuse a single request with 403 or 404; where others were answered, that says nothing about the next.
        if error.permanent and not (self._answered and error.status in (403, 404)):
            self.error = error

    def let_others_go(self) -> None:
        """Nobody waits for the first any more."""
        with self._lock:
            if not self._over:
                self._over, self._open_at = True, min(self._open_at, monotonic())


def seconds_of(model: str, given: Any) -> float:
    """The time-out that a parameter gives; raises SettingsError for what is none."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < float("inf"):
        raise SettingsError(f"{model}: the timeout of a call is a number of seconds above 0, not {given!r}")
    return float(given)
