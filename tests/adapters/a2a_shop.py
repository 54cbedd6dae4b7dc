"""An agent for one task of mock that the official A2A SDK serves, in one of several ways."""

from typing import Any

from a2a.helpers.proto_helpers import new_data_part, new_message, new_task_from_user_message, new_text_part
from a2a.server.agent_execution.agent_executor import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette

CALL = {"name": "update_task_status", "arguments": {"task_id": "task_1", "status": "completed"}}
ANSWERS = [new_text_part("Which task?"), new_data_part({"tool_calls": [CALL]}), new_text_part("It is done. Goodbye.")]


class Shop(AgentExecutor):  # type: ignore[misc,unused-ignore]  # without the SDK it has no type
    """Asks, calls, and says goodbye."""

    def __init__(self, way: str) -> None:
        self._way = way
        self._asked: dict[str, int] = {}

    async def execute(self, context: Any, event_queue: Any) -> None:
        """Answer one message."""
        turn = self._asked[context.context_id] = self._asked.get(context.context_id, -1) + 1
        parts = [ANSWERS[turn]]
        if self._way == "message":
            await event_queue.enqueue_event(new_message(parts, context_id=context.context_id))
            return
        task = context.current_task
        if task is None:
            task = new_task_from_user_message(context.message)
            await event_queue.enqueue_event(task)
        says = TaskUpdater(event_queue, task.id, task.context_id)
        await says.start_work()
        if self._way == "failed":
            await says.failed(says.new_agent_message([new_text_part("the desk is closed")]))
        elif self._way == "input-required" and turn < len(ANSWERS) - 1:
            await says.requires_input(says.new_agent_message(parts))
        elif self._way == "artifact":
            await says.add_artifact(parts, name="answer")
            await says.complete()
        else:
            await says.complete(says.new_agent_message(parts))

    async def cancel(self, context: Any, event_queue: Any) -> None:
        """There is nothing to be cancelled."""


def app(url: str, way: str) -> Starlette:
    """The server of an agent at this address."""
    kinds = ["text/plain", "application/json"]
    card = AgentCard(
        name="shop",
        description="A to-do list.",
        version="1",
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=kinds,
        default_output_modes=kinds,
        skills=[AgentSkill(id="list", name="list", description="Keeps a list.", tags=["list"])],
        supported_interfaces=[AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version="1.0")],
    )
    handler = DefaultRequestHandler(agent_executor=Shop(way), task_store=InMemoryTaskStore(), agent_card=card)
    return Starlette(routes=[*create_agent_card_routes(card), *create_jsonrpc_routes(handler, rpc_url="/")])
