"""What it costs to play an agent in a process of its own: CPU of all processes a turn, beside the same agent here."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pytest_tau import load_domain, load_tasks, simulate
from pytest_tau.adapters.isolated import IsolatedService

from .measuring import Result

TRIALS, TURNS = 20, 41
AGENT = f"""
from pytest_tau import AssistantMessage, ToolCall


class Calls:
    def __init__(self, context):
        self.asked = 0

    def reply(self, messages):
        self.asked += 1
        if self.asked == {TURNS}:
            return "Goodbye."
        return AssistantMessage(tool_calls=[ToolCall(id=str(self.asked), name="get_users", arguments={{}})])
"""


def cpu() -> float:
    """Seconds of this process and of those that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def seconds(factory: Callable[[Any], Any], trials: int) -> float:
    """CPU of so many trials, but for what ends later."""
    task, domain = load_tasks("mock")[0], load_domain("mock")
    began = cpu()
    for _ in range(trials):
        assert len(simulate(task, domain, factory).messages) > TURNS
    return cpu() - began


def isolated(trials: int) -> float:
    """CPU of so many trials in processes of their own, import and end included."""
    began = cpu()
    service = IsolatedService("isolation_agent:Calls")
    seconds(service.agent, trials)
    service.close()
    return cpu() - began


def main() -> None:
    """Print the lines."""
    with TemporaryDirectory() as name:
        Path(name, "isolation_agent.py").write_text(AGENT, encoding="utf-8")
        sys.path.insert(0, name)
        from isolation_agent import Calls  # type: ignore[import-not-found]

        seconds(Calls, 2)
        here = seconds(Calls, TRIALS)
        one, all_ = isolated(1), isolated(TRIALS)
    turn = 1000 * ((all_ - one) / (TRIALS - 1) - here / TRIALS) / TURNS
    print(Result("an isolated agent, a turn more than here", turn, 2, "ms", f"CPU, trials of {TURNS} turns with start"))
    print(Result("its first trial", one, 2, "s", "CPU, with the import of an agent that imports little"))


if __name__ == "__main__":
    main()
