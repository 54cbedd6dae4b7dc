"""A LangGraph agent that runs its own tool loop.

Its model is asked at ``context.endpoint``, so that costs are counted, limits hold and cassettes record it.

pip install langgraph langchain-openai
MODEL=openai/gpt-4.1-mini pytest --tau-domain mock --tau-agent examples.agents.langgraph_agent:LangGraphAgent
"""

import os
from typing import Any

from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import SecretStr

from pytest_tau import AgentContext
from pytest_tau.adapters import langchain_tools
from pytest_tau.schema.messages import AnyMessage


class LangGraphAgent:
    """One conversation. Calling a tool of the context runs it in the trial's world and records it."""

    def __init__(self, context: AgentContext) -> None:
        tools, endpoint = langchain_tools(context), context.endpoint
        chat = ChatOpenAI(model=os.environ["MODEL"], base_url=endpoint, api_key=SecretStr("none") if endpoint else None)
        model = chat.bind_tools(tools)

        def call_model(state: MessagesState) -> dict[str, Any]:
            return {"messages": [model.invoke([("system", context.policy), *state["messages"]])]}

        graph = StateGraph(MessagesState).add_node("model", call_model).add_node("tools", ToolNode(tools))
        graph.add_edge(START, "model").add_conditional_edges("model", tools_condition).add_edge("tools", "model")
        self.graph, self.memory = graph.compile(), list[Any]()

    def reply(self, messages: list[AnyMessage]) -> str:
        """Let the graph work on what the customer said until it has an answer."""
        self.memory = self.graph.invoke({"messages": [*self.memory, ("user", messages[-1].content)]})["messages"]
        return str(self.memory[-1].content)
