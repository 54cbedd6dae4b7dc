"""Agents that the official A2A SDK serves; ``.ci/frameworks a2a`` installs it."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest

from pytest_tau import grade, simulate
from pytest_tau.adapters.services import service
from pytest_tau.schema.simulation import Simulation, Termination
from tests.adapters.server import complete_a_task
from tests.builders import mock

pytest.importorskip("a2a.server.routes", reason="the A2A SDK is not installed (.ci/frameworks a2a)")
A2A: Any = import_module("tests.adapters.a2a_shop")


@contextmanager
def served(way: str) -> Iterator[str]:
    """An agent that answers in one of the ways that A2A has."""
    uvicorn = import_module("uvicorn")
    with socket.create_server(("127.0.0.1", 0)) as held:
        url = f"http://127.0.0.1:{held.getsockname()[1]}/"
        server = uvicorn.Server(uvicorn.Config(A2A.app(url, way), log_level="warning"))
        thread = threading.Thread(target=server.run, args=([held],))
        thread.start()
        try:
            yield url
        finally:
            server.should_exit = True
            thread.join()


def played(way: str) -> Simulation:
    with served(way) as url:
        made = service(f"a2a+{url}")
        made.check()
        return simulate(complete_a_task(), mock(), made.agent)


@pytest.mark.parametrize("way", ["message", "task", "input-required", "artifact"])
def test_it_passes_a_task_by_messages_and_by_tasks(way: str) -> None:
    simulation = played(way)
    assert [call.name for m in simulation.messages if m.role == "assistant" for call in m.tool_calls or ()] == [
        "update_task_status"
    ]
    assert grade(complete_a_task(), simulation, mock()).passed


def test_a_task_that_has_failed_is_the_agents_miss() -> None:
    simulation = played("failed")
    assert simulation.termination_reason is Termination.AGENT_ERROR
    assert "the desk is closed" in (simulation.note or "")
