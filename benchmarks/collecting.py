"""Collecting one array of 2,285 tasks, four trials each, beside a plain parametrized test of as many items."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.measuring import Result, bare, interleaved

TASKS, K = 2285, 4
PAIRS = 7
LIMIT = 1.1
COLLECT = ["-m", "pytest", "--collect-only", "-qq", *bare()]
PLAIN = """
import pytest

@pytest.mark.parametrize("trial", [pytest.param(n, id=f"task_{n // K:04}-trial{n % K + 1}") for n in range(TASKS * K)])
def test_task(trial):
    pass
"""


def task(number: int) -> dict[str, Any]:
    """A task of the domain mock, about as long as the public ones."""
    calls = [
        {
            "action_id": f"call_{step}",
            "name": "update_task_status",
            "arguments": {"task_id": "task_1", "status": status},
        }
        for step, status in enumerate(["completed", "pending", "completed"])
    ]
    held = {"task_id": "task_1", "expected_status": "completed"}
    return {
        "id": f"task_{number:04}",
        "description": {"purpose": f"Number {number} of many."},
        "user_scenario": {
            "instructions": {
                "domain": "mock",
                "reason_for_call": "Please tick off a task of mine. " * 10,
                "known_info": "You are Nadia Brandt, user_1, and the task is task_1. " * 5,
                "task_instructions": "You want this task completed and nothing else. " * 20,
            }
        },
        "evaluation_criteria": {
            "actions": calls,
            "env_assertions": [{"env_type": "assistant", "func_name": "assert_task_status", "arguments": held}],
            "reward_basis": ["DB", "ENV_ASSERTION"],
        },
    }


def main() -> None:
    """Print the line."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        suite = folder / "tasks" / "mock" / "base.json"
        suite.parent.mkdir(parents=True)
        suite.write_text(json.dumps([task(number) for number in range(TASKS)]), encoding="utf-8")
        (folder / "test_plain.py").write_text(f"TASKS, K = {TASKS}, {K}\n{PLAIN}", encoding="utf-8")
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        ours = [*COLLECT, "tasks/mock/base.json", "--tau-k", str(K)]
        pairs = interleaved(ours, [*COLLECT, "-p", "no:tau", "test_plain.py"], folder, PAIRS)
    tau, plain = (median(times) for times in zip(*pairs, strict=True))
    note = f"{TASKS} tasks × {K} in {tau:.2f} s, {TASKS * K} plain items in {plain:.2f} s"
    print(Result("collecting, to plain parametrize", tau / plain, LIMIT, "×", note))


if __name__ == "__main__":
    main()
