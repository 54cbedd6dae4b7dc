"""One trial as it is kept: what a worker sends to the controller and what a line of the journal holds."""

import json
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, ValidationError

from .reward import Judgement, Reward
from .simulation import MOST, Simulation, UserFinding
from .values import Frozen, Text

VERSION = 1


class Outcome(StrEnum):
    """What became of a trial. Passed and missed are verdicts on the agent, the others are not."""

    PASSED = "passed"
    MISSED = "missed"
    INFRA_ERROR = "infra_error"
    INVALID = "invalid"
    UNGRADED = "ungraded"
    ERROR = "error"


# Verdicts, and what would not become one by playing again; an infra error or a bug may, and
# what waits for a judge that failed.
FINAL = frozenset({Outcome.PASSED, Outcome.MISSED, Outcome.INVALID, Outcome.UNGRADED})


class FaultKind(StrEnum):
    """What went wrong in a trial that did not pass; ``pytest_tau.diagnosis.faults`` says how it is told."""

    PROVIDER_FAULT = "provider_fault"
    CONTEXT_OVERFLOW = "context_overflow"
    BUDGET_REACHED = "budget_reached"
    AGENT_ENDED = "agent_ended"
    TIME_OUT = "time_out"
    USER_FAULT = "user_fault"
    CUSTOMER_LEFT = "customer_left"
    SUSPECT_GOLD = "suspect_gold"
    NEEDLESS_HAND_OVER = "needless_hand_over"
    PREMATURE_END = "premature_end"
    MISHEARD_ID = "misheard_id"
    WRONG_ARGUMENT = "wrong_argument"
    WRONG_TOOL = "wrong_tool"
    UNINTENDED_WRITE = "unintended_write"
    PARTLY_DONE = "partly_done"
    WRONG_ORDER = "wrong_order"
    POLICY_BREACH = "policy_breach"
    MISSING_INFORMATION = "missing_information"
    OTHER = "other"

    @property
    def label(self) -> str:
        """The name as people read it."""
        return self.value.replace("_", " ")


class NoReturn(Frozen):
    """The agent's message (from 0) after which a trial could no longer be passed, and what was lost with it."""

    turn: int
    text: Text


class RepairKind(StrEnum):
    """What a repair changes in a message of the agent."""

    ARGUMENT = "argument"
    LEFT_OUT = "left_out"
    ADDED = "added"
    REPLACED = "replaced"
    TOLD = "told"
    QUESTION = "question"
    REFUSAL = "refusal"


class Repair(Frozen):
    """The smallest change of one message (from 0) with which a trial would have passed.

    ``text``: the change, as in ``payment_method_id "paypal_1" → "credit_card_2"``.
    """

    turn: int
    kind: RepairKind
    text: Text

    def __str__(self) -> str:
        return f"it would have passed with this change in turn {self.turn}: {self.text}"


class Fault(Frozen):
    """Why a trial did not pass: its kind, a few words of evidence, and the message (from 0) they are about.

    ``no_return``: the step that decided it, where that was looked for and is known. ``repair``: the smallest change
    there that would have passed, where one was found.
    ``explanation``: what a model says of it, where one was asked; ``explained_by``: which, and at what price.
    """

    kind: FaultKind
    evidence: Text
    turn: int | None = None
    no_return: NoReturn | None = None
    repair: Repair | None = None
    explanation: Text | None = None
    explained_by: Judgement | None = None

    def __str__(self) -> str:
        where = "" if self.turn is None else f" (turn {self.turn})"
        said = f"{self.kind.label}: {self.evidence}{where}"
        if self.explanation is None or self.explained_by is None:
            return said
        return f"{said}; {self.explained_by.model} explains: {self.explanation}"


class TaskWorth(Frozen):
    """What the audit says of a task: the trivial agents that pass it, mutants made and noticed, and each finding.

    ``floor_only``: no more was looked at than the trivial agents. ``pictures``: of a task with pictures, the treatments
    (send, alt, drop) under which the oracle passes.
    """

    trivial: list[str] = Field(default_factory=list)
    pictures: list[str] | None = None
    mutants: int = Field(default=0, strict=True)
    noticed: int = Field(default=0, strict=True)
    findings: list[str] = Field(default_factory=list)
    floor_only: bool = False


class Variant(Frozen):
    """How a task was played other than as it is.

    ``label`` stands in its node ID. ``told``: the perturbation and its ``strength``; ``faults``: those of the tools and
    their ``rate``, the share of calls that meet one. ``seed``: of the run, from which both were drawn. ``policy``: what
    was done to a rule of the policy, whose words were ``sentence``, and all the rules that the task ``rests_on``.
    """

    label: str
    told: str = ""
    strength: float = 0.0
    faults: str = ""
    rate: float = 0.0
    seed: int = 0
    policy: str = ""
    sentence: str = ""
    rests_on: list[str] = Field(default_factory=list)


# Of an outline the values are read as they stand in the file: a text that looks like a number is none.
_Count = Annotated[int, Field(strict=True, ge=0, le=MOST)]
_Cost = Annotated[float, Field(strict=True, ge=0, le=1e300)]
_Share = Annotated[float, Field(strict=True, ge=0, le=1)]


class _SimulationOutline(Frozen):
    steps: _Count = 0
    agent: str = ""
    user: str = ""
    agent_cost: _Cost | None = None
    user_cost: _Cost | None = None
    user_seed: Annotated[int, Field(strict=True)] | None = None
    termination_reason: str | None = None
    user_findings: list[UserFinding] | None = None
    user_judgement: Judgement | None = None
    discarded: list["_SimulationOutline"] | None = None


class _ResultOutline(Frozen):
    value: float | None = None
    note: str | None = None
    judgement: Judgement | None = None


class _RetrievalOutline(Frozen):
    recall: _Share
    precision: _Share | None = None


class _RewardOutline(Frozen):
    results: list[_ResultOutline] = Field(default_factory=list)
    retrieval: _RetrievalOutline | None = None


class TrialOutline(Frozen):
    """The parts of a :class:`TrialRecord` that totals and resuming read: quick to check, however long it talked."""

    nodeid: str
    domain: str
    task_id: str
    variant: Variant | None = None
    trial: int = Field(strict=True, ge=1, le=MOST)
    outcome: Outcome
    reward: _RewardOutline | None = None
    simulation: _SimulationOutline | None = None
    fault: Fault | None = None
    hashes: dict[str, str] = Field(default_factory=dict)
    audit: TaskWorth | None = None
    graded: bool = True
    label: str | None = None


def split_nodeid(nodeid: str) -> tuple[str, str]:
    """A test, and the ids in the brackets behind its name; names of folders may have brackets too."""
    file, colons, rest = nodeid.partition("::")
    name, _, ids = rest.partition("[")
    return f"{file}{colons}{name}", ids


class TrialRecord(Frozen):
    """A finished trial with all that is needed to grade it again.

    ``trial`` counts from 1. ``simulation`` is None when the conversation did not come to an end (an error, a crash),
    ``reward`` is None when it was not graded; ``note`` then says why. ``hashes``: of what the result depends on.
    ``fault``: of a trial that was played and did not pass. ``recorded_reward``: what the file said that this trial was
    graded again from.
    ``variant``: how the task was told and its tools behaved, where that was other than as it is.
    ``audit``: of the task, on its first trial in a process and only when it was asked for. ``graded``: False while the
    conversation is over and something that follows it is not: grading, a judge of the customer, a hook. ``label``:
    which of several agents of the run has played it. ``suite``: what the marker of a test in Python names, where that
    is not the domain. ``file_in_row``: whether its row of the table names its test's file, as a test of the same name
    in another file plays the same task.
    """

    version: int = VERSION
    nodeid: str
    domain: str
    task_id: str
    variant: Variant | None = None
    trial: int = Field(ge=1)
    outcome: Outcome
    reward: Reward | None = None
    simulation: Simulation | None = None
    note: str | None = None
    fault: Fault | None = None
    recorded_reward: float | None = None
    hashes: dict[str, str] = Field(default_factory=dict)
    audit: TaskWorth | None = None
    graded: bool = True
    label: str | None = None
    suite: str | None = None
    file_in_row: bool = False

    @classmethod
    def of_line(cls, line: str) -> Self:
        """A trial from its line of the journal; raises pydantic's ValidationError."""
        try:
            return cls.model_validate_json(line)
        except ValidationError:  # so does a line that is nested deeper than this reads: a recording may hold anything
            return cls.model_validate(json.loads(line))
