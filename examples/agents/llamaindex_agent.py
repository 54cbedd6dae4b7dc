"""A LlamaIndex agent, which runs its own tool loop.

Its model is asked at ``context.endpoint``, so that costs are counted, limits hold and cassettes record it.

pip install llama-index-core llama-index-llms-openai-like
MODEL=openai/gpt-4.1-mini pytest --tau-domain mock --tau-agent examples.agents.llamaindex_agent:LlamaAgent
"""

import os

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.llms.openai_like import OpenAILike

from pytest_tau import AgentContext
from pytest_tau.adapters import llama_index_tools
from pytest_tau.schema.messages import AnyMessage


class LlamaAgent:
    """One conversation. Calling a tool of the context runs it in the trial's world and records it."""

    def __init__(self, context: AgentContext) -> None:
        base = context.endpoint or os.environ.get("OPENAI_BASE_URL")  # no endpoint outside of a test run
        key = "none" if context.endpoint else os.environ.get("OPENAI_API_KEY")
        model = OpenAILike(
            os.environ["MODEL"], api_base=base, api_key=key, is_chat_model=True, is_function_calling_model=True
        )
        self.agent = FunctionAgent(
            tools=llama_index_tools(context), llm=model, system_prompt=context.policy, streaming=False
        )
        self.memory = ChatMemoryBuffer.from_defaults(token_limit=100_000)

    async def reply(self, messages: list[AnyMessage]) -> str:
        """Let the agent work on what the customer said until it has an answer."""
        return str(await self.agent.run(messages[-1].content or "", memory=self.memory, max_iterations=50))
