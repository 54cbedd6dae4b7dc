"""Plain litellm: asks any model it knows, and leaves the tool calls to pytest-tau.

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
        self.tools = [tool.schema for tool in context.tools]

    async def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """What the model says or calls next, at litellm's price."""
        chat = [self.system, *to_chat(messages, "assistant")]
        answer: Any = await litellm.acompletion(
            model=os.environ["MODEL"], messages=chat, tools=self.tools, num_retries=2
        )
        said = answer.choices[0].message
        functions = [(call.id, call.function) for call in said.tool_calls or []]
        try:
            calls = [ToolCall(id=id, name=f.name, arguments=json.loads(f.arguments)) for id, f in functions]
        except ValueError as error:
            raise AgentFault(f"a malformed call: {error}") from error  # a miss, not a bug of ours
        cost = answer._hidden_params.get("response_cost")
        return AssistantMessage(content=said.content, tool_calls=calls, cost=cost)
