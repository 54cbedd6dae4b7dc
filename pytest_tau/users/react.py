"""A customer who thinks before speaking; the thought stays in their own history, the agent never reads it."""

from __future__ import annotations

from ..conversation.protocols import UserFactory
from ..llm.protocol import ModelClient, ModelReply
from .llm import LLMUser, user_factory
from .prompts import REACT, Guidelines

_THOUGHT, _RESPONSE = "Thought:", "User Response:"


class ReactUser(LLMUser):
    """Says what its model wrote as the response."""

    form = REACT

    def _spoken_text(self, reply: ModelReply) -> str:
        return response_in(reply.content or "")


def response_in(written: str) -> str:
    """What is for the agent: the text after the last label, nothing for a thought alone, all of it without labels."""
    _, label, response = written.rpartition(_RESPONSE)
    if not label and _THOUGHT in response:
        return ""
    return response.strip()


def react_user(
    client: ModelClient, guidelines: Guidelines | None = None, style: str | None = None, *, guard: bool = False
) -> UserFactory:
    """Customers that write a thought and then what they say."""
    return user_factory(ReactUser, client, guidelines, style, guard=guard)
