"""Customers for tests of perturbations, in words of a test's own."""

from typing import Any

from pytest_tau import Task
from tests.builders import task


def customer(reason: str, known: str | None = None, *later: str, **fields: Any) -> Task:
    """A task of the mock domain whose customer says this."""
    instructions: dict[str, Any] = {"domain": "mock", "reason_for_call": reason, "task_instructions": "Nothing else."}
    instructions |= {"known_info": known} if known else {}
    instructions |= {"later": [{"when": "done", "say": say} for say in later]} if later else {}
    return task(**{"user_scenario": {"instructions": instructions}, **fields})
