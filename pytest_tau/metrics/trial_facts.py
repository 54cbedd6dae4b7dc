"""What the totals need of one trial, and what it cost; read off its record as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..schema.reward import NO_ANSWER, NO_VERDICT
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
class CustomerFacts:
    """What a trial's customer did.

    Attributes:
        seed: theirs, where several trials of a task have met the same.
        broken: the rules that they broke; None if the user audit has not looked.
        unjudged: whether a judge was to look at them, and its provider failed.
        reruns: how often the trial was played again because of them; its cost is that of all attempts.
        rating: their satisfaction, 1 to 5; None where it was not rated.
        unrated: whether a judge was to rate it and gave no answer.
    """

    seed: int | None = None
    broken: tuple[str, ...] | None = None
    unjudged: bool = False
    reruns: int = 0
    rating: int | None = None
    unrated: bool = False


@dataclass(frozen=True)
class _Undecided:
    """What grading a trial has left undecided; of one that is lost, nothing that is unclear: it changes nothing there.

    Attributes:
        waiting: the criteria of an ungraded trial that wait for a judge.
        unheard: the note of a criterion whose judge gave no verdict.
        unsaid: whether an assertion counts as not met because nothing that its judge said could be read.
        unexplained: whether a judge was to explain the miss and did not.
        unreviewed: why one that was to decide what no rule can has read nothing; "" where it has, or was not to.
        unsettled: whether a judge has read it and left something unclear; that is in none of the numbers below, which a
            judge would decide.
        unclear: writes before which no rule could tell whether the customer agreed.
        unread: reasons of which no rule could tell whether the agent gave them.
        unseen: what the agent tells and nothing shows.
    """

    waiting: tuple[str, ...] = ()
    unheard: str = ""
    unsaid: bool = False
    unexplained: bool = False
    unreviewed: str = ""
    unsettled: bool = False
    unclear: int = 0
    unread: int = 0
    unseen: int = 0


@dataclass(frozen=True)
class Measures:
    """What was measured of a trial besides its verdict, as plain data.

    Attributes:
        scores: what those of :mod:`.scores` have read, by their names.
        effort: what it took the customer; None where that was not counted.
        retrieval: a schema.reward.Retrieval, where the agent searched for documents.
    """

    scores: Mapping[str, Any] = field(default_factory=dict)
    effort: Mapping[str, Any] | None = None
    retrieval: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class ReplyFacts:
    """What is known of the replies of a trial.

    Attributes:
        incidents: what went wrong with them, and how often; of all attempts.
        prompts: what came from providers' caches.
        authors: the parts of several agents inside the agent.
    """

    incidents: Mapping[str, int] = field(default_factory=dict)
    prompts: CachedPrompts = NO_CACHE
    authors: Mapping[str, AuthorShare] = field(default_factory=dict)


@dataclass(frozen=True)
class TrialFacts:
    """What the totals need of one trial.

    Attributes:
        domain, task_id: which task it is of.
        outcome, fault: values of schema.record; ``fault`` is "" without one.
        steps: how many steps its conversation had.
        costs: what it cost.
        agent, user: who played, by the names that stand on records.
        label: which of several agents of the run it was.
        ended: why the conversation ended.
        replays: how often it was played again after it had ended without a verdict; its cost includes what is known of
            these.
        file_in_row: whether tests of one name in several files are told apart by these.
        variant: a schema.record.Variant as plain data, where the task was not played as it is.
        audit: a schema.record.TaskWorth as plain data, where there is one.
    """

    domain: str
    task_id: str
    outcome: str
    fault: str = ""
    steps: int = 0
    costs: Costs = UNKNOWN
    agent: str = ""
    user: str = ""
    label: str = ""
    ended: str = ""
    replays: int = 0
    file_in_row: bool = False
    variant: Mapping[str, Any] | None = None
    audit: Mapping[str, Any] | None = None
    customer: CustomerFacts = CustomerFacts()
    undecided: _Undecided = _Undecided()
    measures: Measures = field(default_factory=Measures)
    replies: ReplyFacts = field(default_factory=ReplyFacts)

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
        simulation, reward, fault = (content.get(name) or {} for name in ("simulation", "reward", "fault"))
        attempts = [simulation, *(simulation.get("discarded") or [])]
        judged = _judgements(attempts, reward, fault)
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
            label=content.get("label") or "",
            ended=simulation.get("termination_reason") or "",
            file_in_row=content.get("file_in_row") is True,
            variant=content.get("variant"),
            audit=content.get("audit"),
            customer=_customer_facts(simulation, reward),
            undecided=_find_undecided(reward, fault, is_ungraded=content["outcome"] == "ungraded"),
            measures=Measures(read_scores(content), reward.get("effort"), reward.get("retrieval")),
            replies=ReplyFacts(
                _numbers(attempt.get("incidents") for attempt in attempts),
                CachedPrompts.of(attempts, judged),
                shares(content),
            ),
        )


def _judgements(
    attempts: Sequence[Mapping[str, Any]], reward: Mapping[str, Any], fault: Mapping[str, Any]
) -> list[Mapping[str, Any]]:
    """All that judges said about a trial."""
    found = [result.get("judgement") for result in reward.get("results") or []]
    found += [(reward.get("review") or {}).get("judgement")]
    found += [attempt.get("user_judgement") for attempt in attempts]
    found += [fault.get("explained_by"), (reward.get("satisfaction") or {}).get("judgement")]
    return [judgement for judgement in found if judgement]


def _customer_facts(simulation: Mapping[str, Any], reward: Mapping[str, Any]) -> CustomerFacts:
    findings, rated = simulation.get("user_findings"), reward.get("satisfaction") or {}
    return CustomerFacts(
        seed=simulation.get("user_seed"),
        broken=None if findings is None else tuple(finding["rule"] for finding in findings),
        unjudged=(simulation.get("user_judgement") or {}).get("votes") == 0,
        reruns=len(simulation.get("discarded") or []),
        rating=rating_of(rated),
        unrated=bool(rated) and rated.get("score") is None,
    )


def _find_undecided(reward: Mapping[str, Any], fault: Mapping[str, Any], *, is_ungraded: bool) -> _Undecided:
    results = reward.get("results") or []
    waiting = [one for one in results if is_ungraded and one.get("in_basis") is not False]
    is_lost = reward.get("value") == 0.0
    checks = [] if is_lost else [check for result in results for check in result.get("checks") or []]
    unclear = Counter[str]()
    for check in checks:
        unclear[_kind(check)] += _unclear(check)
    votes = ((reward.get("review") or {}).get("judgement") or {}).get("votes")
    unsettled = bool(votes) and unclear.total() > 0
    if unsettled:
        unclear.clear()
    return _Undecided(
        waiting=tuple(str(r.get("criterion")) for r in waiting if r.get("value") is None),
        unheard=next((str(r.get("note") or "") for r in results if _gave_no_verdict(r)), ""),
        unsaid=any(map(_is_unsaid, results)),
        unexplained=bool(fault.get("explained_by")) and not fault.get("explanation"),
        unreviewed=_why_unread(reward.get("review") or {}),
        unsettled=unsettled,
        unclear=unclear.total() - unclear["reason"] - unclear["claims"],
        unread=unclear["reason"],
        unseen=unclear["claims"],
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


def _why_unread(review: Mapping[str, Any]) -> str:
    if (review.get("judgement") or {}).get("votes") != 0:
        return ""
    said = next((str(one.get("why") or "") for one in review.get("answers") or []), "")
    return said.removeprefix(NO_ANSWER) or "its provider failed"


def _is_unsaid(result: Mapping[str, Any]) -> bool:
    checks = result.get("checks") or [] if result.get("in_basis") is not False else []
    return any(str(check.get("explanation") or "").endswith(NO_VERDICT) for check in checks)


def _kind(check: Any) -> str:
    return str(check.get("kind")) if isinstance(check, Mapping) else ""


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
