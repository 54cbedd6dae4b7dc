"""Recorded model calls: a trial's exchanges with its models are kept, and answered from there another time.

Replay is strict. A recorded reply is given only to the very request that it was the reply to: the role, the model, its
parameters, the seed, the tools and every message. Each recorded reply is given once. Anything else fails the trial.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from ..errors import CassetteError
from ..scrub import conceal, known_secrets, public
from .difference import difference, nearest
from .pictures import hash_picture
from .protocol import ChatMessage, ModelClient, ModelReply, Role
from .tape import AGAIN, RecordedCall, Request, Tape, TrialKey

Mode = Literal["record", "replay", "auto"]

# Where a model runs and who pays for it: a recording made there is played anywhere.
_PLACE = frozenset({"api_base", "base_url", "organization", "vertex_project", "vertex_location", "aws_region_name"})
# Shorter texts are easier to read where they are.
_SHARED_LENGTH = 200
_LONG_PROMPT = 1000


class Cassette:
    """The recording of one trial. In ``replay`` nothing else answers; ``auto`` asks the model from the first request on
    that is not the recorded one, and records that; ``record`` asks it always, and begins the file anew.

    Args:
        root: the folder of all recordings.
        key: the trial.
        mode: what to do.
        texts: long texts that requests are likely to hold, such as the policy, to be stored once.
        secrets: what must not be written, besides the secrets of the environment.
    """

    def __init__(
        self, root: Path, key: TrialKey, mode: Mode, *, texts: Iterable[str] = (), secrets: Iterable[str] = ()
    ) -> None:
        self._tape = Tape(root, key)
        self._shown = self._tape.path.relative_to(root.parent)
        self._key = key
        self._mode = mode
        self._texts = [text for text in texts if len(text) >= _SHARED_LENGTH]
        self._secrets = known_secrets(secrets)
        self._lock = threading.Lock()
        self._asks_the_model = mode == "record"
        self._unused: list[RecordedCall] | None = None
        self._used: list[RecordedCall] = []
        self._goes_on = False
        self._file_is_ours = False

    def client(self, client: ModelClient, role: Role) -> ModelClient:
        """The model, as one role of this trial is to ask it."""
        return _Recorded(self, client, role)

    def go_on(self) -> None:
        """Keep all that is recorded, and record only what it lacks: the conversation is over, and not played again."""
        if self._mode != "replay":
            self._goes_on, self._asks_the_model = True, False

    def request(self, role: Role, client: ModelClient, messages: Sequence[ChatMessage], **options: Any) -> Request:
        """A request as it is stored: without keys and places, long texts by their hash."""
        tools = options.pop("tools")
        given = {
            "model": client.model,
            "parameters": _portable(client.parameters),
            "tools": self._tools(tools) if tools else None,
            **options,
        }
        kept = {name: _map_texts(value, self._short) for name, value in given.items() if value not in (None, {})}
        return Request(role, kept, [self._message(message) for message in messages])

    def answer(self, request: Request) -> ModelReply | None:
        """The recorded reply; None when the model is to be asked.

        Raises:
            CassetteError: the request is not the recorded one, or there is no recording.
        """
        with self._lock:
            if self._asks_the_model:
                return None
            return self._find_recording(request)

    def _find_recording(self, request: Request) -> ModelReply | None:
        if self._unused is None:
            found = self._tape.read()
            if found is None and self._mode == "replay":
                raise CassetteError(
                    f"there is no recording of {self._key}, {self._shown}: run the same command with "
                    "--tau-cassette record to make it"
                )
            self._unused = found or []
            if self._goes_on:
                self._used = list(self._unused)
        for number, exchange in enumerate(self._unused):
            if exchange.request == request:
                del self._unused[number]
                if not self._goes_on:
                    self._used.append(exchange)
                return exchange.reply
        if self._mode == "replay":
            raise CassetteError(self._mismatch(request))
        self._asks_the_model = not self._goes_on
        return None

    def _mismatch(self, request: Request) -> str:
        used = [exchange.request for exchange in self._used if exchange.request.role == request.role]
        left = [exchange.request for exchange in self._unused or [] if exchange.request.role == request.role]
        which = f"request {len(used) + 1} of the {request.role}"
        text = (
            f"{which} is not the recorded one in {self._shown}; if it is meant to be another, {AGAIN}"
            if left
            else f"{self._shown} ends before {which}; {AGAIN}, or the rest of it with --tau-cassette auto"
        )
        if not (left or used):
            return text
        expand = self._tape.shared.expand
        return f"{text}\n{difference(nearest(request, left or used, expand), request, expand)}"

    def keep(self, request: Request, reply: ModelReply) -> None:
        """Record what the model replied; raises CassetteError."""
        exchange = RecordedCall(request, self._stored_reply(reply))
        with self._lock:
            if self._file_is_ours:
                self._tape.append(self._used, exchange)
            else:
                # What else is in the file is of another course of the trial.
                self._tape.rewrite([*self._used, exchange])
            self._file_is_ours = True
            self._used.append(exchange)

    def _stored_reply(self, reply: ModelReply) -> ModelReply:
        calls = [
            call.model_copy(
                update={
                    "id": self._clean(call.id),
                    "name": self._clean(call.name),
                    "arguments": _map_texts(call.arguments, self._clean),
                }
            )
            for call in reply.tool_calls or []
        ]
        said = {
            "content": reply.content,
            "problem": reply.problem,
            "thoughts": reply.thoughts,
            "broken_calls": reply.broken_calls,
            "thinking": reply.thinking,
            "finish_reason": reply.finish_reason,
        }
        parameters = _portable(reply.parameters)
        return replace(reply, **_map_texts(said, self._clean), tool_calls=calls or None, parameters=parameters)

    def _message(self, message: Any) -> Any:
        stored = _map_texts(message, self._short)
        if isinstance(stored, dict) and stored.get("role") in ("system", "developer"):
            content = stored.get("content")
            if isinstance(content, str) and len(content) >= _LONG_PROMPT:
                stored["content"] = self._tape.shared.refer(content, ".md")
        return stored

    def _tools(self, tools: Any) -> str:
        text = json.dumps(tools, ensure_ascii=False, indent=1, sort_keys=True)
        return self._tape.shared.refer(self._clean(text), ".json")

    def _short(self, text: str) -> str:
        """The text with what trials share by its hash, and so for a picture."""
        if text.startswith("data:image/"):
            return hash_picture(text)
        for known in self._texts:
            if known in text:
                text = text.replace(known, self._tape.shared.refer(self._clean(known), ".md"))
        return self._clean(text)

    def _clean(self, text: str) -> str:
        """The text without keys, and without lone surrogates, which no file can hold."""
        return conceal(text, self._secrets).encode("utf-8", "replace").decode("utf-8")


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with all its texts changed."""
    if isinstance(value, Mapping):
        return {change(str(name)): _map_texts(inner, change) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_map_texts(inner, change) for inner in value]
    return change(value) if isinstance(value, str) else value


def _portable(parameters: Mapping[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = public(parameters)
    return {name: value for name, value in shown.items() if name not in _PLACE}


class _Recorded:
    """A model as one role of a trial asks it; a ModelClient."""

    def __init__(self, cassette: Cassette, client: ModelClient, role: Role) -> None:
        self._cassette = cassette
        self._client = client
        self._role: Role = role

    @property
    def model(self) -> str:
        """The model's name."""
        return self._client.model

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters every call is made with."""
        return self._client.parameters

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        tool_choice: str | Mapping[str, Any] | None = None,
        seed: int | None = None,
        response_format: Mapping[str, Any] | None = None,
    ) -> ModelReply:
        """The recorded reply, or the model's; raises CassetteError, and what the model's client raises."""
        options = {"tools": tools, "tool_choice": tool_choice, "seed": seed, "response_format": response_format}
        request = self._cassette.request(self._role, self._client, messages, **options)
        recorded = self._cassette.answer(request)
        if recorded is not None:
            place = {name: value for name, value in self.parameters.items() if name in _PLACE}
            return replace(recorded, parameters={**place, **recorded.parameters})
        reply = await self._client.complete(
            messages, tools=tools, tool_choice=tool_choice, seed=seed, response_format=response_format
        )
        self._cassette.keep(request, reply)
        return reply
