"""The agent under test: a loop around one model, as a team might have written it before it knew of pytest-tau.

It asks the model at ``context.endpoint``, an address for this trial on this machine. So calls are counted, limited, and
recorded in cassettes, and the agent needs no key of its own.
"""

import json
import urllib.request
from typing import Any

from pytest_tau import AgentContext, AssistantMessage, ToolCall
from pytest_tau.llm.chat import to_chat
from pytest_tau.schema.messages import AnyMessage


class DeskAgent:
    """One conversation at the hire desk."""

    def __init__(self, context: AgentContext) -> None:
        self.context = context
        self.tools = [tool.schema for tool in context.tools]

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """What the model says or calls next."""
        chat = [{"role": "system", "content": self.context.policy}, *to_chat(messages, "assistant")]
        said = self._ask({"model": "openai/agent", "messages": chat, "tools": self.tools, "temperature": 0})
        calls = [
            ToolCall(id=call["id"], name=call["function"]["name"], arguments=json.loads(call["function"]["arguments"]))
            for call in said.get("tool_calls") or []
        ]
        return AssistantMessage(content=said.get("content"), tool_calls=calls or None)

    def _ask(self, body: dict[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(  # noqa: S310 (an address on this machine, given by pytest-tau)
            f"{self.context.endpoint}/chat/completions",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            found: dict[str, Any] = json.load(answer)["choices"][0]["message"]
        return found
