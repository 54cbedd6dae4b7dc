"""Agents that speak Agent2Agent (A2A) over JSON-RPC, versions 0.x and 1.x of the protocol.

The address is the agent's host, or its card. One context id holds a trial together. The first message bears the policy
and the tools as a data part, and ``mcp``, the address where the tools can be called; an answer may have a data part
``{"tool_calls": [{"name", "arguments"}]}`` instead, whose results come as a data part ``tool_results``. A task that is
still working is asked for until it has an end.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit
from uuid import uuid4

from ..agents.prompts import TICKET_CUE
from ..errors import AgentFault
from ..llm.replies import ProviderAnswered
from ..schema.messages import AnyMessage, Attachment, ToolMessage, attachments_of
from .http import ProtocolContext, Send, wrong
from .service import TOLD, tools_url
from .simple import completion

_CARD = "/.well-known/agent-card.json"
_LOOK = 0.5
_BAD_GATEWAY, _BAD_REQUEST = 502, 400
_INTERNAL = -32603
_V1 = {"A2A-Version": "1.0"}
_WORKING = ("submitted", "working")
_ASKS = "input-required"
_LOST = ("failed", "canceled", "rejected", "auth-required")
_CARD_MUST = "it must be an agent card with an address for JSON-RPC"
_MUST = "it must be a message or a task"


def looks_at(address: str) -> str:
    """What is looked at to see whether the agent is there: its card."""
    return address if "/.well-known/" in urlsplit(address).path else address.rstrip("/") + _CARD


class _A2ATalk:
    """One trial's conversation: one context."""

    def __init__(self, about: ProtocolContext) -> None:
        self._about = about
        self._context = about.conversation
        self._task: str | None = None
        self._before = self._told = -1  # how many messages were told before the last request, and with it; -1: none yet
        self._url: str | None = None
        self._is_v1 = False
        self._sent: tuple[int, dict[str, Any]] | None = None

    async def ask(self, messages: list[AnyMessage], send: Send) -> Any:
        """Send what is new since the last message, and wait until the agent has answered it."""
        if self._url is None:
            await self._read_card(send)
        message = self._message(messages)
        method = "SendMessage" if self._is_v1 else "message/send"
        settings = {"acceptedOutputModes": ["text/plain", "application/json"]}
        result = await self._call(send, method, {"message": message, "configuration": settings})
        while (state := _state(result)) in _WORKING:
            await asyncio.sleep(_LOOK)
            result = await self._call(send, "GetTask" if self._is_v1 else "tasks/get", {"id": result["id"]})
        if state in _LOST:
            raise AgentFault(f"the agent's task is {state}: {' '.join(_texts(_parts(result))) or 'without a word'}")
        self._task = result.get("id") if state == _ASKS else None
        self._context = result.get("contextId") or self._context
        if len(messages) > self._told:
            self._before, self._told = self._told, len(messages)
        self._sent = None
        return self._completion(result)

    async def _read_card(self, send: Send) -> None:
        """Where the agent listens, and in which version of the protocol."""
        card_address = looks_at(self._about.address)
        card = await send(card_address, None)
        if not isinstance(card, Mapping):
            raise wrong(card_address, _CARD_MUST, card)
        for one in card.get("supportedInterfaces") or []:
            if isinstance(one, Mapping) and str(one.get("protocolBinding")).upper() == "JSONRPC":
                self._is_v1 = str(one.get("protocolVersion", "1")).startswith("1")
                url = one.get("url")
                break
        else:
            url = card.get("url")
        if not isinstance(url, str) or not url:
            raise wrong(card_address, _CARD_MUST, card)
        self._url = urljoin(card_address, url)
        if urlsplit(self._url).netloc != urlsplit(card_address).netloc:
            raise wrong(
                card_address, "the address in its card must be on its own host, which alone gets our header", card
            )

    async def _call(self, send: Send, method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": uuid4().hex, "method": method, "params": parameters}
        answer = await send(str(self._url), body, **(_V1 if self._is_v1 else {}))
        error = answer.get("error") if isinstance(answer, Mapping) else None
        if isinstance(error, Mapping):  # of its own making, or of ours: which no second try would mend
            status = _BAD_GATEWAY if error.get("code") == _INTERNAL else _BAD_REQUEST
            raise ProviderAnswered(str(error.get("message") or error), status)
        result = answer.get("result") if isinstance(answer, Mapping) else None
        if isinstance(result, Mapping):  # in version 1 the kind is the key
            result = result.get("task") or result.get("message") or result
        if not isinstance(result, dict):
            raise wrong(self._about.address, _MUST, answer)
        return result

    def _message(self, messages: list[AnyMessage]) -> dict[str, Any]:
        """What is new, as one message; the same when it is sent again."""
        if self._sent is not None and self._sent[0] == len(messages):
            return self._sent[1]
        begin = self._told if len(messages) > self._told else self._before  # an answer was none: the same words again
        new = messages[max(begin, 0) :]
        texts = [message.text for message in new if message.role == "user" and message.text]
        # Before its last message stand the results of calls of its own, over MCP.
        last = max((place for place, one in enumerate(new) if one.role == "assistant"), default=0)
        asked = [one for one in new[last:] if isinstance(one, ToolMessage)]
        results = [{"id": one.id, "content": one.content or ""} for one in asked]
        data: dict[str, Any] = {"tool_results": results} if results else {}
        if begin < 0:
            context = self._about.context
            mcp = tools_url(context)
            more = {"mcp": mcp, "roles": self._about.roles}
            data |= {"policy": self._about.instructions, "tools": self._about.tools}
            data |= {name: told for name, told in more.items() if told}
            texts = texts or [TICKET_CUE]
        pictures = [self._picture(one) for one_message in new for one in attachments_of(one_message)]
        parts = [*(self._part("text", text) for text in texts), *pictures]
        parts += [self._part("data", data)] if data else []
        message: dict[str, Any] = {"messageId": uuid4().hex, "contextId": self._context, "parts": parts}
        message |= {"role": "ROLE_USER"} if self._is_v1 else {"role": "user", "kind": "message"}
        message |= {"taskId": self._task} if self._task else {}
        self._sent = (len(messages), message)
        return message

    def _picture(self, one: Attachment) -> dict[str, Any]:
        content = base64.b64encode(one.content).decode()
        if self._is_v1:
            return {"raw": content, "mediaType": one.media_type, "filename": one.file_name}
        return self._part("file", {"bytes": content, "mimeType": one.media_type, "name": one.file_name})

    def _part(self, kind: str, value: Any) -> dict[str, Any]:
        return {kind: value} if self._is_v1 else {"kind": kind, kind: value}

    def _completion(self, result: Mapping[str, Any]) -> dict[str, Any]:
        parts = _parts(result)
        data = [part["data"] for part in parts if isinstance(part.get("data"), Mapping)]
        calls = [call for one in data for call in one.get("tool_calls") or []]
        told = {name: one[name] for one in data for name in TOLD if name in one}
        content = "\n".join(_texts(parts)) or None
        return completion({**told, "content": content, "tool_calls": calls}, self._about.address)


def _state(result: Mapping[str, Any]) -> str:
    """The state of a task in the words of version 0, "" for a message."""
    state = str((result.get("status") or {}).get("state", ""))
    return state.removeprefix("TASK_STATE_").lower().replace("_", "-")


def _parts(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The parts of a message; of a task those of what it has made, else of what it says last.

    A task that asks back keeps what it made before.
    """
    said = ((result.get("status") or {}).get("message") or {}).get("parts") or []
    made = [part for artifact in result.get("artifacts") or [] for part in artifact.get("parts") or []]
    choices = (said, made) if _state(result) == _ASKS else (result.get("parts") or [], made, said)
    found = ([part for part in parts if isinstance(part, Mapping)] for parts in choices)
    return next((parts for parts in found if any("text" in part or "data" in part for part in parts)), [])


def _texts(parts: list[Mapping[str, Any]]) -> Iterator[str]:
    return (part["text"] for part in parts if isinstance(part.get("text"), str) and part["text"])


TALK = _A2ATalk
