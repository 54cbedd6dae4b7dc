"""The Messages API, as Anthropic's clients speak it: blocks in, blocks out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ...files import loads
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
    refuse_strangers,
    text_or_parts,
)
from .chat import calls_of, check, finish_of, tokens_of

PATH = "/messages"
_SAME = {"model", "max_tokens", "temperature", "top_p", "top_k", "thinking"}
_READ = {"messages", "system", "tools", "tool_choice", "stop_sequences"}
_NO_MATTER = {"metadata", "service_tier", "cache_control"}
_CHOICES = {"auto": "auto", "any": "required", "none": "none"}
# Blocks that are no content of a chat's message; what is none of them is, or is refused.
_APART = ("tool_result", "tool_use", "thinking", "redacted_thinking")
_ENDS = {"length": "max_tokens", "content_filter": "refusal", "tool_calls": "tool_use", "stop": "end_turn"}


class MessagesRequest:
    """A request for a message; raises Refused for what is none."""

    def __init__(self, body: Any) -> None:
        self._body = object_of(body)
        refuse_strangers(self._body, {*_SAME, *_READ, *_NO_MATTER, *ABOUT_THE_ANSWER})
        self.chat = self._as_chat()
        check(self.chat)

    def _as_chat(self) -> Body:
        body = self._body
        system = body.get("system")
        first = [{"role": "system", "content": _content_of(system)}] if system else []
        said = [part for one in list_of_objects(body.get("messages"), "the messages") for part in _messages_of(one)]
        choice = body.get("tool_choice")
        given = {
            **{name: body[name] for name in _SAME & body.keys()},
            "messages": [*first, *said],
            "tools": [_tool_of(tool) for tool in list_of_objects(body.get("tools") or [], "the tools")] or None,
            "tool_choice": _choice_of(choice) if isinstance(choice, dict) else None,
            "parallel_tool_calls": False
            if isinstance(choice, dict) and choice.get("disable_parallel_tool_use")
            else None,
            "stop": body.get("stop_sequences"),
        }
        return {name: value for name, value in given.items() if value is not None}

    def answer(self, reply: ModelReply) -> Body:
        """The whole message."""
        read, cached, written = tokens_of(reply)
        return {
            "id": new_id("msg"),
            "type": "message",
            "role": "assistant",
            "model": self._body["model"],
            "content": _blocks_of(reply),
            "stop_reason": _ENDS[finish_of(reply)] if refusal_in(reply.problem) is None else "refusal",
            "stop_sequence": None,
            "usage": {
                "input_tokens": read - cached,
                "output_tokens": written,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": cached,
            },
        }

    def stream(self, reply: ModelReply) -> Iterator[Event]:
        """The message as the events of a stream."""
        whole = self.answer(reply)
        usage = {**whole["usage"], "output_tokens": 0}
        yield _event("message_start", message={**whole, "content": [], "stop_reason": None, "usage": usage})
        for index, block in enumerate(whole["content"]):
            begun, deltas = _pieces_of(block)
            yield _event("content_block_start", index=index, content_block=begun)
            for delta in deltas:
                yield _event("content_block_delta", index=index, delta=delta)
            yield _event("content_block_stop", index=index)
        ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        yield _event("message_delta", delta=ended, usage=whole["usage"])
        yield _event("message_stop")


def error_of(refused: Refused) -> Body:
    """A refusal in the API's form."""
    return {"type": "error", "error": {"type": refused.kind, "message": str(refused)}}


def _event(kind: str, **parts: Any) -> Event:
    return Event({"type": kind, **parts}, kind)


def _messages_of(message: Body) -> Iterator[Body]:
    """A message as those of a chat: results of tools stand alone there, and before what is said with them."""
    role, content = str(message.get("role")), message.get("content")
    if isinstance(content, str):
        yield {"role": role, "content": content}
        return
    blocks = list_of_objects(content, "the blocks")
    for block in blocks:
        if block.get("type") == "tool_result":
            said = _content_of(block.get("content") or "")
            yield {"role": "tool", "tool_call_id": block.get("tool_use_id"), "content": said}
    calls = [
        function_call(block.get("id"), block.get("name"), json.dumps(block.get("input"), ensure_ascii=False))
        for block in blocks
        if block.get("type") == "tool_use"
    ]
    thoughts = "\n".join(str(block.get("thinking")) for block in blocks if block.get("type") == "thinking")
    signed = [block for block in blocks if block.get("signature") or block.get("type") == "redacted_thinking"]
    rest = _content_of([block for block in blocks if block.get("type") not in _APART])
    if rest or calls:
        noted = {"tool_calls": calls, "reasoning_content": thoughts, "thinking_blocks": signed}
        yield {"role": role, "content": rest or None, **{name: one for name, one in noted.items() if one}}


def _content_of(content: Any) -> str | list[Body]:
    if isinstance(content, str):
        return content
    parts: list[Body] = []
    for block in list_of_objects(content, "the blocks"):
        kind, source = block.get("type"), block.get("source")
        if kind == "text":
            parts.append({"type": "text", "text": str(block.get("text") or "")})
        elif kind == "image" and isinstance(source, dict):
            inside = f"data:{source.get('media_type')};base64,{source.get('data')}"
            parts.append({"type": "image_url", "image_url": {"url": source.get("url") or inside}})
        else:
            raise Refused(400, f"a block of the type {str(kind)[:60]!r} means nothing to a chat model: leave it out")
    return text_or_parts(parts)


def _tool_of(tool: Body) -> Body:
    if tool.get("type") not in (None, "custom"):
        raise Refused(400, f"a tool of the type {str(tool.get('type'))[:60]!r} runs at a provider: leave it out")
    return function_tool(tool.get("name"), tool.get("description"), tool.get("input_schema"))


def _choice_of(choice: Body) -> Any:
    if choice.get("type") == "tool":
        return {"type": "function", "function": {"name": choice.get("name")}}
    return _CHOICES.get(str(choice.get("type")))


def _blocks_of(reply: ModelReply) -> list[Body]:
    blocks: list[Body] = []
    if signed := reply.thinking.get("thinking_blocks"):
        blocks += signed
    elif reply.thoughts:
        blocks.append({"type": "thinking", "thinking": reply.thoughts, "signature": ""})
    if said := reply.content or refusal_in(reply.problem):
        blocks.append({"type": "text", "text": said})
    for id, name, arguments in calls_of(reply):
        blocks.append({"type": "tool_use", "id": id, "name": name, "input": _input_of(arguments)})
    return blocks


def _input_of(arguments: str) -> Body:
    try:
        found = loads(arguments)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {"arguments": arguments}  # an input is an object, whatever was written


def _pieces_of(block: Body) -> tuple[Body, list[Body]]:
    """A block as it begins, and what is added to it."""
    if block["type"] == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": block["text"]}]
    if block["type"] == "thinking":
        signed = [{"type": "signature_delta", "signature": block["signature"]}] if block.get("signature") else []
        thought = {"type": "thinking_delta", "thinking": block["thinking"]}
        return {**block, "thinking": "", "signature": ""}, [thought, *signed]
    if block["type"] != "tool_use":
        return block, []
    written = json.dumps(block["input"], ensure_ascii=False)
    return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": written}]
