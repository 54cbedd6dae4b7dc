"""A customer whose every sentence is checked by a supervisor, and said anew when it is not satisfactory."""

from __future__ import annotations

import re

from ..conversation.protocols import UserFactory
from ..llm.chat import user
from ..llm.protocol import ModelClient, ModelReply
from ..schema.messages import AnyMessage, UserMessage
from .llm import LLMUser, user_factory
from .prompts import Guidelines, verify_prompt

ATTEMPTS = 3


class VerifyUser(LLMUser):
    """Tries up to ``ATTEMPTS`` times to say something satisfactory, and lets the last try stand."""

    async def reply(self, messages: list[AnyMessage]) -> UserMessage:
        """The first satisfactory message, or the last."""
        reply = await self._ask(messages)
        for _ in range(ATTEMPTS - 1):
            if await self._satisfactory(messages, reply):
                break
            reply = await self._ask(messages)
        return self._message(*await self._in_role(messages, reply))

    async def _satisfactory(self, messages: list[AnyMessage], reply: ModelReply) -> bool:
        """Whether the supervisor accepts a text; calls and what is no message are not for it to see."""
        if reply.problem or reply.tool_calls or not reply.content:
            return True
        asked = await self._speaker.ask([user(verify_prompt(self._scenario, messages, reply.content))])
        words = re.findall(r"\b(true|false)\b", (asked.content or "").lower())
        return words[-1:] == ["true"]


def verify_user(
    client: ModelClient, guidelines: Guidelines | None = None, style: str | None = None, *, guard: bool = False
) -> UserFactory:
    """Customers under supervision."""
    return user_factory(VerifyUser, client, guidelines, style, guard=guard)
