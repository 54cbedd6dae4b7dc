"""Chat completions: what the endpoint's requests become, whatever API they come by."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from ..protocol import ModelReply
from ..replies import refusal_in
from .asking import (
    ABOUT_THE_ANSWER,
    Body,
    Event,
    Refused,
    function_call,
    new_id,
    object_of,
    refuse_field,
    refuse_strangers,
)

PATH = "/chat/completions"
# What our client takes by name; all else of a request is a parameter of the model.
NAMED = frozenset({"model", "messages", "tools", "tool_choice", "seed", "response_format"})
# How to sample and to route. Whatever else a request holds could say where the model is, or with whose key it is asked.
_SAMPLING = frozenset(
    {
        "temperature",
        "top_p",
        "top_k",
        "min_p",
        "max_tokens",
        "max_completion_tokens",
        "stop",
        "presence_penalty",
        "frequency_penalty",
        "repetition_penalty",
        "logit_bias",
        "parallel_tool_calls",
        "reasoning_effort",
        "reasoning",
        "chat_template_kwargs",
        "provider",
        "thinking",
        "verbosity",
        "modalities",
        "prediction",
        "service_tier",
        "metadata",
        "user",
        "safety_identifier",
        "prompt_cache_key",
    }
)
_UNKEPT = {
    "n": "one completion is given for a request",
    "logprobs": "the probabilities of tokens are not kept",
    "top_logprobs": "the probabilities of tokens are not kept",
}
_OBJECTS = {
    "stream_options": "are not an object",
    "response_format": 'is not an object: write {"type": "json_object"}, for example',
    "metadata": "are not an object",
}
_BROKEN_OFF = frozenset({"length", "content_filter"})


class ChatRequest:
    """A request for a chat completion; raises Refused for what is none."""

    def __init__(self, body: Any) -> None:
        self._body = object_of(body)
        check(self._body)
        self._id, self._created = new_id("chatcmpl"), int(time.time())

    @property
    def chat(self) -> Body:
        """The request itself."""
        return {name: value for name, value in self._body.items() if name not in ABOUT_THE_ANSWER | _UNKEPT.keys()}

    def answer(self, reply: ModelReply) -> Body:
        """The whole completion."""
        choice = {"index": 0, "message": _told(reply), "finish_reason": finish_of(reply)}
        return self._object("chat.completion", choices=[choice], usage=_usage(reply))

    def stream(self, reply: ModelReply) -> Iterator[Event]:
        """The completion in pieces: who speaks, the text, each call and then its arguments, and the end."""
        for delta in _deltas(_told(reply)):
            yield self._chunk([{"index": 0, "delta": delta, "finish_reason": None}])
        yield self._chunk([{"index": 0, "delta": {}, "finish_reason": finish_of(reply)}])
        if (self._body.get("stream_options") or {}).get("include_usage"):
            yield self._chunk([], usage=_usage(reply))
        yield Event("[DONE]")

    def _chunk(self, choices: list[Body], **parts: Any) -> Event:
        return Event(self._object("chat.completion.chunk", choices=choices, **parts))

    def _object(self, kind: str, **parts: Any) -> Body:
        return {"id": self._id, "object": kind, "created": self._created, "model": self._body["model"], **parts}


def check(body: Body) -> None:
    """Raise Refused for what is no request for one completion."""
    messages, tools = body.get("messages"), body.get("tools") or []
    if not isinstance(messages, list) or not messages or not all(isinstance(message, dict) for message in messages):
        raise Refused(400, "the request has no list of messages")
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise Refused(400, "the tools of the request are not a list of objects")
    for name, why in _UNKEPT.items():
        if body.get(name) != 1 or name != "n":
            refuse_field(body, name, why)
    refuse_strangers(body, NAMED | ABOUT_THE_ANSWER | _UNKEPT.keys() | _SAMPLING)
    for name, sentence in _OBJECTS.items():
        if not isinstance(body.get(name) or {}, dict):
            raise Refused(400, f"the {name} of the request {sentence}")


def calls_of(reply: ModelReply) -> list[tuple[str, str, str]]:
    """Id, name and arguments, as text, of the calls in a reply.

    Calls that nobody can carry out are there as the model wrote them: what repairs them is the agent's.
    """
    if reply.broken_calls:
        return [(call["id"], call["name"], call["arguments"]) for call in reply.broken_calls]
    return [(call.id, call.name, json.dumps(call.arguments, ensure_ascii=False)) for call in reply.tool_calls or []]


def message_of(reply: ModelReply) -> Body:
    """A reply as a message of a chat."""
    message: Body = {"role": "assistant", "content": reply.content}
    if reply.thoughts:
        message["reasoning_content"] = reply.thoughts
    if blocks := reply.thinking.get("thinking_blocks"):
        message["thinking_blocks"] = blocks
    if calls := calls_of(reply):
        message["tool_calls"] = [function_call(*call) for call in calls]
    return message


def _told(reply: ModelReply) -> Body:
    """The message as the client gets it: a refusal is for the client, and nothing to send on to a model."""
    refusal = refusal_in(reply.problem)
    return {**message_of(reply), **({} if refusal is None else {"refusal": refusal})}


def finish_of(reply: ModelReply) -> str:
    """Why the answer ended, in the words of chat completions: that it was broken off comes before what is in it."""
    if reply.finish_reason in _BROKEN_OFF:
        return str(reply.finish_reason)
    return "tool_calls" if calls_of(reply) else "stop"


def _deltas(message: Body) -> Iterator[Body]:
    yield {"role": "assistant", "content": ""}
    for name in ("reasoning_content", "thinking_blocks", "content", "refusal"):
        if message.get(name):
            yield {name: message[name]}
    for index, call in enumerate(message.get("tool_calls", [])):
        yield {"tool_calls": [{**call, "index": index, "function": {**call["function"], "arguments": ""}}]}
        yield {"tool_calls": [{"index": index, "function": {"arguments": call["function"]["arguments"]}}]}


def tokens_of(reply: ModelReply) -> tuple[int, int, int]:
    """How many tokens were read, of these from a cache, and written; zeros where the provider did not say."""
    usage = reply.usage
    return (usage.prompt_tokens, usage.cached_tokens or 0, usage.completion_tokens) if usage else (0, 0, 0)


def _usage(reply: ModelReply) -> Body:
    prompt, cached, completion = tokens_of(reply)
    return {
        "prompt_tokens": prompt,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
