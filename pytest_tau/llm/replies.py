"""Reads a provider's response: whatever a model wrote, it becomes a reply, with a problem named if need be."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from ..schema.messages import ToolCall, Usage
from .protocol import ModelReply

_SHOWN = 80
_CUT_OFF = " (the reply was cut off at the token limit)"


class _Malformed(Exception):
    """A tool call nobody can carry out; the text says why."""


def read_reply(
    response: Any, *, cost: Callable[[Usage], float | None], seconds: float, parameters: Mapping[str, Any]
) -> ModelReply:
    """A response of litellm as a reply; ``cost`` prices its usage."""
    usage = _usage(getattr(response, "usage", None))
    choices = getattr(response, "choices", None) or []
    message = getattr(choices[0], "message", None) if choices else None
    finish = _finish_reason(choices[0]) if choices else None
    content = _text(getattr(message, "content", None))
    calls: list[ToolCall] = []
    problem = None
    try:
        calls = _tool_calls(getattr(message, "tool_calls", None) or [])
    except _Malformed as malformed:
        problem = f"{malformed}{_CUT_OFF if finish == 'length' else ''}"
    if finish == "length" and calls and not calls[-1].arguments:
        # Some providers send an empty object for arguments that they did not come to write.
        problem = f"{calls[-1].name} was called without arguments{_CUT_OFF}"
        calls = []
    if problem is None and not calls and not (content and content.strip()):
        problem = _why_empty(message, finish)
    return ModelReply(
        content=content,
        tool_calls=calls or None,
        cost=None if usage is None else cost(usage),
        usage=usage,
        seconds=seconds,
        finish_reason=finish,
        problem=problem,
        parameters=parameters,
    )


def _usage(usage: Any) -> Usage | None:
    prompt = getattr(usage, "prompt_tokens", None) or 0
    completion = getattr(usage, "completion_tokens", None) or 0
    # litellm fills in zeros where a provider said nothing; no call takes no tokens.
    return Usage(prompt_tokens=prompt, completion_tokens=completion) if prompt or completion else None


def _finish_reason(choice: Any) -> str | None:
    # litellm turns reasons it does not know into "stop", and keeps the provider's word here.
    fields = getattr(choice, "provider_specific_fields", None) or {}
    reason = fields.get("native_finish_reason") or getattr(choice, "finish_reason", None)
    return None if reason is None else str(reason)


def _text(content: Any) -> str | None:
    if isinstance(content, list):  # parts, as some providers send them
        return "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    return content if isinstance(content, str) else None


def _why_empty(message: Any, finish: str | None) -> str:
    if message is None:
        return "the response has no message in it"
    if finish == "content_filter":
        return "the provider's content filter withheld the reply"
    return f"the reply is empty{_CUT_OFF if finish == 'length' else ''}"


def _tool_calls(raw: list[Any]) -> list[ToolCall]:
    calls: list[ToolCall] = []
    for call in raw:
        function = getattr(call, "function", None)
        name = getattr(function, "name", None)
        if not isinstance(name, str) or not name.strip():
            raise _Malformed("a tool was called without a name")
        arguments = _arguments(name, getattr(function, "arguments", None))
        id = getattr(call, "id", None)
        # Results are matched to calls by id, so each needs one of its own.
        if not isinstance(id, str) or not id or id in {other.id for other in calls}:
            id = f"call_{uuid.uuid4().hex[:12]}"
        try:
            calls.append(ToolCall(id=id, name=name, arguments=arguments))
        except ValueError:
            raise _Malformed(f"{name} was called with arguments that are nested too deeply") from None
    return calls


def _arguments(name: str, raw: Any) -> dict[str, Any]:
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return {}  # how several providers write a call without arguments
    value = raw
    if isinstance(raw, str):
        try:
            value = json.loads(raw, parse_constant=_refuse)
        except (ValueError, RecursionError):
            shown = raw if len(raw) <= _SHOWN else raw[:_SHOWN] + "…"
            raise _Malformed(f"{name} was called with arguments that are no JSON: {shown}") from None
    if not isinstance(value, dict):
        raise _Malformed(f"{name} was called with a {_JSON_NAMES[type(value)]} for arguments, not an object")
    return value


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


_JSON_NAMES = {list: "list", str: "string", int: "number", float: "number", bool: "truth value", type(None): "null"}
