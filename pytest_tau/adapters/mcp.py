"""The tools of a trial over MCP: ``context.mcp`` is the address of a streamable-HTTP server on loopback.

One server a process, on the official SDK, in a thread of its own. A trial's tools stand under a token in the path,
which nobody can guess, and are gone with the trial. Requests hold no state: a client may begin, end and begin again.
A call runs in the trial's environment and is a step of its conversation.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import threading
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ..conversation.protocols import ContextTool
from ..environment.results import FAILED
from ..errors import SettingsError, TauError, describe
from .service import in_thread

INSTALL = "to serve tools over MCP install the extra: pip install 'pytest-tau[mcp]'"
_API = 2  # the release from which on the SDK has the API that is used here
_PATH = "mcp"
_GRACE = 2.0


class McpServer:
    """The server of a process; it listens from the first trial on that wants its address."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listening: _Listening | None = None
        self._tools: dict[str, Sequence[ContextTool]] = {}

    def open(self, tools: Sequence[ContextTool]) -> str:
        """The address of one trial's tools; raises SettingsError where the SDK is not installed."""
        with self._lock:
            if self._listening is None:
                self._listening = _Listening(self)
            token = secrets.token_hex(16)
            self._tools[token] = tools
            return f"http://127.0.0.1:{self._listening.port}/{token}/{_PATH}"

    def forget(self, url: str) -> None:
        """Serve these tools no more: their trial is over."""
        with self._lock:
            self._tools.pop(_token(url.partition("://")[2].partition("/")[2]) or "", None)

    def tools(self, path: str) -> Sequence[ContextTool] | None:
        """The tools under a path, while their trial lasts."""
        return self._tools.get(_token(path.removeprefix("/")) or "")

    def close(self) -> None:
        """Stop listening."""
        with self._lock:
            listening, self._listening = self._listening, None
        if listening is not None:
            listening.close()


def require_sdk(otherwise: str) -> None:
    """Raise SettingsError with this sentence where the MCP SDK is missing, or too old."""
    try:
        release = version("mcp")
    except PackageNotFoundError:
        raise SettingsError(otherwise) from None
    if int(release.partition(".")[0]) < _API:
        raise SettingsError(f"{otherwise} (mcp {release} is installed, and {_API}.3 is needed)")


def _token(path: str) -> str | None:
    token, _, rest = path.partition("/")
    return token if rest.rstrip("/") == _PATH else None


class _Listening:
    """The server's thread, and the port it listens at."""

    def __init__(self, server: McpServer) -> None:
        require_sdk(INSTALL)
        try:
            import uvicorn
            from mcp.server.lowlevel import Server
            from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
        except ImportError:
            raise SettingsError(INSTALL) from None
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        calls = _Calls(server)
        made: Any = Server("pytest-tau", on_list_tools=calls.list_tools, on_call_tool=calls.call_tool)
        manager = StreamableHTTPSessionManager(made, json_response=True, stateless=True)
        config = uvicorn.Config(
            _App(server, manager), log_config=None, log_level="critical", access_log=False, lifespan="off"
        )
        self._uvicorn = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, args=(manager,), name="pytest-tau-mcp", daemon=True)
        self._thread.start()

    def _run(self, manager: Any) -> None:
        async def serve() -> None:
            async with manager.run():
                await self._uvicorn.serve(sockets=[self._socket])

        asyncio.run(serve())

    def close(self) -> None:
        self._uvicorn.should_exit = self._uvicorn.force_exit = True
        self._thread.join(_GRACE)
        self._socket.close()


class _App:
    """Answers requests to paths of trials that are being played, and no others."""

    def __init__(self, server: McpServer, manager: Any) -> None:
        self._server = server
        self._manager = manager

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        if self._server.tools(scope["path"]) is not None:
            await self._manager.handle_request(scope, receive, send)
            return
        error = {"code": -32600, "message": "no trial has this address, or it is over"}
        body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 404, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class _Calls:
    """What the protocol asks for: the tools, and calls of them."""

    def __init__(self, server: McpServer) -> None:
        self._server = server

    def _tools(self, context: Any) -> Sequence[ContextTool]:
        return self._server.tools(context.request.url.path) or ()

    async def list_tools(self, context: Any, params: Any) -> Any:
        """The tools of the trial whose address was asked."""
        from mcp import types

        found = []
        for tool in self._tools(context):
            function = tool.schema["function"]
            schema = function.get("parameters") or {"type": "object", "properties": {}}
            hints = types.ToolAnnotations(read_only_hint=not tool.writes)
            told = function.get("description")
            found.append(types.Tool(name=tool.name, description=told, input_schema=schema, annotations=hints))
        return types.ListToolsResult(tools=found)

    async def call_tool(self, context: Any, params: Any) -> Any:
        """Run a call; one that comes when it is not the agent's turn gets an error for an answer."""
        from mcp import types

        tools = self._tools(context)
        # Any number at once: a call may wait for another, and one that never returns keeps nothing from going on.
        text, failed = await in_thread(lambda: _call_result(tools, params.name, params.arguments or {}))
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=failed)


def _call_result(tools: Sequence[ContextTool], name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    """The text of a call's result, and whether it failed; a tool that is not there fails as it does for any agent."""
    if not tools:
        return "no trial has this address, or it is over", True
    try:
        text = tools[0].run(name, arguments)
    except TauError as error:
        return describe(error), True
    except Exception as error:  # a bug in the domain, which its trial tells of
        return f"{type(error).__name__}: {describe(error)}", True
    return text, text.startswith(FAILED)
