"""What agents that are not Python have in common, behind an address or a command: their settings, and their answers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from ..conversation.protocols import AgentContext
from ..errors import SettingsError
from ..llm.answers import Response
from ..llm.limits import RunLimits
from ..llm.pricing import Prices
from ..llm.protocol import ModelReply
from ..llm.replies import UnreadableAnswer, read_reply
from ..llm.retry import RetryPolicy
from ..schema.messages import PROBLEM, AssistantMessage

SECRET = "TAU_AGENT_AUTHORIZATION"  # noqa: S105 (the name of a variable)
_MOST_USD = 1e9  # nobody takes more for an answer, and floats end somewhere
LONGEST_OUTPUT = 10_000_000  # characters that a process of an agent may write before it answers, its errors among them
TOLD = ("usage", "cost", "model", "author", "handoff_reason")
"""What an answer may tell beside what it says, in any protocol."""
T = TypeVar("T")


@dataclass(frozen=True)
class ServiceSettings:
    """What a run says of an agent that is not Python.

    Attributes:
        protocol: how it is spoken to, where its address does not say.
        model: the model it is to play, if it takes one.
        parameters: more fields of each request, and ``timeout``: seconds that one may take.
        secret: the environment variable whose value goes into the Authorization header.
        retry: how often to try and how long to wait.
        limits: the run's limits.
        prices: what models cost, for answers that say which one they used, and how many tokens.
        environment: the variables that a command has; None: those of this process.
    """

    protocol: str | None = None
    model: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    secret: str = SECRET
    retry: RetryPolicy | None = None
    limits: RunLimits | None = None
    prices: Prices | None = None
    environment: Mapping[str, str] | None = None


class Service(Protocol):
    """An agent that is not Python, for all trials of a process."""

    @property
    def refusal(self) -> str | None:
        """Why every request fails, in a sentence; None as long as nobody has said so."""

    def check(self) -> None:
        """Raise SettingsError when it cannot be reached, or started."""

    def agent(self, context: AgentContext) -> Any:
        """The agent of one trial."""


def ending_in(address: str, path: str) -> str:
    """The address with this path at its end, before its query."""
    base, mark, query = address.partition("?")
    base = base.rstrip("/")
    return f"{base if base.endswith(path) else base + path}{mark}{query}"


def tools_url(context: AgentContext) -> str | None:
    """The address of the trial's tools over MCP; None where nothing can serve it."""
    try:
        return context.mcp
    except SettingsError:
        return None  # without the extra


def reply_of(completion: Mapping[str, Any], *, seconds: float, prices: Prices | None, model: str | None) -> ModelReply:
    """A chat completion as a reply, at the price that it says itself, else that its usage has in the table.

    Args:
        completion: in the form of chat completions; ``cost`` is in USD.
        seconds: how long it took.
        prices: what models cost.
        model: the one that is priced where the answer does not say which it was.
    """
    usage, named = completion.get("usage"), completion.get("model") or model
    price = prices.price(str(named)) if prices is not None and named is not None else None
    given = completion.get("cost", usage.get("cost") if isinstance(usage, Mapping) else None)
    is_amount = isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given <= _MOST_USD
    told = float(given) if is_amount else None
    try:
        reply = read_reply(
            Response(completion), cost=lambda used: price.cost(used) if price else None, seconds=seconds, parameters={}
        )
    except UnreadableAnswer as error:
        error.cost = error.cost if told is None else told
        raise
    if price and reply.usage is not None:
        reply = replace(reply, usage=price.noted(reply.usage))
    return reply if told is None else replace(reply, cost=told)


def note_author(answer: Any, context: AgentContext) -> None:
    """Let speak whom an answer names as its ``author``, and say why, where it gives a ``handoff_reason``."""
    if isinstance(answer, Mapping) and isinstance(answer.get("author"), str):
        context.speaks_as(answer["author"], answer.get("handoff_reason"))


def agent_message(reply: ModelReply) -> AssistantMessage:
    """A reply as the agent's message; an empty one, which is asked for again, where it is no usable one."""
    return AssistantMessage(
        content=None if reply.problem else reply.content,
        tool_calls=None if reply.problem else reply.tool_calls,
        raw_data={PROBLEM: reply.problem} if reply.problem else None,
        cost=reply.cost,
        usage=reply.usage,
        generation_time_seconds=round(reply.seconds, 6),
    )


async def in_thread(work: Callable[[], T]) -> T:
    """What ``work`` returns, from a daemon thread: one that nobody waits for any more keeps no process from ending.

    What it prints counts as the trial's.
    """
    done: Future[T] = Future()

    def run() -> None:
        if done.set_running_or_notify_cancel():
            try:
                done.set_result(work())
            except BaseException as error:
                done.set_exception(error)

    threading.Thread(target=copy_context().run, args=(run,), name="tau-service", daemon=True).start()
    return await asyncio.wrap_future(done)
