"""Agents that speak the Responses API: the whole conversation as input items each time, our loop runs the calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..agents.prompts import TICKET_CUE
from ..llm.replies import ProviderAnswered
from ..schema.messages import AnyMessage, ToolMessage, attachments_of
from .http import ProtocolContext, Send, wrong
from .service import TOLD, ending_in

_PATH = "/responses"
_MUST = "it must be a response with a list of output items"
_BAD_GATEWAY = 502


def looks_at(address: str) -> str:
    """What is looked at to see whether the agent is there, and what is asked."""
    return ending_in(address, _PATH)


class _ResponsesTalk:
    """One trial's conversation; what the agent put out is given back as it was, its reasoning with it."""

    def __init__(self, about: ProtocolContext) -> None:
        self._about = about
        self._put_out: dict[int, list[Any]] = {}

    async def ask(self, messages: list[AnyMessage], send: Send) -> Any:
        """Ask for a response to the items so far."""
        items = [item for place, message in enumerate(messages) for item in self._items(place, message)]
        body = {
            "model": self._about.model or "agent",
            "instructions": self._about.instructions,
            "input": items or [{"role": "user", "content": TICKET_CUE}],
            "tools": [{"type": "function", **tool["function"]} for tool in self._about.tools],
            "store": False,
        }
        answer = await send(looks_at(self._about.address), {**self._about.parameters, **body})
        completion = _completion(answer, self._about.address)
        self._put_out[len(messages)] = answer["output"]
        return completion

    def _items(self, place: int, message: AnyMessage) -> Iterator[Any]:
        if isinstance(message, ToolMessage):
            output: Any = message.content or ""
            if pictures := _pictures(message):
                output = [{"type": "input_text", "text": output}, *pictures]
            yield {"type": "function_call_output", "call_id": message.id, "output": output}
        elif message.role == "assistant" and place in self._put_out:
            yield from self._put_out[place]
        else:
            kind = "output_text" if message.role == "assistant" else "input_text"
            text = [{"type": kind, "text": message.text}] if message.text else []
            if content := [*text, *_pictures(message)]:
                yield {"type": "message", "role": message.role, "content": content}
            for call in message.tool_calls or []:
                arguments = json.dumps(call.arguments)
                yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}


def _pictures(message: AnyMessage) -> list[dict[str, str]]:
    return [{"type": "input_image", "image_url": one.uri} for one in attachments_of(message)]


def _completion(answer: Any, address: str) -> dict[str, Any]:
    """A response as a chat completion."""
    output = answer.get("output") if isinstance(answer, Mapping) else None
    if isinstance(answer, Mapping) and answer.get("status") == "failed":
        raise ProviderAnswered(str((answer.get("error") or {}).get("message") or "the response failed"), _BAD_GATEWAY)
    if not isinstance(output, list) or not all(isinstance(item, Mapping) for item in output):
        raise wrong(address, _MUST, answer)
    parts = [part for item in output if item.get("type") == "message" for part in item.get("content") or []]
    calls = [
        {"id": item.get("call_id"), "function": {"name": item.get("name"), "arguments": item.get("arguments")}}
        for item in output
        if item.get("type") == "function_call"
    ]
    text, refusal = ("".join(part.get(kind) or "" for part in parts) or None for kind in ("text", "refusal"))
    message = {"content": text, "refusal": refusal, "tool_calls": calls}
    return {
        **{name: answer[name] for name in TOLD if name in answer},
        "choices": [{"message": message, "finish_reason": _why_cut_off(answer)}],
        "usage": _usage(answer.get("usage")),
    }


def _why_cut_off(answer: Mapping[str, Any]) -> str | None:
    """Why a response is incomplete, in the words of chat completions; None for a whole one."""
    if answer.get("status") != "incomplete":
        return None
    details = answer.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, Mapping) else None
    return "content_filter" if reason == "content_filter" else "length"


def _usage(usage: Any) -> dict[str, Any] | None:
    if not isinstance(usage, Mapping):
        return None
    names = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}
    names["prompt_tokens_details"] = "input_tokens_details"  # how many of them came from a cache
    return {name: usage.get(theirs) for name, theirs in names.items()}


TALK = _ResponsesTalk
