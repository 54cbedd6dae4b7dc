"""What the totals need of one trial, and what it cost; read off its record as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .authors import AuthorShare, shares
from .prompt_cache import NO_CACHE, CachedPrompts
from .scores import read_scores


@dataclass(frozen=True)
class Costs:
    """What each side's model calls cost, in USD; None is unknown, and stays so in every sum."""

    agent: float | None = 0.0
    user: float | None = 0.0
    judge: float | None = 0.0

    @property
    def total(self) -> float | None:
        """All sides together."""
        return total_cost((self.agent, self.user, self.judge))

    def without_unknown(self) -> Costs:
        """What is known of them, and 0 for what is not."""
        return Costs(self.agent or 0.0, self.user or 0.0, self.judge or 0.0)

    def __add__(self, other: Costs) -> Costs:
        return Costs(
            total_cost((self.agent, other.agent)),
            total_cost((self.user, other.user)),
            total_cost((self.judge, other.judge)),
        )


UNKNOWN = Costs(None, None, None)


@dataclass(frozen=True)
class TrialFacts:
    """What the totals need of one trial; ``outcome`` and ``fault`` are values of schema.record.

    ``broken``: the rules that its customer broke, None if the user audit has not looked. ``reruns``: how often it was
    played again because of that; its cost is that of all attempts. ``replays``: how often it was played again after it
    had ended without a verdict; its cost includes what is known of these.
    ``unjudged``: a judge was to look at the customer, and its provider failed.
    ``unexplained``: a judge was to explain the miss and did not. ``unreviewed``: one was to decide what no rule can,
    and its provider failed. ``unclear``: writes before which no rule could tell
    whether the customer agreed, and no judge did. ``unread``: reasons of which no rule could tell whether the agent
    gave them. ``audit``: a schema.record.TaskWorth as plain data,
    where there is one. ``retrieval``: a schema.reward.Retrieval as plain data, where the agent searched for documents.
    ``variant``: a schema.record.Variant as plain data, where the task was not played as it is.
    ``incidents``: what went wrong with replies, and how often; of all attempts. ``ended``: why the conversation ended.
    ``prompts``: what came from providers' caches. ``authors``: the parts of several agents inside the agent.
    ``customer``: the seed of its customer, where several trials of a task have met the same. ``measured``: what the
    scores of :mod:`.scores` have read, by their names. ``label``: which of several agents of the run it was.
    """

    domain: str
    task_id: str
    outcome: str
    fault: str = ""
    steps: int = 0
    costs: Costs = UNKNOWN
    agent: str = ""
    user: str = ""
    broken: tuple[str, ...] | None = None
    reruns: int = 0
    replays: int = 0
    unjudged: bool = False
    unheard: str = ""
    unexplained: bool = False
    unreviewed: bool = False
    unclear: int = 0
    unread: int = 0
    audit: Mapping[str, Any] | None = None
    retrieval: Mapping[str, Any] | None = None
    customer: int | None = None
    variant: Mapping[str, Any] | None = None
    measured: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    effort: Mapping[str, Any] | None = None
    rating: int | None = None
    incidents: Mapping[str, int] = field(default_factory=dict)
    ended: str = ""
    prompts: CachedPrompts = NO_CACHE
    authors: Mapping[str, AuthorShare] = field(default_factory=dict)

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> TrialFacts:
        """The facts of a record as plain data: as the journal has it, or with None for what it leaves out."""
        try:
            return cls._of(content)
        except (AttributeError, TypeError, ValueError, KeyError):
            # Somebody has edited the journal into another shape: what it counts as is known all the same.
            return cls(content["domain"], content["task_id"], content["outcome"])

    @classmethod
    def _of(cls, content: Mapping[str, Any]) -> TrialFacts:
        simulation = content.get("simulation") or {}
        results = (content.get("reward") or {}).get("results") or []
        judged = [judgement for result in results if (judgement := result.get("judgement"))]
        review = (content.get("reward") or {}).get("review") or {}
        judged += [reviewer] if (reviewer := review.get("judgement")) else []
        attempts = [simulation, *(simulation.get("discarded") or [])]
        judged += [judgement for attempt in attempts if (judgement := attempt.get("user_judgement"))]
        fault = content.get("fault") or {}
        judged += [by] if (by := fault.get("explained_by")) else []
        rated = (content.get("reward") or {}).get("satisfaction") or {}
        judged += [rating] if (rating := rated.get("judgement")) else []
        findings = simulation.get("user_findings")
        checks = [check for result in results for check in result.get("checks") or []]
        costs = Costs(
            total_cost(attempt.get("agent_cost") for attempt in attempts),
            total_cost(attempt.get("user_cost") for attempt in attempts),
            total_cost(judgement.get("cost") for judgement in judged),
        )
        return cls(
            domain=content["domain"],
            task_id=content["task_id"],
            outcome=content["outcome"],
            fault=fault.get("kind", ""),
            steps=simulation.get("steps", 0),
            costs=costs if simulation else UNKNOWN,  # what an unfinished conversation cost went with it
            agent=simulation.get("agent", ""),
            user=simulation.get("user", ""),
            broken=None if findings is None else tuple(finding["rule"] for finding in findings),
            reruns=len(attempts) - 1,
            unjudged=(simulation.get("user_judgement") or {}).get("votes") == 0,
            unheard=next((str(r.get("note") or "") for r in results if _gave_no_verdict(r)), ""),
            unexplained=bool(by) and not fault.get("explanation"),
            unreviewed=(review.get("judgement") or {}).get("votes") == 0,
            unclear=sum(_unclear(check) for check in checks if not _about_a_reason(check)),
            unread=sum(_unclear(check) for check in checks if _about_a_reason(check)),
            audit=content.get("audit"),
            retrieval=(content.get("reward") or {}).get("retrieval"),
            customer=simulation.get("user_seed"),
            label=content.get("label") or "",
            variant=content.get("variant"),
            measured=read_scores(content),
            effort=(content.get("reward") or {}).get("effort"),
            rating=rating_of(rated),
            incidents=_numbers(attempt.get("incidents") for attempt in attempts),
            ended=simulation.get("termination_reason") or "",
            prompts=CachedPrompts.of(attempts, judged),
            authors=shares(content),
        )


def _numbers(parts: Iterable[Any]) -> Counter[str]:
    """The sums of counts by name, of what is one in a journal that anybody may have edited."""
    total = Counter[str]()
    for part in parts:
        if isinstance(part, Mapping):
            total.update({name: number for name, number in part.items() if isinstance(number, int)})
    return total


def rating_of(rated: Mapping[str, Any]) -> int | None:
    """The score of a rating, in a journal that anybody may have edited."""
    score = rated.get("score")
    return score if isinstance(score, int) and 1 <= score <= 5 else None


def _gave_no_verdict(result: Mapping[str, Any]) -> bool:
    return (result.get("judgement") or {}).get("votes") == 0 and result.get("value") is None


def _about_a_reason(check: Any) -> bool:
    return isinstance(check, Mapping) and check.get("kind") == "reason"


def _unclear(check: Any) -> int:
    """How many things a check of a journal, which anybody may have edited, calls unclear."""
    number = check.get("unclear") if isinstance(check, Mapping) else 0
    return number if isinstance(number, int) else 0


_MOST_COST = 1e300  # a file may hold any number


def total_cost(costs: Iterable[float | None]) -> float | None:
    """The sum, None as soon as one is unknown, or is no number in a file that somebody has edited."""
    total = 0.0
    for cost in costs:
        if not isinstance(cost, (int, float)):
            return None
        total += min(cost, _MOST_COST)
    return total
