"""Between our messages and the chats of models: the only place that knows both forms.

:func:`to_chat` shows a conversation to the model of one side, :class:`Speaker` asks that model and bills what it said.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ..files import refuse_constant
from ..schema.messages import (
    FINISH,
    LEAKED,
    PROBLEM,
    THINKING,
    THOUGHT,
    AnyMessage,
    AssistantMessage,
    Attachment,
    Requestor,
    SpokenMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    attachments_of,
)
from ..schema.spending import Spending, total_spent
from ..schema.values import json_values
from .encoding import encode_json
from .protocol import ModelClient, ModelReply
from .retry import ProviderError

_FENCE = re.compile(r"```\w*\s*")
_AFTER_FENCE, _LONGEST_FENCE = re.compile(r"```\w*\s*\Z"), 40
# Of braces that open nothing: each costs time, and garbage has thousands.
_MOST_FAILURES = 100
_OPENS = re.compile(r"[{\[]")
RAW = "output"
"""Of a message's raw_data: what its model wrote, where that is not its content."""
_EMPTY = "the reply holds nothing that can be said or called"

Chat = list[dict[str, Any]]
M = TypeVar("M", AssistantMessage, UserMessage)


def system(text: str) -> dict[str, Any]:
    """The message that opens a chat."""
    return {"role": "system", "content": text}


def user(text: str) -> dict[str, Any]:
    """A message that the model is to answer."""
    return {"role": "user", "content": text}


Entries = dict[int, tuple[AnyMessage, dict[str, Any] | None]]
"""Messages with what stands in a chat for them, by the identity of the message."""


def to_chat(messages: Iterable[AnyMessage], side: Requestor, written: Entries | None = None) -> Chat:
    """The conversation as the model that plays ``side`` reads it: its own words are the assistant's.

    ``written``: kept by who asks turn after turn, so that what was said before is not written again.
    """
    chat: Chat = []
    returned: list[Attachment] = []
    written = {} if written is None else written
    for message in messages:
        if id(message) not in written:
            written[id(message)] = message, _entry(message, side)
        entry = written[id(message)][1]
        if isinstance(message, ToolMessage):
            returned += message.attachments or []
        else:
            chat += _pictures(returned)
            returned = []
        chat += [] if entry is None else [entry]
    return [*chat, *_pictures(returned)]


def mark_for_cache(chat: Sequence[Mapping[str, Any]]) -> Chat:
    """A chat for a provider that caches only what is marked: up to the system prompt, and up to the last message.

    The next request of the conversation has all of it in front, so its mark is found again.
    """
    last = len(chat) - 1
    return [_mark_for_cache(one) if at in (0, last) else dict(one) for at, one in enumerate(chat)]


def _mark_for_cache(message: Mapping[str, Any]) -> dict[str, Any]:
    parts = message.get("content")
    if isinstance(parts, list) and parts:
        return {**message, "content": [*parts[:-1], {**parts[-1], **_CACHE_MARK}]}
    return {**message, **_CACHE_MARK}


_CACHE_MARK = {"cache_control": {"type": "ephemeral"}}


def _pictures(returned: Sequence[Attachment]) -> Chat:
    """Pictures that tools returned: results hold texts only, so they follow the last of them."""
    if not returned:
        return []
    names = ", ".join(one.file_name for one in returned)
    return [with_pictures(f"The pictures of the results above: {names}", returned)]


def with_pictures(text: str, pictures: Sequence[Attachment]) -> dict[str, Any]:
    """A message that the model is to answer, in parts where there are pictures: the text, then these in order."""
    if not pictures:
        return user(text)
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    parts += [{"type": "image_url", "image_url": {"url": one.uri}} for one in pictures]
    return {"role": "user", "content": parts}


def _entry(message: AnyMessage, side: Requestor) -> dict[str, Any] | None:
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": message.id, "content": message.content or ""}
    if message.role != side:
        pictures = attachments_of(message)
        return with_pictures(message.text, pictures) if message.text or pictures else None
    entry: dict[str, Any] = {"role": "assistant", "content": raw_output(message) or _marked_text(message)}
    if message.tool_calls:
        entry["tool_calls"] = [_call(call) for call in message.tool_calls]
        entry |= (message.raw_data or {}).get(THINKING) or {}
    return entry


def _marked_text(message: SpokenMessage) -> str | None:
    """The text as its model wrote it, with the marks by which it sent pictures."""
    marks = [f"[attach: {one.id}]" for one in attachments_of(message)]
    return " ".join([*filter(None, [message.content]), *marks]) if marks else message.content


def _call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
    }


def raw_output(message: SpokenMessage) -> str | None:
    """What a model wrote to say this message, where that is not its content: with its thoughts, for example."""
    raw = (message.raw_data or {}).get(RAW)
    return raw if isinstance(raw, str) else None


def json_value(text: str) -> Any:
    """The JSON value that a model wrote, fenced or not, whatever follows it; None where there is none."""
    text = text.strip()
    fence = _FENCE.search(text)
    # Of a text that opens with the value, what is fenced behind it is an example.
    starts = [0] if fence is None or text.startswith(("{", "[")) else []
    for start in [*starts, *([] if fence is None else [fence.end()])]:
        try:
            return _decode(text, start)[0]
        except (ValueError, RecursionError):
            continue
    return None


def json_answer(text: str) -> Any:
    """What a model that was asked for JSON answered: the value that opens the text, else the last that is fenced.

    Without a fence the last object among its words. The last one: what it wrote before that, it wrote while it thought.
    """
    located = list(_located_values(text))
    if not located:
        return json_value(text)
    if not text[: located[0][0]].strip():
        return located[0][1]
    if fenced := [one for begin, one in located if _AFTER_FENCE.search(text, max(0, begin - _LONGEST_FENCE), begin)]:
        return fenced[-1]
    return next((one for _, one in reversed(located) if isinstance(one, dict)), located[-1][1])


def json_values_in(text: str) -> Iterator[Any]:
    """The JSON objects and lists that stand in a text one after the other, whatever is between them."""
    return (value for _, value in _located_values(text))


def _located_values(text: str) -> Iterator[tuple[int, Any]]:
    at = 0
    failed = 0
    while failed < _MOST_FAILURES and (begin := _OPENS.search(text, at)) is not None:
        try:
            value, at = _decode(text, begin.start())
        except (ValueError, RecursionError):
            at, failed = begin.end(), failed + 1
            continue
        yield begin.start(), value


def _decode(text: str, start: int) -> tuple[Any, int]:
    """The value that begins there, as files can hold it, and where it ends; raises ValueError and RecursionError."""
    value, end = _DECODER.raw_decode(text, start)
    return json_values(value), end


_DECODER = json.JSONDecoder(parse_constant=refuse_constant)


def prompt_version(*texts: str) -> str:
    """A short name for these very texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:8]


class Speaker:
    """A player's line to its model, for one trial.

    ``wasted``: what was billed for calls that failed for good; that of a player ends its trial, which bills it itself.
    """

    def __init__(self, client: ModelClient, *, seed: int | None, prompts: str) -> None:
        self._client = client
        self._seed = seed
        self._prompts = prompts
        self._sent = client.parameters
        self._asked: Counter[int] = Counter()
        self._unbilled: list[ModelReply] = []
        self.wasted: list[Spending] = []

    @property
    def parameters(self) -> dict[str, Any]:
        """The model, the parameters that were really sent, and the version of our prompts."""
        return {"model": self._client.model, **self._sent, "prompts": self._prompts}

    async def ask(self, chat: Sequence[dict[str, Any]], **options: Any) -> ModelReply:
        """Ask for the next message; the same chat asked again gets another seed, or it would get the same reply."""
        try:
            reply = await self._client.complete(chat, seed=self._next_seed(chat), **options)
        except ProviderError as error:
            self.wasted += error.spent
            raise
        self._sent = reply.parameters or self._sent
        self._unbilled.append(reply)
        return reply

    def _next_seed(self, chat: Sequence[dict[str, Any]]) -> int | None:
        if self._seed is None:
            return None
        key = hash(encode_json(chat))
        seed = self._seed + self._asked[key]
        self._asked[key] += 1
        return seed

    def bill(self) -> list[ModelReply]:
        """Everything asked since the last bill."""
        asked, self._unbilled = self._unbilled, []
        return asked

    def say(
        self,
        cls: type[M],
        content: str | None,
        calls: list[ToolCall] | None = None,
        raw: str | None = None,
        problem: str | None = None,
    ) -> M:
        """A message that bears the cost of everything asked for it.

        Args:
            cls: whose message.
            content: its text.
            calls: its calls.
            raw: what the model wrote, where that is not the text.
            problem: why it is empty; by default what the last reply says of that.
        """
        asked = self.bill()
        last = asked[-1] if asked else None
        if last is not None and not calls and not (content and content.strip()):
            problem = problem or last.problem or _EMPTY
        finish = last.finish_reason if last is not None and last.finish_reason == "length" else None
        thoughts = "\n".join(reply.thoughts for reply in asked if reply.thoughts) or None
        leaked = True if any(reply.leaked for reply in asked) else None
        thinking = (last.thinking if last is not None and calls else None) or None
        notes = {RAW: raw, PROBLEM: problem, FINISH: finish, THOUGHT: thoughts, LEAKED: leaked, THINKING: thinking}
        return cls(
            content=content,
            tool_calls=calls,
            raw_data=json_values({name: note for name, note in notes.items() if note is not None}) or None,
            generation_time_seconds=round(sum(reply.seconds for reply in asked), 6),
            **total_spent(asked),
        )

    def pass_on(self, cls: type[M], reply: ModelReply) -> M:
        """A reply as it is; an empty message, which the driver asks for again, where it is no usable one."""
        if reply.problem:
            return self.say(cls, None, problem=reply.problem)
        return self.say(cls, reply.content, reply.tool_calls)


class ModelPlayer:
    """A player that asks a model, through its ``_speaker``."""

    _speaker: Speaker

    @property
    def parameters(self) -> dict[str, Any]:
        """The model, its effective parameters and the version of the prompts."""
        return self._speaker.parameters

    def take_unbilled(self) -> list[ModelReply]:
        """What was asked for a message that never came, as a later call for it failed."""
        return self._speaker.bill()
