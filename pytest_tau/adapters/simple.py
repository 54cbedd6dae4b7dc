"""The protocol of ten lines: a POST a turn, for agents in any language.

The request has ``conversation_id``, ``messages`` (as chat completions have them), ``tools`` (definitions) and
``policy``; the answer ``content``, or ``tool_calls``: a list of ``{"name": …, "arguments": {…}}``, which pytest-tau
carries out before it asks again. ``usage`` (``prompt_tokens``, ``completion_tokens``), ``model`` and ``cost`` (USD)
may be in the answer as well. A command speaks it, too, a JSON line each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..llm.chat import to_chat
from ..schema.messages import AnyMessage
from .http import ProtocolContext, Send, wrong

_MUST = 'it must be {"content": "…"} or {"tool_calls": [{"name": "…", "arguments": {…}}]}'


def looks_at(address: str) -> str:
    """What is looked at to see whether the agent is there."""
    return address


class _SimpleTalk:
    """One trial's conversation."""

    def __init__(self, about: ProtocolContext) -> None:
        self._about = about

    async def ask(self, messages: list[AnyMessage], send: Send) -> Any:
        """Post the conversation so far."""
        return completion(await send(self._about.address, request(self._about, messages)), self._about.address)


def request(about: ProtocolContext, messages: list[AnyMessage]) -> dict[str, Any]:
    """What the agent is asked."""
    context = about.context
    more = {"model": about.model, "ticket": context.ticket, "plan": context.plan, "roles": about.roles or None}
    return {
        **about.parameters,
        "conversation_id": about.conversation,
        "task_id": context.task_id,
        "trial": context.trial,
        "seed": context.seed,
        "policy": context.policy,
        "tools": about.tools,
        "messages": to_chat(messages, "assistant"),
        **{name: value for name, value in more.items() if value is not None},
    }


def is_answer(said: Any) -> bool:
    """Whether it is meant as an answer, right or wrong."""
    return isinstance(said, Mapping) and not said.keys().isdisjoint(("content", "tool_calls"))


def completion(answer: Any, address: str) -> dict[str, Any]:
    """What the agent answered, as a chat completion; raises PlayerError for what is not of the protocol."""
    if not is_answer(answer):
        raise wrong(address, _MUST, answer)
    content, calls = answer.get("content"), answer.get("tool_calls") or []
    if not isinstance(content, str | None) or not isinstance(calls, list):
        raise wrong(address, _MUST, answer)
    message = {"content": content, "tool_calls": [_call(call, address) for call in calls]}
    return {**answer, "choices": [{"message": message}]}


def _call(call: Any, address: str) -> dict[str, Any]:
    """A call as chat completions have it, which may be what it was."""
    function = call.get("function", call) if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise wrong(address, _MUST, call)
    arguments = function.get("arguments")
    text = arguments if isinstance(arguments, str | None) else json.dumps(arguments)
    return {"id": call.get("id"), "function": {"name": function["name"], "arguments": text}}


TALK = _SimpleTalk
