"""Asks an MCP server what tools it has, and what those answer that only read and need no argument.

Built on the official SDK (the extra ``mcp``). Only tools that the server declares to be read-only are called.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any

from ..errors import SettingsError, reason
from ..printable import one_line
from .mcp import require_sdk

_SECONDS = 30.0


def tools_and_answers(url: str) -> tuple[list[Mapping[str, Any]], dict[str, str]]:
    """The tools of a server as the protocol writes them, and the texts of some answers by the tool's name.

    Raises:
        SettingsError: the SDK is missing, the server does not answer, or it has no tools.
    """
    require_sdk("an MCP server is asked with the MCP SDK: pip install 'pytest-tau[mcp]'")
    try:
        tools, answers = asyncio.run(asyncio.wait_for(_ask_server(url), _SECONDS))
    except Exception as error:  # the SDK raises groups of whatever its transport raises
        cause: BaseException = error
        while isinstance(cause, BaseExceptionGroup):
            cause = cause.exceptions[0]
        said = reason(cause) if isinstance(cause, Exception) else type(cause).__name__
        told = one_line(said or type(cause).__name__)
        raise SettingsError(f"{url} does not answer as an MCP server: {told}") from None
    if not tools:
        raise SettingsError(f"{url}: this MCP server has no tools")
    return tools, answers


async def _ask_server(url: str) -> tuple[list[Mapping[str, Any]], dict[str, str]]:
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.exceptions import MCPError
    from mcp.types import CONNECTION_CLOSED, PaginatedRequestParams

    answers: dict[str, str] = {}
    logging.getLogger("mcp").addHandler(logging.NullHandler())  # it logs with a traceback what it raises as well
    async with streamable_http_client(url) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        listed = await session.list_tools()
        found = list(listed.tools)
        while listed.next_cursor is not None:  # a server may list them page by page
            listed = await session.list_tools(params=PaginatedRequestParams(cursor=listed.next_cursor))
            found += listed.tools
        tools: list[Mapping[str, Any]] = [tool.model_dump(mode="json", by_alias=True) for tool in found]
        for tool in tools:
            needs = (tool.get("inputSchema") or {}).get("required")
            if (tool.get("annotations") or {}).get("readOnlyHint") and not needs:
                try:
                    result = await session.call_tool(tool["name"], {})
                except MCPError as error:
                    if error.code == CONNECTION_CLOSED:
                        raise
                    continue  # the server refuses this call, and lives
                if not result.is_error:
                    answers[tool["name"]] = _text(result.model_dump(mode="json", by_alias=True))
    return tools, answers


def _text(result: Mapping[str, Any]) -> str:
    if structured := result.get("structuredContent"):
        return json.dumps(structured)
    return "\n".join(part["text"] for part in result.get("content") or [] if part.get("type") == "text")
