"""Tools that stand in no list: how an agent unlocks and calls its own, and gives the customer theirs.

Unlocking is remembered by the toolkit alone. Calls leave rows in tables that are graded: of a tool that writes always,
of another only if it is in the read log, the names that the gold path of the task calls.
"""

import inspect
import json
from collections.abc import Mapping
from typing import Any

from pytest_tau.environment import Database, Toolkit, tool
from pytest_tau.environment.toolkit import ToolSpec, tools_of

from .bank import Bank, add, as_json, digest, not_a_mapping, told_as
from .query import listing
from .user_tools import KnowledgeUserTools


@told_as("KnowledgeTools")
class DiscoverableTools(Bank):
    """The agent's way to hidden tools.

    ``read_log``: the names of reading tools whose calls are written down.
    """

    read_log: frozenset[str] = frozenset()

    def __init__(self, db: Database, **settings: Any) -> None:
        super().__init__(db, **settings)
        self._unlocked: set[str] = set()

    @tool(writes=True, generic=True)
    def give_discoverable_user_tool(self, discoverable_tool_name: str, arguments: str = "{}") -> str:
        """Give the customer a tool of theirs that the knowledge base names, so that they can carry something out.

        Only for an action that the customer wants, and only a tool that a document names.

        Args:
            discoverable_tool_name: The tool's name, exactly as the knowledge base has it.
            arguments: The arguments that the customer is to use, a JSON object as text.
        """
        if not hasattr(KnowledgeUserTools, discoverable_tool_name) or discoverable_tool_name not in hidden_tools(
            KnowledgeUserTools
        ):
            return f"Error: Unknown discoverable tool '{discoverable_tool_name}'."
        try:
            given = json.loads(arguments)
        except json.JSONDecodeError as error:
            return f"Error: Invalid JSON in arguments: {error}"
        spec = hidden_tools(KnowledgeUserTools)[discoverable_tool_name]
        parameters = inspect.signature(spec.function).parameters
        for key in given:
            if key not in parameters:
                return f"Error: Unexpected parameter: {key}"
        record = {"tool_name": discoverable_tool_name, "status": "GIVEN"}
        add(self.db.user_discoverable_tools, digest(f"user_discoverable_tool:{discoverable_tool_name}", 16), record)
        return (
            f"Tool given to user: {discoverable_tool_name}\nDescription: {description(spec)}\n"
            f"Arguments: {as_json(given) if given else '(no arguments)'}\n\n"
            "The user can now execute this action by calling `call_discoverable_user_tool` with "
            f"discoverable_tool_name='{discoverable_tool_name}' and the same arguments."
        )

    @tool(writes=True, generic=True)
    def unlock_discoverable_agent_tool(self, agent_tool_name: str) -> str:
        """Unlock a tool of yours that the knowledge base names, and learn its arguments.

        Args:
            agent_tool_name: The tool's name, exactly as the knowledge base has it.
        """
        if agent_tool_name not in hidden_tools(type(self)):
            return _unknown_tool(agent_tool_name)
        self._unlocked.add(agent_tool_name)
        spec = hidden_tools(type(self))[agent_tool_name]
        return (
            f"Tool unlocked: {agent_tool_name}\nDescription: {description(spec)}\n\n"
            f"Tool: {agent_tool_name}\nDescription: {description(spec)}\nParameters:\n{_parameters(spec)}\n\n"
            "You can now use this tool by calling `call_discoverable_agent_tool` with "
            f"agent_tool_name='{agent_tool_name}' and the required arguments."
        )

    @tool(writes=True)
    def call_discoverable_agent_tool(self, agent_tool_name: str, arguments: str = "{}") -> str:
        """Call a tool that you have unlocked.

        Args:
            agent_tool_name: The tool's name.
            arguments: Its arguments, a JSON object as text.
        """
        if agent_tool_name not in hidden_tools(type(self)):
            return _unknown_tool(agent_tool_name)
        if agent_tool_name not in self._unlocked:
            return (
                f"Error: Tool '{agent_tool_name}' has not been unlocked. You must first use "
                "`unlock_discoverable_agent_tool` to unlock this tool before calling it."
            )
        try:
            # Whole numbers become fractions, so that 25 and 25.0 leave the same records.
            given = json.loads(arguments, parse_int=float)
        except json.JSONDecodeError as error:
            return f"Error: Invalid JSON in arguments: {error}"
        if not isinstance(given, dict):
            return f"Error: Invalid arguments: {not_a_mapping('KnowledgeTools', agent_tool_name, given)}"
        try:
            result: str = getattr(self, agent_tool_name)(**given)
        except TypeError as error:
            return f"Error: Invalid arguments: {error}"
        if hidden_tools(type(self))[agent_tool_name].kind == "write" or agent_tool_name in self.read_log:
            record = {"tool_name": agent_tool_name, "status": "CALLED"}
            add(self.db.agent_discoverable_tools, digest(f"agent_discoverable_tool:{agent_tool_name}", 16), record)
        return result

    @tool(reads=True)
    def list_discoverable_agent_tools(self) -> str:
        """List the unlocked tools that you have called so far."""
        table = "agent_discoverable_tools"
        return "Your called agent tools:\n" + listing(table, self.db.tables[table].scan_items())


def hidden_tools(toolkit: type[Toolkit]) -> Mapping[str, ToolSpec]:
    """The tools of a toolkit that stand in no list, by name."""
    if toolkit not in _HIDDEN:
        _HIDDEN[toolkit] = {name: spec for name, spec in tools_of(toolkit).items() if spec.hidden}
    return _HIDDEN[toolkit]


_HIDDEN: dict[type[Toolkit], dict[str, ToolSpec]] = {}


def description(spec: ToolSpec) -> str:
    """What a tool does, in words."""
    text: str = spec.schema["function"]["description"]
    return text


def _unknown_tool(name: str) -> str:
    return f"Error: Unknown agent tool '{name}'. This tool is not available."


def _parameters(spec: ToolSpec) -> str:
    parameters = spec.schema["function"]["parameters"]
    required = parameters.get("required", [])
    entries = [
        f"  - {name}: {facts['type']} ({'required' if name in required else 'optional'}) - {facts['description']}"
        for name, facts in parameters["properties"].items()
    ]
    return "\n".join(entries) or "  (no parameters)"
