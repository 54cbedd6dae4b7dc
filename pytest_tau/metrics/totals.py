"""Running totals of a run: enough for the table at the end, without keeping any conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean
from typing import Any, Literal

from .authors import AuthorShare
from .intervals import mean_interval
from .judge_errors import JudgeErrors
from .pass_k import pass_hat_k
from .policy import UNDER_POLICY
from .prompt_cache import CachedPrompts
from .score import plain_row
from .shared_tasks import by_task, shared_row, shared_task
from .trial_facts import Costs, CustomerFacts, Measures, TrialFacts


@dataclass
class TaskTotals:
    """One task's trials so far.

    ``spared``: planned trials that were not played because every gate was decided. ``played``: trials with ``steps``.
    ``dearest``: USD of the dearest. ``in_vain``: USD of those that ended without a verdict, as far as it is known.
    ``recalls``, ``precisions``: of the trials whose agent was to find documents, and of those in which it found any.
    ``customers``: (passed, graded) trials with each, where several have met the same. ``measured``: what scores have
    read off its trials, by their names.
    """

    planned: int = 0
    spared: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    steps: int = 0
    played: int = 0
    costs: Costs = field(default_factory=Costs)
    dearest: float | None = 0.0
    in_vain: float = 0.0
    replays: int = 0
    audited: int = 0
    suspect: int = 0
    broken: Counter[str] = field(default_factory=Counter)
    reruns: int = 0
    unjudged: int = 0
    unheard: Counter[str] = field(default_factory=Counter)
    audit: Mapping[str, Any] | None = None
    recalls: list[float] = field(default_factory=list)
    precisions: list[float] = field(default_factory=list)
    efforts: int = 0
    effort: Counter[str] = field(default_factory=Counter)
    ratings: list[int] = field(default_factory=list)
    unrated: int = 0
    customers: dict[int, tuple[int, int]] = field(default_factory=dict)
    measured: dict[str, list[Any]] = field(default_factory=dict)

    def add(self, facts: TrialFacts) -> None:
        """Count a finished trial."""
        self.outcomes[facts.outcome] += 1
        self.steps += facts.steps
        self.played += facts.steps > 0
        self.costs += facts.costs
        cost = facts.costs.total
        self.dearest = None if cost is None or self.dearest is None else max(self.dearest, cost)
        if facts.outcome not in ("passed", "missed"):
            self.in_vain += cost or 0.0
        self.replays += facts.replays
        self.audit = facts.audit or self.audit
        if facts.undecided.unheard:
            self.unheard[facts.undecided.unheard] += 1
        self._add_customer(facts.customer, facts.outcome)
        self._add_measures(facts.measures)

    def _add_customer(self, customer: CustomerFacts, outcome: str) -> None:
        if customer.seed is not None and outcome in ("passed", "missed"):
            passed, graded = self.customers.get(customer.seed, (0, 0))
            self.customers[customer.seed] = (passed + (outcome == "passed"), graded + 1)
        self.audited += customer.broken is not None
        self.suspect += bool(customer.broken)
        self.broken.update(customer.broken or ())
        self.reruns += customer.reruns
        self.unjudged += customer.unjudged
        self.unrated += customer.unrated
        if customer.rating is not None:
            self.ratings.append(customer.rating)

    def _add_measures(self, measures: Measures) -> None:
        if isinstance(measures.effort, Mapping):
            self.efforts += 1
            numbers = {name: one for name, one in measures.effort.items() if isinstance(one, (int, float))}
            self.effort.update(numbers)
        if measures.retrieval is not None:
            self.recalls.append(measures.retrieval["recall"])
            if measures.retrieval.get("precision") is not None:
                self.precisions.append(measures.retrieval["precision"])
        for name, value in measures.scores.items():
            self.measured.setdefault(name, []).append(value)

    @property
    def cost(self) -> float | None:
        """USD of all trials, None when that of any is unknown."""
        return self.costs.total

    @property
    def passed(self) -> int:
        """Trials that passed."""
        return self.outcomes["passed"]

    @property
    def graded(self) -> int:
        """Trials with a verdict on the agent: passed or missed."""
        return self.outcomes["passed"] + self.outcomes["missed"]

    @property
    def done(self) -> int:
        """Trials that came to any end."""
        return self.outcomes.total()

    @property
    def to_play(self) -> int:
        """Trials that were meant to be run, at least those that were, without those that were spared."""
        return max(self.planned - self.spared, self.done)

    @property
    def due(self) -> int:
        """Trials that should have a verdict: all that were planned, but for those spared or waiting for a judge."""
        return self.to_play - self.outcomes["ungraded"]


@dataclass(frozen=True)
class PassK:
    """pass^k over ``tasks`` tasks, with its 95 % interval as in :func:`.intervals.pass_k_interval`.

    A run that was stopped when it was decided has no such interval: both ends are the value.
    """

    k: int
    value: float
    low: float
    high: float
    tasks: int


class Totals:
    """Collects trials of any domains; task keys are (domain, task id).

    ``not_run`` counts planned trials that were not even begun, by the reason for that. ``labels``: of a run of several
    agents, which of them a row is about. ``variants``: of the rows, those whose tasks were told or shown otherwise,
    each with its schema.record.Variant as plain data. ``players``: the agents that played each row, by the names that
    stand on records. ``judge``: how often the judge of the run is wrong, if it has a passport that holds for it.
    ``unneeded``: trials under a changed policy that were not played, because their rule was decided.
    ``incidents``: what went wrong with replies, as in schema.incidents. ``endings``: trials by why they ended.
    ``overflown``: those that outgrew a model's context window by their outcome, whatever else was an infra error.
    ``prompts``: what came from providers' caches. ``authors``: the parts of several agents inside the agent.
    """

    def __init__(self) -> None:
        self.tasks: dict[tuple[str, str], TaskTotals] = {}
        self.variants: dict[str, Mapping[str, Any]] = {}
        self.not_run: Counter[str] = Counter()
        self.players: dict[str, set[str]] = {}
        self.users: set[str] = set()
        self.faults: Counter[str] = Counter()
        self.overflown: Counter[str] = Counter()
        self.waiting: Counter[str] = Counter()
        self.unexplained = self.unsaid = 0
        self.unreviewed: Counter[str] = Counter()
        self.unclear: list[int] = []
        self.unread = self.unseen = self.unsettled = 0
        self.labels: dict[str, str] = {}
        self.incidents: Counter[str] = Counter()
        self.endings: Counter[str] = Counter()
        self.judge: JudgeErrors | None = None
        self.unneeded = 0
        self.prompts = CachedPrompts()
        self.authors: dict[str, AuthorShare] = {}

    @property
    def agents(self) -> set[str]:
        """Who played, of all rows."""
        return {agent for players in self.players.values() for agent in players}

    @property
    def is_whole(self) -> bool:
        """Whether all rows are about one agent, so that a number over all of them says something."""
        return not self.labels and len({frozenset(players) for players in self.players.values()}) <= 1

    def plan(self, domain: str, task_id: str, trials: int) -> None:
        """Note how many trials of a task this run means to do."""
        self._task(domain, task_id).planned += trials

    def add(self, facts: TrialFacts) -> None:
        """Count a finished trial."""
        row = facts.domain
        if facts.variant is not None:
            self.variants[row] = facts.variant
        self._task(row, facts.task_id).add(facts)
        if facts.label:
            self.labels[row] = facts.label
        if facts.agent:
            self.players.setdefault(row, set()).add(facts.agent)
        self.users |= {facts.user} - {""}
        self.faults.update({facts.fault} - {""})
        self.overflown[facts.outcome] += facts.fault == "context_overflow"
        self.endings.update({facts.ended} - {""})
        self.incidents.update(facts.replies.incidents)
        self.prompts += facts.replies.prompts
        for author, share in facts.replies.authors.items():
            self.authors[author] = self.authors.get(author, AuthorShare()) + share
        self.waiting.update(facts.undecided.waiting)
        self.unexplained += facts.undecided.unexplained
        self.unsaid += facts.undecided.unsaid
        if why := facts.undecided.unreviewed:
            self.unreviewed[why] += 1
        self.unclear += [facts.undecided.unclear] * bool(facts.undecided.unclear)
        self.unsettled += facts.undecided.unsettled
        self.unread += bool(facts.undecided.unread)
        self.unseen += bool(facts.undecided.unseen)

    def _task(self, domain: str, task_id: str) -> TaskTotals:
        return self.tasks.setdefault((domain, task_id), TaskTotals())

    def arrange(self, order: Iterable[tuple[str, str]]) -> None:
        """Put tasks, and with them rows and agents, into an order; those that are not in it come last, as they came."""
        place = {key: number for number, key in enumerate(order)}
        self.tasks = dict(sorted(self.tasks.items(), key=lambda one: place.get(one[0], len(place))))
        rows = {row: number for number, row in enumerate(self.domains())}
        self.labels = dict(sorted(self.labels.items(), key=lambda one: rows.get(one[0], len(rows))))

    def by_agent(self) -> dict[str, Totals]:
        """The totals of each of several agents by label, with rows named as those of one; empty where one played."""
        found: dict[str, Totals] = {label: Totals() for label in self.labels.values()}
        for part in found.values():
            part.judge = self.judge
        for (row, task_id), task in self.tasks.items():
            if label := self.labels.get(row):
                own = shared_row(row, label)
                found[label].tasks[own, task_id] = task
                found[label].variants |= {own: self.variants[row]} if row in self.variants else {}
        return found

    def number_of_tasks(self) -> int:
        """How many tasks there are, each once, whichever agents played it and however it was told or shown."""
        if each := self.by_agent():
            return len({shared_task(*key) for part in each.values() for key in part.tasks})
        return self.without_variants().tasks_of()

    def without_variants(self) -> Totals:
        """The same without tasks that were told or shown otherwise: what pass^k without further words is about."""
        if not self.variants:
            return self
        plain = copy(self)
        plain.variants = {}
        plain.tasks = {key: task for key, task in self._of(None) if key[0] not in self.variants}
        return plain

    def without_mutants(self) -> Totals:
        """The same without tasks that were played under a changed policy, whose results have a table of their own."""
        changed = {row for row in self.variants if self.is_mutant(row)}
        if not changed:
            return self
        kept = copy(self)
        kept.variants = {row: variant for row, variant in self.variants.items() if row not in changed}
        kept.tasks = {key: task for key, task in self.tasks.items() if key[0] not in changed}
        return kept

    def is_mutant(self, row: str) -> bool:
        """Whether the tasks of a row were played under a changed policy."""
        return bool(self.variants.get(row, {}).get("policy"))

    def variant_of(self, row: str) -> str:
        """The label of a row's variant; "" for tasks as they are."""
        return str(self.variants[row].get("label", "")) if row in self.variants else ""

    def plain_row(self, row: str) -> str:
        """The row with the same tasks as they are."""
        return plain_row(row, self.variant_of(row))

    def domains(self) -> list[str]:
        """The domains seen, in order of appearance."""
        return list(dict.fromkeys(domain for domain, _ in self.tasks))

    def of(self, domain: str | None = None) -> list[TaskTotals]:
        """The tasks of one row, or those of all rows, of each."""
        return [task for _, task in self._of(domain)]

    def _of(self, domain: str | None) -> list[tuple[tuple[str, str], TaskTotals]]:
        # A copy, because the thread that tells the progress reads while trials come in.
        return [(key, task) for key, task in list(self.tasks.items()) if domain in (None, key[0])]

    def tasks_of(self, domain: str | None = None) -> int:
        """How many tasks one row is about, or all; one that several rows are about is one."""
        return len({shared_task(*key) for key, _ in self._of(domain)})

    def outcomes(self, domain: str | None = None) -> Counter[str]:
        """How many trials came to which end."""
        return sum((task.outcomes for task in self.of(domain)), Counter())

    def read_by_a_judge(self) -> int:
        """How many trials a judge has read, and decided about the agent."""
        return sum(one.read for task in self.of() for one in task.measured.get(UNDER_POLICY.name, ()))

    def done(self, domain: str | None = None) -> int:
        """Trials that came to any end."""
        return sum(task.done for task in self.of(domain))

    def planned(self, domain: str | None = None) -> int:
        """Trials that were meant to be run, at least those that were, without those that were spared."""
        return sum(task.to_play for task in self.of(domain))

    def spared(self, domain: str | None = None) -> int:
        """Trials that were not played because every gate was decided."""
        return sum(task.spared for task in self.of(domain))

    def replays(self, domain: str | None = None) -> int:
        """How often trials were played again after they had ended without a verdict."""
        return sum(task.replays for task in self.of(domain))

    def costs(self, domain: str | None = None) -> Costs:
        """What each side cost in all trials."""
        return sum((task.costs for task in self.of(domain)), Costs())

    def cost(self, domain: str | None = None) -> float | None:
        """USD of all trials, None when that of any is unknown."""
        return self.costs(domain).total

    def mean_steps(self, domain: str | None = None) -> float | None:
        """Steps per trial that was played."""
        played = sum(task.played for task in self.of(domain))
        return sum(task.steps for task in self.of(domain)) / played if played else None

    def of_each_task(
        self,
        estimate: Callable[[int, int], float],
        domain: str | None = None,
        *,
        least: int = 1,
        missing: Literal["left out", "miss", "pass"] = "left out",
    ) -> dict[tuple[str, str], float]:
        """What is estimated from (passed, trials) of each task of one row, or of all.

        A task that several rows are about, as tests with parameters are, has one value: it counts once.

        Args:
            estimate: from the graded trials of a task in a row.
            domain: the row.
            least: trials that are needed for it.
            missing: whether other trials that are due count, and as what.
        """
        pairs = ((shared_task(*key), _passed_and_trials(task, missing)) for key, task in self._of(domain))
        each = by_task((key, estimate(*pair)) for key, pair in pairs if pair[1] >= least)
        return {key: fmean(values) for key, values in each.items()}

    def pass_hat(
        self, domain: str | None = None, *, missing: Literal["left out", "miss", "pass"] = "left out"
    ) -> list[PassK]:
        """pass^1 … pass^k over graded trials; ``missing``: whether the others that are due count, and as what."""
        found = []
        most = max((_passed_and_trials(task, missing)[1] for task in self.of(domain)), default=0)
        for k in range(1, most + 1):
            values = self.of_each_task(partial(pass_hat_k, k=k), domain, least=k, missing=missing).values()
            if values:
                value, interval = fmean(values), mean_interval(values)
                ends = (value, value) if self.spared() else (interval.low, interval.high)
                found.append(PassK(k, value, *ends, len(values)))
        return found


def _passed_and_trials(task: TaskTotals, missing: Literal["left out", "miss", "pass"]) -> tuple[int, int]:
    """(passed, trials) of a task."""
    if missing == "left out":
        return task.passed, task.graded
    return task.passed + (task.due - task.graded) * (missing == "pass"), task.due
