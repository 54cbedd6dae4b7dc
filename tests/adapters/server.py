"""An agent behind an address: a JSON server on loopback that does what a test tells it to."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from pytest_tau import Task, load_tasks

CALL: dict[str, Any] = {"name": "update_task_status", "arguments": {"task_id": "task_1", "status": "completed"}}
"""What the task complete_a_task takes."""


@dataclass(frozen=True)
class Asked:
    """One request; header names are lower-case, ``body`` is None for a GET."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass
class Answer:
    """What is sent back: JSON, or bytes as they are."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hold: threading.Event | None = None


Behaviour = Callable[[Asked], Answer]


class AgentServer:
    """The server; ``asked`` is every POST, ``looked`` every GET, in the order of arrival."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self.asked: list[Asked] = []
        self.looked: list[Asked] = []
        self.http = _Http(self)

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        return f"http://127.0.0.1:{self.http.server_address[1]}"

    def answer(self, asked: Asked) -> Answer:
        """Note a request and answer it."""
        (self.looked if asked.method == "GET" else self.asked).append(asked)
        return self._behaviour(asked)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, agent: AgentServer) -> None:
        self.agent = agent
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a client that gave up is no failure of the test."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http

    def do_GET(self) -> None:
        self._answer("GET", None)

    def do_POST(self) -> None:
        self._answer("POST", json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _answer(self, method: str, body: Any) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server.agent.answer(Asked(method, self.path, headers, body))
        if answer.hold is not None:
            answer.hold.wait(30.0)
        data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@contextmanager
def serving(behaviour: Behaviour) -> Iterator[AgentServer]:
    """A server that does this, as long as the block lasts."""
    agent = AgentServer(behaviour)
    thread = threading.Thread(target=agent.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield agent
    finally:
        agent.http.shutdown()
        agent.http.server_close()
        thread.join()


def competent(asked: Asked) -> Answer:
    """An agent of the protocol ``simple`` that does what complete_a_task takes."""
    if asked.body is None:
        return Answer({"ok": True})
    if asked.body["messages"][-1]["role"] == "tool":
        return Answer({"content": "It is done."})
    return Answer({"tool_calls": [CALL]})


def complete_a_task() -> Task:
    """The task."""
    return next(task for task in load_tasks("mock") if task.id == "complete_a_task")


def node() -> str:
    """Node's program; skips the test where there is none."""
    import shutil
    import subprocess

    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.removeprefix("v").partition(".")[0]) < 18:
        pytest.skip(f"node {version} has no fetch: 18 or newer is needed")
    return found
