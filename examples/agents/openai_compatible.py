"""An agent on any server that speaks the OpenAI API (vLLM, llama.cpp, Ollama, a gateway), with OpenAI's own client.

    OPENAI_BASE_URL=http://localhost:8000/v1 OPENAI_API_KEY=none MODEL=openai/my-model \\
        pytest --tau-domain mock --tau-agent examples.agents.openai_compatible:OpenAICompatible

It asks at ``context.endpoint``, which passes the request on: so costs are counted, limits hold and cassettes record it.
"""

import json
import os
from typing import Any

from openai import AsyncOpenAI

from pytest_tau import AgentContext, AgentFault, AssistantMessage, ToolCall
from pytest_tau.llm.chat import to_chat
from pytest_tau.schema.messages import AnyMessage


class OpenAICompatible:
    """One conversation; the tools its model calls are run by pytest-tau."""

    def __init__(self, context: AgentContext) -> None:
        self.system: dict[str, Any] = {"role": "system", "content": context.policy}
        self.tools: list[Any] = [tool.schema for tool in context.tools]
        self.endpoint = context.endpoint  # None outside of a test run: then the environment says where the model is

    async def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """What the model says or calls next."""
        chat: list[Any] = [self.system, *to_chat(messages, "assistant")]
        async with AsyncOpenAI(base_url=self.endpoint, api_key="none" if self.endpoint else None) as client:
            answer = await client.chat.completions.create(model=os.environ["MODEL"], messages=chat, tools=self.tools)
        said = answer.choices[0].message
        functions = [(call.id, call.function) for call in said.tool_calls or [] if call.type == "function"]
        try:
            calls = [ToolCall(id=id, name=f.name, arguments=json.loads(f.arguments)) for id, f in functions]
        except ValueError as error:
            raise AgentFault(f"a malformed call: {error}") from error  # a miss, not a bug of ours
        return AssistantMessage(content=said.content, tool_calls=calls)
