"""One gate, held against a run by itself."""

from collections.abc import Sequence
from typing import Any

from pytest_tau.metrics.gate import Gate
from pytest_tau.metrics.gate_verdict import evaluate_all
from pytest_tau.metrics.task_results import GateResult, TaskResult


def evaluate(gate: Gate, tasks: Sequence[TaskResult], **chosen: Any) -> GateResult:
    """What comes of the gate."""
    [result] = evaluate_all([gate], tasks, **chosen)
    return result
