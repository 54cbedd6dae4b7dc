"""A customer who, when a supervisor objects, gets to know why and what would be better, and tries once more."""

from __future__ import annotations

from ..conversation.protocols import UserFactory
from ..llm.chat import user
from ..llm.protocol import ModelClient, ModelReply
from ..schema.messages import AnyMessage, UserMessage
from .llm import user_factory
from .prompts import HINT, Guidelines, reflect_prompt
from .verify import VerifyUser


class ReflectionUser(VerifyUser):
    """Says the second try where the supervisor likes it, else the first."""

    async def reply(self, messages: list[AnyMessage]) -> UserMessage:
        """The message."""
        first = await self._ask(messages)
        if await self._satisfactory(messages, first):
            return self._message(*await self._in_role(messages, first))
        second = await self._ask(messages, user(HINT + await self._proposal(messages, first)))
        better = not second.problem and await self._satisfactory(messages, second)
        return self._message(*await self._in_role(messages, second if better else first))

    async def _proposal(self, messages: list[AnyMessage], reply: ModelReply) -> str:
        prompt = reflect_prompt(self._scenario, messages, reply.content or "")
        written = (await self._speaker.ask([user(prompt)])).content or ""
        return written.rpartition("Response:")[2].strip()


def reflection_user(
    client: ModelClient, guidelines: Guidelines | None = None, style: str | None = None, *, guard: bool = False
) -> UserFactory:
    """Customers who reflect on objections."""
    return user_factory(ReflectionUser, client, guidelines, style, guard=guard)
