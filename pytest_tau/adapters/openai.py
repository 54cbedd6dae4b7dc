"""Agents that speak chat completions: the policy is the system message, the tools are definitions, we run the loop."""

from __future__ import annotations

from typing import Any

from ..agents.prompts import TICKET_CUE
from ..llm.chat import system, to_chat, user
from ..schema.messages import AnyMessage
from .http import ProtocolContext, Send
from .service import ending_in

_PATH = "/chat/completions"


def looks_at(address: str) -> str:
    """What is looked at to see whether the agent is there, and what is asked."""
    return ending_in(address, _PATH)


class _ChatTalk:
    """One trial's conversation."""

    def __init__(self, about: ProtocolContext) -> None:
        self._about = about

    async def ask(self, messages: list[AnyMessage], send: Send) -> Any:
        """Ask for the completion of the chat so far."""
        chat = [system(self._about.instructions), *(to_chat(messages, "assistant") or [user(TICKET_CUE)])]
        tools = {"tools": self._about.tools} if self._about.tools else {}
        body = {"model": self._about.model or "agent", "user": self._about.conversation, "messages": chat, **tools}
        return await send(looks_at(self._about.address), {**self._about.parameters, **body})


TALK = _ChatTalk
