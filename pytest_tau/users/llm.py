"""The simulated customer: a language model that plays a scenario, and acts on its own side where it has tools."""

from __future__ import annotations

from typing import Any

from ..conversation.protocols import UserContext, UserFactory
from ..llm.chat import Speaker, system, to_chat
from ..llm.protocol import ModelClient, ModelReply
from ..schema.messages import AnyMessage, UserMessage
from .prompts import Guidelines, check_style, system_prompt


class LLMUser:
    """Asks its model for every message; to the model, the agent is the user and the customer the assistant."""

    form: str | None = None

    def __init__(
        self, client: ModelClient, context: UserContext, guidelines: Guidelines, style: str | None = None
    ) -> None:
        self._speaker = Speaker(client, seed=context.seed, prompts=guidelines.version)
        self._scenario = context.scenario
        self._tools = list(context.tools)
        tools = bool(context.tools)
        self._prompt = system_prompt(context.scenario, guidelines, tools=tools, style=style, form=self.form)

    @property
    def parameters(self) -> dict[str, Any]:
        """The model, its effective parameters and the version of the prompts."""
        return self._speaker.parameters

    async def reply(self, messages: list[AnyMessage]) -> UserMessage:
        """The model's next message; an empty one, which the driver asks for again, where it is no usable one."""
        return self._message(await self._ask(messages))

    async def _ask(self, messages: list[AnyMessage], *more: dict[str, Any]) -> ModelReply:
        chat = [system(self._prompt), *to_chat(messages, "user"), *more]
        return await self._speaker.ask(chat, tools=self._tools)

    def _message(self, reply: ModelReply) -> UserMessage:
        return self._speaker.pass_on(UserMessage, reply)


def user_factory(
    cls: type[LLMUser], client: ModelClient, guidelines: Guidelines | None, style: str | None
) -> UserFactory:
    """Customers of a class; raises SettingsError for a style that there is not."""
    check_style(style)
    chosen = guidelines or Guidelines()

    def customer(context: UserContext) -> LLMUser:
        return cls(client, context, chosen, style)

    return customer


def llm_user(client: ModelClient, guidelines: Guidelines | None = None, style: str | None = None) -> UserFactory:
    """Customers that say what their model says."""
    return user_factory(LLMUser, client, guidelines, style)
