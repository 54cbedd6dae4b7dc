"""Reads a provider's response: whatever a model wrote, it becomes a reply, with a problem named if need be."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import describe
from ..files import loads
from ..printable import cut
from ..schema.incidents import BROKEN_CALL, CUT, EMPTY, FILTERED, REFUSAL
from ..schema.messages import ToolCall
from ..schema.spending import Usage
from ..schema.values import json_values
from .protocol import ModelReply
from .written import thoughts_apart

_SHOWN = 80
_BAD_GATEWAY = 502
_MOST_THOUGHTS = 20_000
_MOST_TOKENS = 1_000_000_000
CUT_OFF = " (the reply was cut off at the token limit)"
_REFUSED = "the model refused"
_FILTERED = "the provider's content filter withheld the reply"
_THOUGHTS_ONLY = "the reply holds thoughts only"


class UnreadableAnswer(Exception):
    """A response without anything that the model said in it.

    ``usage`` and ``cost``: what it was billed for all the same, as far as it says.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.usage: Usage | None = None
        self.cost: float | None = None


class ProviderAnswered(Exception):
    """A provider's error in its own words, with its status, its headers, and the object that tells of it.

    The status is the one that the error has, whatever that of the response says.
    """

    def __init__(self, message: str, status: int, headers: Mapping[str, str] | None = None, body: Any = None) -> None:
        super().__init__(message)
        self.status_code = status
        self.litellm_response_headers = dict(headers or {})
        self.body = body


class _Malformed(Exception):
    """A tool call nobody can carry out; the text says why."""


def read_reply(
    response: Any,
    *,
    cost: Callable[[Usage], float | None],
    seconds: float,
    parameters: Mapping[str, Any],
    wants_thoughts: bool = False,
) -> ModelReply:
    """A response of litellm as a reply; ``cost`` prices its usage; ``wants_thoughts``: back, with the calls.

    Raises:
        UnreadableAnswer: nothing of a model is in it.
        ProviderAnswered: it tells of a failure.
    """
    usage = _usage(getattr(response, "usage", None))
    try:
        return _reply(response, usage, cost, seconds, parameters, wants_thoughts)
    except UnreadableAnswer as error:
        error.usage, error.cost = usage, None if usage is None else cost(usage)
        raise
    except (AttributeError, IndexError, KeyError, TypeError) as error:  # values of other types than a completion has
        raise UnreadableAnswer(f"the response is not a chat completion ({describe(error)})") from error


def _reply(
    response: Any,
    usage: Usage | None,
    cost: Callable[[Usage], float | None],
    seconds: float,
    parameters: Mapping[str, Any],
    wants_thoughts: bool,
) -> ModelReply:
    choices = getattr(response, "choices", None) or []
    if not choices:
        raise UnreadableAnswer("the response has no choices in it")
    if not isinstance(choices, list):
        raise UnreadableAnswer("the response's choices are not a list")
    message, finish = getattr(choices[0], "message", None), _finish_reason(choices[0])
    if (failed := _choice_error(choices[0], finish)) is not None:
        raise failed
    if message is None:
        raise UnreadableAnswer("the response has no message in it")
    if isinstance(message, (str, int, float, list)):
        raise UnreadableAnswer(f"the message is a {_JSON_NAMES[type(message)]}, not an object")
    raw = getattr(message, "tool_calls", None) or []
    if not isinstance(raw, list):
        raise UnreadableAnswer("the message's tool_calls are not a list")
    if any(isinstance(call, str | int | float | list | None) for call in raw):
        raise UnreadableAnswer("one of the message's tool_calls is not an object")
    if not isinstance(getattr(message, "content", None), (str, list, type(None))):
        raise UnreadableAnswer("the message's content is not a text")
    text = _text(getattr(message, "content", None))
    content, leaked = (text, "") if text is None else thoughts_apart(text)
    reasoned = getattr(message, "reasoning_content", None)
    thoughts = "\n".join(filter(None, [reasoned if isinstance(reasoned, str) else "", leaked]))
    calls: list[ToolCall] = []
    broken: list[Mapping[str, str]] = []
    problem = None
    try:
        calls = _tool_calls(raw)
    except _Malformed as malformed:
        problem = f"{malformed}{CUT_OFF if finish == 'length' else ''}"
        broken = _as_written(raw)
    if finish == "length" and calls and not calls[-1].arguments:
        # Some providers send an empty object for arguments that they did not come to write.
        problem = f"{calls[-1].name} was called without arguments{CUT_OFF}"
        calls, broken = [], _as_written(raw)
    if problem is None and not calls and not (content and content.strip()):
        problem = _why_empty(message, finish, thoughts)
    return ModelReply(
        content=content,
        tool_calls=calls or None,
        cost=None if usage is None else cost(usage),
        usage=usage,
        seconds=seconds,
        finish_reason=finish,
        problem=problem,
        parameters=parameters,
        thoughts=thoughts[:_MOST_THOUGHTS] or None,
        leaked=bool(leaked),
        broken_calls=broken,
        thinking=_thinking(message, reasoned if wants_thoughts else None) if calls or broken else {},
    )


def _thinking(message: Any, reasoned: Any) -> Mapping[str, Any]:
    """What the provider wants back with the calls: the blocks that it has signed, or the thoughts as a text."""
    blocks = getattr(message, "thinking_blocks", None)
    if isinstance(blocks, list) and blocks and all(isinstance(block, Mapping) for block in blocks):
        return {"thinking_blocks": json_values(blocks)}
    return {"reasoning_content": reasoned} if isinstance(reasoned, str) and reasoned else {}


def cause_of(problem: str | None) -> str:
    """What kind of unusable reply a problem tells of, in the words of :mod:`..schema.incidents`."""
    if problem is None:
        return EMPTY
    if CUT_OFF in problem:
        return CUT
    if problem.startswith(_REFUSED):
        return REFUSAL
    if problem.startswith(_FILTERED):
        return FILTERED
    return BROKEN_CALL if " called with" in problem or " without a name" in problem else EMPTY


def refusal_in(problem: str | None) -> str | None:
    """The words, or the first of them, by which a model refused; None where that is not the problem."""
    kept = (problem or "").removeprefix(f"{_REFUSED}: ")
    return kept if kept != (problem or "") else None


def _choice_error(choice: Any, finish: str | None) -> Exception | None:
    """The failure that a choice tells of in place of a message, as routers between providers do."""
    error = getattr(choice, "error", None) or (getattr(choice, "provider_specific_fields", None) or {}).get("error")
    if error is None and finish != "error":
        return None
    fields = error if isinstance(error, Mapping) else {}
    code = fields.get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else _BAD_GATEWAY
    return ProviderAnswered(str(fields.get("message") or error or "the choice ended with an error"), status)


def _usage(usage: Any) -> Usage | None:
    prompt = getattr(usage, "prompt_tokens", None) or 0
    completion = getattr(usage, "completion_tokens", None) or 0
    if not all(isinstance(number, int) and 0 <= number <= _MOST_TOKENS for number in (prompt, completion)):
        return None  # nobody reads or writes less than nothing; a budget would grow by it
    # litellm fills in zeros where a provider said nothing; no call takes no tokens.
    if not (prompt or completion):
        return None
    return Usage(prompt_tokens=prompt, completion_tokens=completion, cached_tokens=_cached_tokens(usage, prompt))


def _cached_tokens(usage: Any, prompt: int) -> int | None:
    """The tokens that were read from a cache, in the field of OpenAI, of Anthropic or of DeepSeek."""
    details = getattr(usage, "prompt_tokens_details", None)
    told = (
        getattr(details, "cached_tokens", None),
        getattr(usage, "cache_read_input_tokens", None),
        getattr(usage, "prompt_cache_hit_tokens", None),
    )
    found = next((one for one in told if isinstance(one, int) and not isinstance(one, bool)), None)
    return found if found is not None and 0 <= found <= prompt else None


def _finish_reason(choice: Any) -> str | None:
    # litellm keeps the provider's word beside its own, which is "stop" also where it does not know the reason.
    reason = getattr(choice, "finish_reason", None)
    fields = getattr(choice, "provider_specific_fields", None) or {}
    reason = fields.get("native_finish_reason") or reason if reason in (None, "stop") else reason
    return None if reason is None else str(reason)


def _text(content: Any) -> str | None:
    if isinstance(content, list):  # parts, as some providers send them
        return "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    return content if isinstance(content, str) else None


def _why_empty(message: Any, finish: str | None, thoughts: str) -> str:
    fields = getattr(message, "provider_specific_fields", None) or {}
    refusal = getattr(message, "refusal", None) or fields.get("refusal")
    if refusal:
        return f"{_REFUSED}: {cut(str(refusal), _SHOWN)}"
    if finish == "content_filter":
        return _FILTERED
    what = _THOUGHTS_ONLY if thoughts else "the reply is empty"
    return f"{what}{CUT_OFF if finish == 'length' else ''}"


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


def _as_written(raw: list[Any]) -> list[Mapping[str, str]]:
    """Calls as the model wrote them, for whoever repairs such calls."""
    found: list[Mapping[str, str]] = []
    for call in raw:
        function = getattr(call, "function", None)
        id, name, arguments = getattr(call, "id", None), getattr(function, "name", None), ""
        given = getattr(function, "arguments", None)
        if given is not None:
            arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=str)
        id = id if isinstance(id, str) and id else f"call_{uuid.uuid4().hex[:12]}"
        found.append({"id": id, "name": name if isinstance(name, str) else "", "arguments": arguments})
    return found


def _arguments(name: str, raw: Any) -> dict[str, Any]:
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return {}  # how several providers write a call without arguments
    value = raw
    if isinstance(raw, str):
        try:
            value = loads(raw)
        except (ValueError, RecursionError):
            raise _Malformed(f"{name} was called with arguments that are not JSON: {cut(raw, _SHOWN)}") from None
    if not isinstance(value, dict):
        raise _Malformed(f"{name} was called with a {_JSON_NAMES[type(value)]} for arguments, not an object")
    return value


_JSON_NAMES = {list: "list", str: "string", int: "number", float: "number", bool: "truth value", type(None): "null"}
