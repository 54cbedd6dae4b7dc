"""An agent that is a plain function: no framework, no model, no key.

pytest --tau-domain mock --tau-agent examples.agents.plain_function:agent
"""

from collections.abc import Callable

from pytest_tau import AgentContext
from pytest_tau.schema.messages import AnyMessage


def agent(context: AgentContext) -> Callable[[list[AnyMessage]], str]:
    """Called once for every trial; what it returns answers that one conversation."""
    tools = {tool.name: tool for tool in context.tools}

    def reply(messages: list[AnyMessage]) -> str:
        if "how many" not in (messages[-1].content or "").lower():
            return "I can only count tasks. Which list is it about?"
        users = tools["get_users"]()  # runs in this trial's world and becomes part of the conversation
        return f"Here is who has which tasks: {users}"

    return reply
