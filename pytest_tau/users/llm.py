"""The simulated customer: a language model that plays a scenario, and acts on its own side where it has tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..conversation.protocols import UserContext, UserFactory
from ..llm.chat import ModelPlayer, Speaker, system, to_chat, user
from ..llm.protocol import ModelClient, ModelReply
from ..schema.messages import ASKED_AGAIN, END_MARK, ROLE_LOST, AnyMessage, UserMessage
from .guard import Slip, only_the_answer, slip, with_end_mark
from .prompts import PEOPLE, Guidelines, check_style, guard_hint, system_prompt

AGAIN = 2
"""How often a reply that falls out of the role is asked for again."""


class LLMUser(ModelPlayer):
    """Asks its model for every message; to the model, the agent is the user and the customer the assistant."""

    form: str | None = None

    def __init__(
        self,
        client: ModelClient,
        context: UserContext,
        guidelines: Guidelines,
        style: str | None = None,
        *,
        guard: bool = False,
    ) -> None:
        style = style or context.scenario.manner
        self._speaker = Speaker(client, seed=context.seed, prompts=guidelines.version_for(style))
        self._scenario = context.scenario
        self._guard = guard
        self._manner = " In a few words." if style == PEOPLE else ""
        self._tools = list(context.tools)
        tools = bool(context.tools)
        self._prompt = system_prompt(
            context.scenario, guidelines, tools=tools, style=style, form=self.form, seed=context.seed
        )

    async def reply(self, messages: list[AnyMessage]) -> UserMessage:
        """The model's next message; an empty one, which the driver asks for again, where it is no usable one."""
        return self._message(*await self._in_role(messages, await self._ask(messages)))

    async def _ask(self, messages: list[AnyMessage], *more: dict[str, Any]) -> ModelReply:
        chat = [system(self._prompt), *to_chat(messages, "user"), *more]
        return await self._speaker.ask(chat, tools=self._tools)

    async def _in_role(self, messages: list[AnyMessage], reply: ModelReply) -> tuple[ModelReply, list[str], str | None]:
        """A reply that fits the customer, or the last try; what was wrong with those before it, and with itself."""
        slips: list[str] = []
        while (wrong := self._slip(messages, reply)) is not None:
            if len(slips) == AGAIN:
                return reply, slips, wrong.what
            slips.append(wrong.what)
            again = await self._ask(messages, user(guard_hint(self._scenario, messages, wrong.hint) + self._manner))
            reply = replace(again, content=only_the_answer(again.content)) if again.content else again
        return reply, slips, None

    def _slip(self, messages: list[AnyMessage], reply: ModelReply) -> Slip | None:
        if not self._guard or reply.problem or reply.tool_calls or not self._spoken_text(reply):
            return None
        names = [tool["function"]["name"] for tool in self._tools]
        return slip(self._spoken_text(reply), self._scenario, messages, names)

    def _spoken_text(self, reply: ModelReply) -> str:
        """What the agent would read of a reply."""
        return reply.content or ""

    def _message(self, reply: ModelReply, slips: Sequence[str] = (), lost: str | None = None) -> UserMessage:
        """A reply as the customer's message, its end mark in the right form; the rest is noted."""
        if reply.problem or reply.tool_calls:
            return self._speaker.pass_on(UserMessage, reply)
        said = self._spoken_text(reply)
        text = with_end_mark(said) if self._guard else said
        written = reply.content if text != reply.content else None
        message = self._speaker.say(UserMessage, text, raw=written)
        notes = {ASKED_AGAIN: [*slips] or None, ROLE_LOST: lost, END_MARK: True if text != said else None}
        told = {name: note for name, note in notes.items() if note is not None}
        return message.model_copy(update={"raw_data": {**(message.raw_data or {}), **told}}) if told else message


def user_factory(
    cls: type[LLMUser], client: ModelClient, guidelines: Guidelines | None, style: str | None, *, guard: bool = False
) -> UserFactory:
    """Customers of a class; ``guard``: asked again where they fall out of their role.

    Raises SettingsError for a style that there is not.
    """
    check_style(style)
    chosen = guidelines or Guidelines()

    def customer(context: UserContext) -> LLMUser:
        return cls(client, context, chosen, style, guard=guard)

    return customer


def llm_user(
    client: ModelClient, guidelines: Guidelines | None = None, style: str | None = None, *, guard: bool = False
) -> UserFactory:
    """Customers that say what their model says."""
    return user_factory(LLMUser, client, guidelines, style, guard=guard)
