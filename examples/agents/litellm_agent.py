"""Plain litellm, which leaves the tool calls to pytest-tau.

Its model is asked at ``context.endpoint``, so that costs are counted, limits hold and cassettes record it.

pip install litellm
MODEL=openai/gpt-4.1-mini pytest --tau-domain mock --tau-agent examples.agents.litellm_agent:LiteLLMAgent
"""

import json
import os
from typing import Any

import litellm

from pytest_tau import AgentContext, AgentFault, AssistantMessage, ToolCall
from pytest_tau.llm.chat import to_chat
from pytest_tau.schema.messages import AnyMessage


class LiteLLMAgent:
    """One conversation; the tools its model calls are run by pytest-tau."""

    def __init__(self, context: AgentContext) -> None:
        self.system = {"role": "system", "content": context.policy}
        self.options: dict[str, Any] = {"model": os.environ["MODEL"], "tools": [tool.schema for tool in context.tools]}
        if context.endpoint:  # None outside of a test run: then the environment says where the model is
            self.options |= {"custom_llm_provider": "openai", "api_base": context.endpoint, "api_key": "none"}

    async def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """What the model says or calls next."""
        chat = [self.system, *to_chat(messages, "assistant")]
        answer: Any = await litellm.acompletion(messages=chat, **self.options)
        said = answer.choices[0].message
        made = [(call.id, call.function) for call in said.tool_calls or []]
        try:
            calls = [ToolCall(id=id, name=call.name, arguments=json.loads(call.arguments)) for id, call in made]
        except ValueError as error:
            raise AgentFault(f"a malformed call: {error}") from error  # a miss, not a bug of ours
        return AssistantMessage(content=said.content, tool_calls=calls)
