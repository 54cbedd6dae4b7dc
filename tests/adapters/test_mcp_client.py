"""A real MCP server on loopback, asked for its tools and for what they read."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from pytest_tau import load_domain
from pytest_tau.adapters.mcp_client import tools_and_answers
from pytest_tau.cli import main
from pytest_tau.errors import SettingsError
from tests.workshop.scaffold.sources import ROOMS

if find_spec("mcp") is None:  # importing it takes seconds, in each worker
    pytest.skip("the MCP SDK is not installed (pytest-tau[mcp])", allow_module_level=True)
pytestmark = pytest.mark.slow


class Day(BaseModel):
    """What a tool asks its caller for, and how it was refused."""

    refusals: ClassVar[list[str]] = []
    day: str


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.shared.exceptions import MCPError
    from mcp.types import ToolAnnotations

    made = MCPServer("hotel")

    @made.tool(annotations=ToolAnnotations(read_only_hint=True))
    def list_rooms() -> list[dict[str, Any]]:
        """All rooms."""
        return ROOMS

    @made.tool(annotations=ToolAnnotations(read_only_hint=True))
    async def count_guests(context: Context) -> dict[str, int]:
        """How many guests there are; asks its caller for the day, who need not know it."""
        await context.report_progress(1, 2)
        try:
            await context.elicit("Which day?", Day)
        except MCPError as refused:
            Day.refusals.append(str(refused))
        return {"guests": 2}

    @made.tool(annotations=ToolAnnotations(read_only_hint=True))
    def find_lost() -> str:
        """Fails."""
        raise ValueError("the list is lost")

    @made.tool()
    def book_room(room_id: str, nights: int = 1) -> str:
        """Book a room."""
        raise AssertionError("a tool that is not known to be read-only was called")

    with served(made) as address:
        yield address


@contextmanager
def served(made: Any) -> Iterator[str]:
    """The address of a server of the SDK."""
    import uvicorn

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(made.streamable_http_app(), port=port, log_level="critical", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}/mcp"
    server.should_exit = True
    thread.join()


def test_tools_that_are_listed_page_by_page() -> None:
    from mcp import types
    from mcp.server.lowlevel import Server

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        page = int(getattr(params, "cursor", None) or 0)
        tool = types.Tool(name=f"book_room_{page}", input_schema={"type": "object", "properties": {}})
        return types.ListToolsResult(tools=[tool], next_cursor=str(page + 1) if page < 2 else None)

    with served(Server("hotel", on_list_tools=list_tools)) as address:
        tools, _ = tools_and_answers(address)
    assert [tool["name"] for tool in tools] == ["book_room_0", "book_room_1", "book_room_2"]


def test_a_tool_whose_call_the_server_refuses_has_no_answer() -> None:
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.shared.exceptions import MCPError

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        hints = types.ToolAnnotations(read_only_hint=True)
        tool = types.Tool(name="list_rooms", input_schema={"type": "object", "properties": {}}, annotations=hints)
        return types.ListToolsResult(tools=[tool])

    async def call_tool(context: Any, params: Any) -> types.CallToolResult:
        raise MCPError(-32600, "sign in first")

    with served(Server("hotel", on_list_tools=list_tools, on_call_tool=call_tool)) as address:
        tools, answers = tools_and_answers(address)
    assert [tool["name"] for tool in tools] == ["list_rooms"]
    assert answers == {}


def test_tools_and_what_reading_ones_answer(url: str) -> None:
    tools, answers = tools_and_answers(url)
    assert [tool["name"] for tool in tools] == ["list_rooms", "count_guests", "find_lost", "book_room"]
    assert tools[-1]["inputSchema"]["required"] == ["room_id"]
    assert list(answers) == ["list_rooms", "count_guests"], "one that fails has no answer"
    assert json.loads(answers["count_guests"]) == {"guests": 2}
    assert len(Day.refusals) == 1
    assert ROOMS[0]["view"] in answers["list_rooms"]


def test_a_domain_from_it(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "domain", "hotel", "--from-mcp", url]) == 0
    assert main(["check", "domains/hotel"]) == 0
    rooms = json.loads(load_domain("domains/hotel").environment().call("list_rooms", {}).content)
    assert [room["room_id"] for room in rooms] == ["R1", "R2"]


class _NoMcp(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(b"not json")

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def test_what_answers_otherwise_is_told_in_one_line(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _NoMcp) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        other = f"http://127.0.0.1:{server.server_port}/mcp"
        # In a process of its own: pytest has handlers for what the SDK logs.
        command = "import sys; from pytest_tau.cli import main; sys.exit(main())"
        asked = [sys.executable, "-c", command, "new", "domain", "hotel", "--from-mcp", other]
        done = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True)
        server.shutdown()
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert line.startswith(f"pytest-tau: {other} does not answer as an MCP server: ")


def test_no_server() -> None:
    with pytest.raises(SettingsError, match=r"127\.0\.0\.1:9/mcp does not answer as an MCP server"):
        tools_and_answers("http://127.0.0.1:9/mcp")
