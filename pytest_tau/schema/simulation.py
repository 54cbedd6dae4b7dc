"""A finished conversation with everything needed to grade it again."""

from enum import StrEnum
from typing import Any

from pydantic import Field

from .messages import Message
from .reward import Judgement
from .spending import Usd
from .values import Frozen, Text

# Of trials and steps; what reads a journal again takes no more.
MOST = 10**9


class Termination(StrEnum):
    """Why a conversation ended. Only the first two are graded; the rest earn 0.

    The last two are none of τ²: a test that played the conversation step by step ended before it, and the customer's
    patience came to its end.
    """

    USER_STOP = "user_stop"
    AGENT_STOP = "agent_stop"
    MAX_STEPS = "max_steps"
    TIMEOUT = "timeout"
    TOO_MANY_ERRORS = "too_many_errors"
    AGENT_ERROR = "agent_error"
    USER_ERROR = "user_error"
    INFRASTRUCTURE_ERROR = "infrastructure_error"
    TEST_ENDED = "test_ended"
    USER_LEFT = "user_left"
    STALLED = "stalled"


class UserFinding(Frozen):
    """A rule that the simulated customer broke, and the turn (an index into the messages, from 0) that shows it."""

    rule: str
    turn: int
    text: Text


class Simulation(Frozen):
    """One trial of a task, played to its end.

    ``trial`` counts from 1. Times are local ISO 8601 without zone; ``duration`` is in seconds, without what calls
    waited for the run's own limits. Costs are in USD: the sum over that side's messages (and over replies that never
    became one), None if any of them is unknown.
    ``user_seed``: the customer's own seed, if several trials share it.
    ``user_findings``: what the user audit found; None if it did not run. ``user_judgement``: the judge of the customer
    and its cost. ``discarded``: earlier attempts, in order, that were played again because their customer broke the
    rules. ``episodes``: where later conversations of the trial begin among the messages. ``knowledge``: how the agent
    accessed the domain's documents, if it has any. ``incidents``: what went wrong with replies without ending the trial
    (``agent: tool call as text``), and how often.
    """

    id: str
    domain: str
    task_id: str
    trial: int = Field(default=1, ge=1, le=MOST)
    seed: int | None = None
    user_seed: int | None = None
    solo: bool = False
    agent: str = ""
    user: str = ""
    agent_parameters: dict[str, Any] = Field(default_factory=dict)
    user_parameters: dict[str, Any] = Field(default_factory=dict)
    knowledge: str | None = None
    messages: list[Message] = Field(default_factory=list)
    episodes: list[int] = Field(default_factory=list)
    termination_reason: Termination
    steps: int = Field(default=0, ge=0, le=MOST)
    errors: int = 0
    agent_cost: Usd | None = None
    user_cost: Usd | None = None
    start_time: str = ""
    end_time: str = ""
    duration: float = 0.0
    note: Text | None = None
    user_findings: list[UserFinding] | None = None
    user_judgement: Judgement | None = None
    discarded: list["Simulation"] | None = None
    incidents: dict[str, int] = Field(default_factory=dict)
