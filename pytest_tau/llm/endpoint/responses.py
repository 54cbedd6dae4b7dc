"""The Responses API: items in, items out, and the responses that a later request goes on from."""

from __future__ import annotations

import time
from collections.abc import Iterator, MutableMapping
from typing import Any

from ..protocol import ModelReply
from ..replies import refusal_in
from .asking import (
    ABOUT_THE_ANSWER,
    Body,
    Event,
    Refused,
    function_call,
    function_tool,
    list_of_objects,
    new_id,
    object_of,
    refuse_field,
    refuse_strangers,
    text_or_parts,
)
from .chat import calls_of, check, message_of, tokens_of

PATH = "/responses"
# Sent on under the same name.
_SAME = {
    "model",
    "temperature",
    "top_p",
    "parallel_tool_calls",
    "user",
    "safety_identifier",
    "metadata",
    "service_tier",
    "prompt_cache_key",
}
# Read here, or of no meaning where nothing is kept at a provider.
_READ = {"input", "instructions", "tools", "tool_choice", "text", "reasoning", "max_output_tokens"}
_NO_MATTER = {"include", "previous_response_id", "prompt_cache_retention"}
_UNDONE = {
    "background": "responses are answered at once",
    "conversation": "no conversations are kept here",
    "prompt": "no prompts are kept here",
    "max_tool_calls": "tools are called by the agent alone",
    "top_logprobs": "the probabilities of tokens are not kept",
}
_TEXTS = ("input_text", "output_text", "text")


class ResponsesRequest:
    """A request for a response; raises Refused for what is none.

    Args:
        body: the request.
        kept: the chats of this trial's earlier responses, and their items, by id; those of this response join them.
    """

    def __init__(self, body: Any, kept: MutableMapping[str, list[Body]]) -> None:
        self._body = object_of(body)
        self._kept = kept
        self._id = new_id("resp")
        for name, why in _UNDONE.items():
            refuse_field(self._body, name, why)
        if self._body.get("truncation") not in (None, "disabled"):
            raise Refused(400, "nothing is cut out of a request here: leave truncation out")
        refuse_strangers(self._body, {*_SAME, *_READ, *_NO_MATTER, *_UNDONE, *ABOUT_THE_ANSWER, "truncation"})
        self._messages = [*self._earlier(), *_messages_of(self._looked_up(self._body.get("input")))]
        self.chat = self._as_chat()
        check(self.chat)

    def _earlier(self) -> list[Body]:
        before = self._body.get("previous_response_id")
        if before is None:
            return []
        if not isinstance(before, str) or before not in self._kept:
            raise Refused(400, f"this trial has had no response {str(before)[:60]!r}", "previous_response_not_found")
        return self._kept[before]

    def _looked_up(self, given: Any) -> Any:
        """The input with the items that it only refers to."""
        if isinstance(given, str):
            return given
        items = list_of_objects(given, "the input items")
        return [self._kept.get(_key(item), [item])[0] if _refers(item) else item for item in items]

    def _as_chat(self) -> Body:
        body = self._body
        instructions = body.get("instructions")
        first = [{"role": "system", "content": instructions}] if isinstance(instructions, str) else []
        reasoning = body.get("reasoning")
        given = {
            **{name: body[name] for name in _SAME & body.keys()},
            "messages": [*first, *self._messages],
            "tools": [_tool_of(tool) for tool in list_of_objects(body.get("tools") or [], "the tools")] or None,
            "tool_choice": _choice_of(body.get("tool_choice")),
            "response_format": _format_of(body.get("text")),
            "verbosity": body["text"].get("verbosity") if isinstance(body.get("text"), dict) else None,
            "reasoning_effort": reasoning.get("effort") if isinstance(reasoning, dict) else None,
            "max_tokens": body.get("max_output_tokens"),
        }
        return {name: value for name, value in given.items() if value is not None}

    def answer(self, reply: ModelReply) -> Body:
        """The response, which a later request can go on from."""
        items = _items_of(reply)
        # A refusal is a text to the model that goes on from it, as it is where the client sends the item.
        message = {**message_of(reply), "content": reply.content or refusal_in(reply.problem)}
        self._kept[self._id] = [*self._messages, message]
        self._kept.update((_key(item), [item]) for item in items)
        return self._response(reply, items, _status(reply))

    def stream(self, reply: ModelReply) -> Iterator[Event]:
        """The response as the events of a stream."""
        whole = self.answer(reply)
        begun = {**whole, "output": [], "status": "in_progress", "usage": None, "incomplete_details": None}
        last = "response.completed" if whole["status"] == "completed" else "response.incomplete"
        events: list[Body] = [
            {"type": "response.created", "response": begun},
            {"type": "response.in_progress", "response": begun},
        ]
        for index, item in enumerate(whole["output"]):
            events += _events_of(index, item)
        events.append({"type": last, "response": whole})
        for number, event in enumerate(events):
            yield Event({**event, "sequence_number": number}, event["type"])

    def _response(self, reply: ModelReply, items: list[Body], status: str) -> Body:
        body = self._body
        read, cached, written = tokens_of(reply)
        return {
            "id": self._id,
            "object": "response",
            "created_at": int(time.time()),
            "status": status,
            "error": None,
            "incomplete_details": None if status == "completed" else {"reason": _why_cut(reply)},
            "instructions": body.get("instructions"),
            "max_output_tokens": body.get("max_output_tokens"),
            "metadata": body.get("metadata") or {},
            "model": body["model"],
            "output": items,
            "parallel_tool_calls": body.get("parallel_tool_calls", True),
            "previous_response_id": body.get("previous_response_id"),
            "reasoning": body.get("reasoning") or {"effort": None, "summary": None},
            "temperature": body.get("temperature"),
            "text": body.get("text") or {"format": {"type": "text"}},
            "tool_choice": body.get("tool_choice") or "auto",
            "tools": body.get("tools") or [],
            "top_p": body.get("top_p"),
            "truncation": "disabled",
            "usage": {
                "input_tokens": read,
                "input_tokens_details": {"cached_tokens": cached},
                "output_tokens": written,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": read + written,
            },
        }


def _messages_of(given: Any) -> list[Body]:
    """The input of a request as messages of a chat; calls join the message before them, as one message made them."""
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    found: list[Body] = []
    thoughts = ""
    for item in list_of_objects(given, "the input items"):
        if item.get("type") == "reasoning":
            thoughts += _thoughts_of(item)
            continue
        message = _message_of(item)
        if message["role"] == "assistant":
            if thoughts:
                message["reasoning_content"], thoughts = thoughts, ""
            if found and found[-1]["role"] == "assistant" and "tool_calls" in message:
                found[-1]["tool_calls"] = [*found[-1].get("tool_calls", []), *message["tool_calls"]]
                continue
        found.append(message)
    return found


def _key(item: Body) -> str:
    """Under what an item is kept, where no response is."""
    return f"item {item.get('id')}"


def _refers(item: Body) -> bool:
    return item.get("type") == "item_reference"


def _message_of(item: Body) -> Body:
    kind = item.get("type", "message")
    if _refers(item):
        raise Refused(400, f"this trial has had no item {str(item.get('id'))[:60]!r}", "item_not_found")
    if kind == "message":
        role = str(item.get("role"))
        return {"role": "system" if role == "developer" else role, "content": _content_of(item.get("content"))}
    if kind == "function_call":
        call = function_call(item.get("call_id"), item.get("name"), str(item.get("arguments")))
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    if kind == "function_call_output":
        return {"role": "tool", "tool_call_id": item.get("call_id"), "content": _content_of(item.get("output"))}
    raise Refused(400, f"an input item of the type {str(kind)[:60]!r} means nothing to a chat model: leave it out")


def _content_of(content: Any) -> str | list[Body]:
    if isinstance(content, str):
        return content
    parts: list[Body] = []
    for part in list_of_objects(content, "the parts"):
        kind = part.get("type")
        if kind in _TEXTS or kind == "refusal":
            parts.append({"type": "text", "text": str(part.get("refusal" if kind == "refusal" else "text") or "")})
        elif kind == "input_image" and isinstance(part.get("image_url"), str):
            parts.append({"type": "image_url", "image_url": {"url": part["image_url"]}})
        else:
            raise Refused(400, f"a part of the type {str(kind)[:60]!r} means nothing to a chat model: leave it out")
    return text_or_parts(parts)


def _thoughts_of(item: Body) -> str:
    parts = [part for name in ("content", "summary") for part in list_of_objects(item.get(name) or [], "the thoughts")]
    return "\n".join(str(part.get("text")) for part in parts if part.get("text"))


def _tool_of(tool: Body) -> Body:
    if tool.get("type") != "function":
        raise Refused(400, f"a tool of the type {str(tool.get('type'))[:60]!r} runs at a provider: leave it out")
    return function_tool(tool.get("name"), tool.get("description"), tool.get("parameters"), tool.get("strict"))


def _choice_of(choice: Any) -> Any:
    if not isinstance(choice, dict):
        return choice
    if choice.get("type") != "function":
        raise Refused(400, f"a tool_choice of the type {str(choice.get('type'))[:60]!r} is not passed on: leave it out")
    return {"type": "function", "function": {"name": choice.get("name")}}


def _format_of(text: Any) -> Body | None:
    form = text.get("format") if isinstance(text, dict) else None
    if not isinstance(form, dict) or form.get("type") in (None, "text"):
        return None
    if form["type"] != "json_schema":
        return {"type": form["type"]}
    given = {name: form.get(name) for name in ("name", "schema", "strict", "description")}
    return {"type": "json_schema", "json_schema": {name: one for name, one in given.items() if one is not None}}


def _items_of(reply: ModelReply) -> list[Body]:
    items: list[Body] = []
    if reply.thoughts:
        content = [{"type": "reasoning_text", "text": reply.thoughts}]
        items.append({"type": "reasoning", "id": new_id("rs"), "summary": [], "content": content})
    calls = calls_of(reply)
    status = "incomplete" if reply.finish_reason == "length" else "completed"
    if reply.content or not calls:
        said: Body = {"type": "output_text", "text": reply.content or "", "annotations": [], "logprobs": []}
        if refusal := refusal_in(reply.problem):
            said = {"type": "refusal", "refusal": refusal}
        items.append({"type": "message", "id": new_id("msg"), "role": "assistant", "status": status, "content": [said]})
    for number, (id, name, arguments) in enumerate(calls, 1):
        how = status if number == len(calls) else "completed"
        call = {"call_id": id, "name": name, "arguments": arguments, "status": how}
        items.append({"type": "function_call", "id": new_id("fc"), **call})
    return items


def _status(reply: ModelReply) -> str:
    return "incomplete" if reply.finish_reason in ("length", "content_filter") else "completed"


def _why_cut(reply: ModelReply) -> str:
    return "content_filter" if reply.finish_reason == "content_filter" else "max_output_tokens"


def _events_of(index: int, item: Body) -> list[Body]:
    """The events of one item of the output."""
    at = {"output_index": index, "item_id": item["id"]}
    empty = {**item, "status": "in_progress"}
    inner: list[Body] = []
    if item["type"] == "function_call":
        empty["arguments"], kind = "", "response.function_call_arguments"
        inner = [
            {"type": f"{kind}.delta", **at, "delta": item["arguments"]},
            {"type": f"{kind}.done", **at, "arguments": item["arguments"], "name": item["name"]},
        ]
    elif item["type"] == "message":
        empty["content"], [part] = [], item["content"]
        at["content_index"] = 0
        kind, name = ("refusal", "refusal") if part["type"] == "refusal" else ("output_text", "text")
        beside: Body = {} if kind == "refusal" else {"logprobs": []}
        inner = [
            {"type": "response.content_part.added", **at, "part": {**part, name: ""}},
            {"type": f"response.{kind}.delta", **at, "delta": part[name], **beside},
            {"type": f"response.{kind}.done", **at, name: part[name], **beside},
            {"type": "response.content_part.done", **at, "part": part},
        ]
    else:
        empty = item
    return [
        {"type": "response.output_item.added", "output_index": index, "item": empty},
        *inner,
        {"type": "response.output_item.done", "output_index": index, "item": item},
    ]
