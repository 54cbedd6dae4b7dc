"""What the tests of the options about models share: a competent agent's replies, and readers of what came of them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.errors import InfraError
from pytest_tau.llm.limits import RunLimits
from pytest_tau.schema.simulation import Simulation
from tests.llm.server import Answer, Behaviour, ChatServer, by_model, by_turn, calls, says
from tests.plugin.inner import journal

Serve = Callable[[Behaviour], ChatServer]

KEY = "sk-test-0123456789abcdef"
NOBODY = "http://127.0.0.1:9/v1"  # where nothing listens
ONE = "--tau-tasks=complete_a_task"
AGENT = "--tau-agent-llm=openai/agent"
USER = "--tau-user-llm=openai/user"
# The default reply of the server has 10 tokens in and 5 out: 0.1 USD.
PRICES = {"agent": {"input": 4000, "output": 12000}}
A_REPLY = 0.1

COMPLETE = calls(("update_task_status", {"task_id": "task_1", "status": "completed"}))
# What complete_a_task takes: two replies.
COMPETENT: Behaviour = by_turn([COMPLETE, says("It is done.")], said_before=1)
CUSTOMER: Behaviour = by_turn([says("I have watered the plants; tick off task_1."), says("Thanks. ###STOP###")])
BOTH: Behaviour = by_model({"agent": COMPETENT, "user": CUSTOMER})


# In a conftest.py: a call that would have to wait for its limit fails instead, so that nobody waits for a minute.
NO_WAITING = """
from pytest_tau import InfraError
from pytest_tau.llm.limits import RunLimits

async def _full(seconds):
    raise InfraError("the limit is reached")

RunLimits.__init__.__kwdefaults__["sleep"] = _full
"""


def never_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for runs in this process."""

    async def full(seconds: float) -> None:
        raise InfraError("the limit is reached")

    defaults = RunLimits.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "sleep", full)


def expensive(answer: Answer, tokens: int) -> Answer:
    """The answer, having read so many tokens."""
    assert isinstance(answer.body, Mapping)
    usage = {"prompt_tokens": tokens, "completion_tokens": 0, "total_tokens": tokens}
    return Answer({**answer.body, "usage": usage})


def simulations(pytester: pytest.Pytester) -> list[Simulation]:
    """The conversations of the latest run."""
    return [record.simulation for record in journal(pytester.path) if record.simulation is not None]


def prompt(server: ChatServer, model: str = "agent") -> str:
    """The system prompt of the first request for a model."""
    request: dict[str, Any] = next(request for request in server.requests if request.model == model).messages[0]
    assert request["role"] == "system"
    return str(request["content"])


def written(root: Path) -> str:
    """All that stands in a project's cassettes."""
    return "".join(path.read_text(encoding="utf-8") for path in (root / "cassettes").rglob("*.*"))
