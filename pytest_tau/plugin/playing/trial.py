"""What it takes to play one trial, what comes of it, and where its test keeps that."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from ..run import Run

if TYPE_CHECKING:
    from ...conversation.faults import Verdict
    from ...conversation.limits import Limits
    from ...conversation.protocols import AgentFactory, Plan, UserFactory
    from ...schema.record import Fault
    from ...schema.reward import CriterionResult, Reward
    from ...schema.simulation import Simulation
    from ..collecting.slot import Slot
    from .models import TrialModels

# Runs a coroutine to its end and returns what it returns.
Wait = Callable[[Coroutine[Any, Any, Any]], Any]


@dataclass(frozen=True)
class Finished:
    """A trial that was played; ``reward`` is None where nothing is graded, ``fault`` says why it did not pass."""

    simulation: Simulation
    reward: Reward | None
    fault: Fault | None = None


@dataclass(frozen=True)
class TrialRequest:
    """All that it takes to run one trial beside the settings of its run, and whose it is.

    ``before``: what an earlier run, or a worker that died, has left of it.
    """

    run: Run
    item: pytest.Item
    slot: Slot
    agent: AgentFactory
    agent_name: str
    user: UserFactory
    user_name: str
    solo: bool
    plan: Plan | None
    limits: Limits
    models: TrialModels
    classify: Callable[[BaseException], Verdict]
    grade: Callable[[Simulation], Sequence[CriterionResult]]
    before: Finished | None = None


# Gives the finished trial for a request, now or from earlier work; raises what the trial raised, or NotRun.
Play = Callable[[TrialRequest], Finished]

PLAYED: pytest.StashKey[Simulation | None] = pytest.StashKey()
"""Where a test keeps its conversation, from its end until the trial is finished."""
GRADED: pytest.StashKey[tuple[Finished, str] | None] = pytest.StashKey()
"""Where it keeps a finished trial beside its line of the journal, which is long to write."""
BROKEN_OFF: pytest.StashKey[Simulation | None] = pytest.StashKey()
"""Where a test keeps a conversation that an exception of a player has broken off: what it took and cost is known."""
