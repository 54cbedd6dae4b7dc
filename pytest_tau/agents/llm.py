"""The tool-calling agent: a language model with the policy, the tools and the conversation, and nothing else."""

from __future__ import annotations

from ..conversation.protocols import AgentContext, AgentFactory
from ..llm.chat import Chat, Entries, ModelPlayer, Speaker, system, to_chat, user
from ..llm.protocol import ModelClient, ModelReply
from ..schema.messages import AnyMessage, AssistantMessage
from .prompts import PROMPT_VERSION, TICKET_CUE, is_solo, system_prompt

SPOKE = "the model spoke, and solo mode has no customer to speak to"


class LLMAgent(ModelPlayer):
    """Asks its model for every message; all the calls of a reply are kept.

    A reply that is no message becomes an empty one with its price, and the driver asks again. Alone on a ticket,
    that goes for a text without calls, too.
    """

    def __init__(self, client: ModelClient, context: AgentContext, prompt: str) -> None:
        self._speaker = Speaker(client, seed=context.seed, prompts=PROMPT_VERSION)
        self._prompt = prompt
        self._tools = [tool.schema for tool in context.tools]
        self._solo = is_solo(context)
        self._written: Entries = {}

    async def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """The model's next message."""
        choice = "required" if self._solo else None
        reply = await self._speaker.ask(self._chat(messages), tools=self._tools, tool_choice=choice)
        return self._message(reply, messages)

    def _chat(self, messages: list[AnyMessage]) -> Chat:
        # Most providers refuse a chat that is a system prompt only.
        return [system(self._prompt), *(self._history(messages) or [user(TICKET_CUE)])]

    def _history(self, messages: list[AnyMessage]) -> Chat:
        return to_chat(messages, "assistant", self._written)

    def _message(self, reply: ModelReply, messages: list[AnyMessage]) -> AssistantMessage:
        if self._solo and not reply.tool_calls:
            spoke = None if reply.problem else SPOKE
            return self._speaker.say(AssistantMessage, None, problem=spoke)
        return self._speaker.pass_on(AssistantMessage, reply)


def llm_agent(client: ModelClient) -> AgentFactory:
    """Agents that call tools in the model's own way."""

    def llm(context: AgentContext) -> LLMAgent:
        return LLMAgent(client, context, system_prompt(context))

    return llm
