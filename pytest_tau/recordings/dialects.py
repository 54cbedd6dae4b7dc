"""One message as any of the programs writes it that people log with, read as events.

Chat completions, Responses items, Anthropic's blocks, LangChain's messages, the parts of OpenTelemetry's conventions,
τ² messages and our own short form differ in names, not in meaning. So there is one reading of a message for all of
them, and the readers of formats only have to find the messages.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from ..errors import RecordingError
from ..files import loads, loads_or_text
from ..schema.messages import Requestor
from .logged import CalledEvent, Event, LeftOutEvent, ReturnedEvent, SaidEvent

_ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "customer": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "agent": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "chat": "assistant",
    "tool": "tool",
    "function": "tool",
    "toolresult": "tool",
}
# Of LangChain's serialised messages: the class, without "Message" and "Chunk".
_CLASSES = {"Human": "user", "AI": "assistant", "System": "system", "Tool": "tool", "Function": "tool"}
_PICTURES = {"image", "image_url", "input_image", "uri", "blob", "file", "audio", "input_audio"}
_HELD = frozenset(["image_url", "source", "data", "uri", "url", "file", "file_id", "image", "blob", "input_audio"])
_ITEMS = {"message", "reasoning"} | {
    f"{kind}_call{end}" for kind in ("function", "custom_tool", "mcp") for end in ("", "_output")
}
_HOLDERS = frozenset(
    ["messages", "items", "input", "request", "response", "traj", "attributes", "run_type", "conversation"]
)
_OUTPUTS = ("json", "text", "error-text", "error-json")
_PYTHON = ("{'", "[{'", "['")
_TEXTS = ("text", "output_text", "input_text", "refusal")
_SKIPPED = {"reasoning", "thinking", "redacted_thinking", "step-start"}
_CALLS = ("tool_use", "tool_call", "tool-call")
_BLOCKS = {**dict.fromkeys(_TEXTS, frozenset(["text", "content", "refusal"])), **dict.fromkeys(_PICTURES, _HELD)}


def events_of(raw: Any) -> Iterator[Event]:
    """The events of one message.

    Raises:
        RecordingError: it is a message of none of these programs; the sentence says why, without the place.
    """
    message = _unwrap(raw)
    kind = message.get("type")
    if isinstance(message.get("call"), str):
        yield from _short_form(message)
    elif kind in ("function_call", "custom_tool_call", "mcp_call"):
        yield _call_event(message)
        if kind == "mcp_call" and message.get("output") is not None:
            yield ReturnedEvent(_id(message), text_of(message["output"]), bool(message.get("error")))
    elif kind in ("function_call_output", "custom_tool_call_output"):
        yield _result_event(message, message.get("output"))
    elif kind in _SKIPPED:
        return
    elif message.get("kind") in ("request", "response") and isinstance(message.get("parts"), list):
        yield from _of_pydantic_ai(message)
    else:
        yield from _by_role(message)


def all_events(raws: Any) -> list[Event]:
    """The events of a list of messages; a single text is the user's. Raises RecordingError."""
    if isinstance(raws, str):
        return [SaidEvent("user", raws)]
    if isinstance(raws, Mapping):
        raws = raws.get("messages", [raws])
    if not isinstance(raws, list):
        raise RecordingError(f"messages must be a list, not {_kind_of(raws)}")
    if raws and all(isinstance(one, list) for one in raws):  # LangSmith keeps a list for each prompt of a batch
        raws = raws[0]
    found: list[Event] = []
    for position, raw in enumerate(raws):
        try:
            found += events_of(raw)
        except RecordingError as error:
            raise RecordingError(f"message {position}: {error}") from None
    return found


def text_of(content: Any) -> str:
    """The text of a content: a text, a list of blocks, or a value, which is then JSON."""
    if content is None:
        return ""
    if isinstance(content, str):
        return _as_json(content) if content.startswith(_PYTHON) else content
    if isinstance(content, list) and content and all(is_block(one) for one in content):
        return "".join(_block_text(one) or "" for one in content)
    if isinstance(content, Mapping) and content.get("type") in _TEXTS:
        return _block_text(content) or ""
    return json.dumps(content, ensure_ascii=False)


def _as_json(text: str) -> str:
    """A result that a program has logged as Python writes values, as JSON; any other text as it is."""
    try:
        return json.dumps(ast.literal_eval(text), ensure_ascii=False, allow_nan=False)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def is_message(value: Any) -> bool:
    """Whether a value is one message, in any of the dialects, and not what holds messages."""
    if not isinstance(value, Mapping) or not _HOLDERS.isdisjoint(value):
        return False
    if value.get("kind") in ("request", "response") and isinstance(value.get("parts"), list):
        return True
    try:
        message = _unwrap(value)
    except RecordingError:
        return False
    role = str(message.get("role") or message.get("type")).lower().replace("_", "")
    return role in _ROLES or str(message.get("type")) in _ITEMS or isinstance(message.get("call"), str)


def tools_of_request(tools: Any) -> list[dict[str, Any]]:
    """Tools' schemas in the form of chat completions, from any of the forms there are; what is none is left out."""
    found = []
    for tool in tools if isinstance(tools, list) else []:
        tool = loads_or_text(tool) if isinstance(tool, str) else tool
        if not isinstance(tool, Mapping):
            continue
        function = inner(tool, "function") or tool
        name = function.get("name")
        parameters: Any = next(
            (function[k] for k in ("parameters", "input_schema", "inputSchema") if k in function), {}
        )
        if isinstance(name, str) and name and isinstance(parameters, Mapping):
            about = function.get("description")
            spec = {"name": name, "description": about if isinstance(about, str) else "", "parameters": parameters}
            found.append({"type": "function", "function": spec})
    return found


def inner(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An object inside of another; an empty one where it is missing or something else."""
    found = value.get(key)
    return found if isinstance(found, Mapping) else {}


def _unwrap(raw: Any) -> Mapping[str, Any]:
    """A message without the envelope that some programs put around it."""
    if isinstance(raw, str):
        raw = loads_or_text(raw)
    if not isinstance(raw, Mapping):
        raise RecordingError(f"not a message, but {_kind_of(raw)}")
    held = raw.get("kwargs")
    if isinstance(held, Mapping) and isinstance(raw.get("id"), list):
        cls = str(raw["id"][-1] if raw["id"] else "").removesuffix("Chunk").removesuffix("Message")
        return {**held, "role": held.get("role") or _CLASSES.get(cls, cls)}
    if isinstance(held := raw.get("data"), Mapping) and isinstance(raw.get("type"), str):
        return {**held, "role": raw["type"]}
    if isinstance(held := raw.get("message"), Mapping) and "role" not in raw:
        return held
    return raw


def _short_form(message: Mapping[str, Any]) -> Iterator[Event]:
    """A call with its result, as our own form has it."""
    by_user = message.get("by") in ("user", "customer")
    yield _called("", message["call"], message.get("arguments"), "user" if by_user else "assistant")
    if "result" in message or "error" in message:
        content, failed = message.get("result"), message.get("error")
        if failed and failed is not True:
            content = failed
        yield ReturnedEvent("", text_of(content), bool(failed), beside=True)


def _by_role(message: Mapping[str, Any]) -> Iterator[Event]:
    named = message.get("role") or message.get("type")
    role = _ROLES.get(str(named).lower().replace("_", ""))
    if role is None:
        shown = "no role" if named is None else f"the role '{str(named)[:40]}'"
        raise RecordingError(f"a message has {shown}; use system, user, assistant or tool")
    content, parts = message.get("content"), message.get("parts")
    if content in (None, "", []) or (isinstance(parts, list) and any(map(_of_ui, parts))):
        content = content if parts is None else parts
    if role == "tool":
        yield from _results(message, content)
        return
    content = content if isinstance(content, list) else [content]
    if isinstance(invoked := message.get("toolInvocations"), list) and not any(map(_of_ui, content)):
        content = [*content, *({"type": "tool-invocation", "toolInvocation": one} for one in invoked)]
    if any(map(_of_ui, content)):
        yield from _turn_of_ui(content, role)
        return
    texts: list[str] = []
    blocks: list[Event] = []
    lost: list[Event] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping):
            if (event := _of_block(part, role)) is not None:
                blocks.append(event)
            elif (said := _block_text(part)) is not None:
                texts.append(said)
            else:
                kind = str(part.get("type") or ", ".join(map(str, part)))
                lost.append(LeftOutEvent(f"a block is left out, as its kind is not known: {kind[:60]}"))
        elif part is not None:
            raise RecordingError(f"a content holds {_kind_of(part)}; it must be a text or blocks")
    if isinstance(refusal := message.get("refusal"), str) and not any(texts):
        texts.append(refusal)
    text = "".join(texts)
    # A result stands in the message that follows its call, before what the user says next.
    yield from (event for event in blocks if isinstance(event, ReturnedEvent))
    if text.strip():
        yield SaidEvent(role, text)  # type: ignore[arg-type] # a tool's message has been read above
    calls = [event for event in blocks if not isinstance(event, ReturnedEvent)]
    if not calls:  # LangChain keeps them in both places
        raw = inner(message, "additional_kwargs")  # as the provider gave them
        listed = message.get("tool_calls") or raw.get("tool_calls") or []
        if not isinstance(listed, list):
            raise RecordingError(f"tool_calls must be a list, not {_kind_of(listed)}")
        calls = [_call_event(call, by_user=role == "user") for call in listed]
        if one := inner(message, "function_call") or inner(raw, "function_call"):
            calls.append(_call_event(one))
    yield from calls
    yield from lost


def _of_ui(part: Any) -> Mapping[str, Any]:
    """A call among the parts of a message for the Vercel AI SDK's UI, which holds its result as well; else nothing."""
    if not isinstance(part, Mapping):
        return {}
    kind = str(part.get("type"))
    if kind == "tool-invocation":
        return inner(part, "toolInvocation")
    if kind == "dynamic-tool" or (kind.startswith("tool-") and "state" in part):
        return {"toolName": kind.removeprefix("tool-"), **part}
    return {}


def _turn_of_ui(parts: Iterable[Any], role: str) -> Iterator[Event]:
    """What the parts tell of, in their order; calls that follow one another were made together."""
    for is_call, group in groupby(parts, lambda part: bool(_of_ui(part))):
        if not is_call:
            yield from _by_role({"role": role, "content": list(group)})
            continue
        calls = [_of_ui(part) for part in group]
        yield from (_call_event(call, by_user=role == "user") for call in calls)
        for call in calls:
            if call.get("errorText") is not None:
                yield ReturnedEvent(_id(call), text_of(call["errorText"]), error=True)
            elif "output" in call or "result" in call:
                yield _result_event(call, call.get("output", call.get("result")))


def _of_block(block: Mapping[str, Any], role: str) -> Event | None:
    """A call or a result that stands among the blocks of a content; None for anything else."""
    kind = block.get("type")
    if call := inner(block, "functionCall") or inner(block, "function_call"):
        return _call_event(call)
    if result := inner(block, "functionResponse") or inner(block, "function_response"):
        return ReturnedEvent(_id(result), text_of(result.get("response")), name=str(result.get("name") or ""))
    if is_call_block(block):
        return _call_event(block, by_user=role == "user")
    if kind in ("tool_result", "tool_call_response", "tool-result"):
        keys = ("content", "response", "result", "output")
        given = next((block[key] for key in keys if key in block), None)
        if isinstance(given, Mapping) and given.get("type") in _OUTPUTS and "value" in given:  # the Vercel AI SDK
            failed = str(given["type"]).startswith("error")
            return ReturnedEvent(_id(block, of_result=True), text_of(given["value"]), failed)
        return _result_event(block, given)
    return None


def _of_pydantic_ai(message: Mapping[str, Any]) -> Iterator[Event]:
    """The parts of a request to a model or of its response; what a tool refused is asked for again in a part too."""
    if isinstance(system := message.get("instructions"), str) and system:
        yield SaidEvent("system", system)
    for part in message["parts"]:
        kind = part.get("part_kind") if isinstance(part, Mapping) else None
        if kind in ("system-prompt", "user-prompt", "text"):
            role: Any = {"system-prompt": "system", "user-prompt": "user"}.get(kind, "assistant")
            yield SaidEvent(role, _prompt_text(part.get("content")))
        elif kind in ("tool-call", "builtin-tool-call"):
            yield _call_event(part)
        elif kind in ("tool-return", "builtin-tool-return"):
            failed = part.get("outcome") not in (None, "success")
            yield ReturnedEvent(_id(part), text_of(part.get("content")), failed)
        elif kind == "retry-prompt" and part.get("tool_name"):
            yield ReturnedEvent(_id(part), text_of(part.get("content")), error=True)


def _results(message: Mapping[str, Any], content: Any) -> Iterator[Event]:
    parts = content if isinstance(content, list) else []
    found = [event for part in parts if isinstance(part, Mapping) and (event := _of_block(part, "tool")) is not None]
    yield from found or [_result_event(message, content)]


def _result_event(message: Mapping[str, Any], content: Any) -> ReturnedEvent:
    text = text_of(content)
    failed = message.get("error") or message.get("is_error") or message.get("status") == "error"
    name = message.get("name")
    # Only results of functions in the old form have a name and no id.
    by_name = name if isinstance(name, str) and not _id(message, of_result=True) else ""
    return ReturnedEvent(_id(message, of_result=True), text, bool(failed) or _is_failure(text), by_name)


def _is_failure(text: str) -> bool:
    """Whether a result that is not marked is an error: it begins so, or holds nothing else, or pydantic's errors."""
    if text.startswith(("Error", "error:", "ERROR")):
        return True
    if text.startswith('[{"type"'):
        found = loads_or_text(text)
        return isinstance(found, list) and all(
            isinstance(one, Mapping) and {"type", "loc", "msg"} <= set(one) for one in found
        )
    if not text.startswith('{"error"'):
        return False
    value = loads_or_text(text)
    return isinstance(value, Mapping) and set(value) <= {"error", "message", "code", "status"} and bool(value["error"])


def _call_event(call: Any, *, by_user: bool = False) -> CalledEvent:
    if isinstance(call, Mapping) and isinstance(call.get("tool_call"), Mapping):
        call = call["tool_call"]
    if not isinstance(call, Mapping):
        raise RecordingError(f"a tool call is {_kind_of(call)}; it must be an object with name and arguments")
    function = inner(call, "function") or call
    name = function.get("name") or call.get("tool_name") or call.get("toolName")
    if not isinstance(name, str) or not name:
        raise RecordingError("a tool call has no name")
    keys = ("arguments", "args", "input", "parameters")
    given = next((function[key] for key in keys if key in function), None)
    return _called(_id(call), name, given, "user" if by_user or call.get("requestor") == "user" else "assistant")


def _called(id: str, name: str, given: Any, requestor: Requestor) -> CalledEvent:
    """A call; one whose arguments cannot be read says so, and the rest of its conversation is read all the same."""
    flaw = ""
    if isinstance(given, str) and given.strip():
        try:
            given = loads(given)
        except (ValueError, RecursionError):
            flaw = f"are not JSON: {given[:60]}"
    if not (flaw or given in (None, "") or isinstance(given, dict)):
        flaw = f"are {_kind_of(given)} and no object"
    return CalledEvent(id, name, given if isinstance(given, dict) else {}, requestor, flaw)


def _id(message: Mapping[str, Any], *, of_result: bool = False) -> str:
    """The id of a call. An item of the Responses API has one of its own beside it."""
    keys = ["tool_call_id", "tool_use_id", "call_id", "toolCallId"]
    if not (of_result and any(key in message for key in keys)):
        keys.append("id")
    return next((str(message[key]) for key in keys if isinstance(message.get(key), (str, int))), "")


def _prompt_text(content: Any) -> str:
    """What Pydantic AI sends: a text, or texts with what else is shown."""
    if not isinstance(content, list):
        return text_of(content)
    parts = (one if isinstance(one, str) else "[picture]" if isinstance(one, Mapping) else "" for one in content)
    return "\n".join(part for part in parts if part)


def is_block(value: Any) -> bool:
    """Whether a value is a piece of a content: a text, or something that is shown. A tool's record may have a type."""
    if not isinstance(value, Mapping):
        return False
    kind = str(value.get("type"))
    return kind in _SKIPPED or not _BLOCKS.get(kind, frozenset()).isdisjoint(value)


def is_call_block(value: Any) -> bool:
    """Whether a value is a call that stands among the pieces of a content."""
    return isinstance(value, Mapping) and value.get("type") in _CALLS


def _block_text(block: Mapping[str, Any]) -> str | None:
    """What a block says; None where it is of another kind."""
    block = inner(block, "message_content") or block  # OpenInference puts a level around it
    kind = block.get("type")
    if not block or kind in _SKIPPED or block.get("thought") is True:
        return ""
    if kind in _PICTURES:
        return "[picture]"
    text = next((block[key] for key in ("text", "content", "refusal") if key in block), None)
    if isinstance(text, Mapping):
        text = text.get("value")
    return text if isinstance(text, str) else "" if kind in _TEXTS else None


def _kind_of(value: Any) -> str:
    kinds = {type(None): "null", str: "a text", list: "a list", dict: "an object", bool: "true or false"}
    return kinds.get(type(value), "a number")
