"""One trial as it is kept: what a worker sends to the controller and what a line of the journal holds."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from .messages import Frozen
from .reward import Reward
from .simulation import Simulation

VERSION = 1


class Outcome(StrEnum):
    """What became of a trial. Passed and missed are verdicts on the agent, the others are not."""

    PASSED = "passed"
    MISSED = "missed"
    INFRA_ERROR = "infra_error"
    INVALID = "invalid"
    UNGRADED = "ungraded"
    ERROR = "error"


class TrialRecord(Frozen):
    """A finished trial with all that is needed to grade it again.

    ``trial`` counts from 1. ``simulation`` is None when the conversation did not come to an end (an error, a crash),
    ``reward`` is None when it was not graded; ``note`` then says why. ``hashes``: of what the result depends on.
    """

    version: int = VERSION
    nodeid: str
    domain: str
    task_id: str
    trial: int = Field(ge=1)
    outcome: Outcome
    reward: Reward | None = None
    simulation: Simulation | None = None
    note: str | None = None
    hashes: dict[str, str] = Field(default_factory=dict)
