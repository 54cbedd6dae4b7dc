"""What the HTML report says about all trials together: rows of the heat map, what the browser is given, distributions.

Grows by a few words and numbers a trial; conversations are not kept here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..metrics.shared_tasks import shared_row
from ..metrics.tally import row_of_trial
from ..metrics.totals import Totals
from ..metrics.trial_facts import TrialFacts
from .distributions import Histogram, histogram
from .evidence import steps_of, task_view, visible_text
from .terminal import duration, money

if TYPE_CHECKING:
    from ..schema.record import TrialRecord
    from ..schema.simulation import Simulation
    from ..schema.task import Task

TaskKey = tuple[str, str]
Baseline = Mapping[TaskKey, tuple[int, int]]

MEASURES = {
    "agent cost": money,
    "time": lambda value: (
        f"{1000 * value:.0f} ms" if value < 0.1 else f"{value:.1f} s" if value < 90 else duration(value)
    ),
    "steps": lambda value: f"{value:.0f}",
    "tokens": lambda value: f"{value:,.0f}",
}
"""The quantities whose distributions are shown, with how a value is written."""


@dataclass
class Row:
    """A task with the numbers of its trials, in the order of the heat map.

    ``domain`` is the row of the table that it counts in, ``home`` the domain itself.
    """

    domain: str
    task_id: str
    tags: list[str]
    number: int
    cells: list[tuple[int, int, str]] = field(default_factory=list)  # trial, its position, outcome
    graded: tuple[int, int] = (0, 0)
    before: tuple[int, int] | None = None
    home: str = ""

    @property
    def name(self) -> str:
        """Domain and task."""
        return visible_text(f"{self.domain}/{self.task_id}")

    @property
    def change(self) -> float | None:
        """How much more often it passes than in the baseline, −1 … 1."""
        if self.before is None or not self.before[1] or not self.graded[1]:
            return None
        return self.graded[0] / self.graded[1] - self.before[0] / self.before[1]

    @property
    def turned(self) -> str:
        """What to call a change from one extreme to the other."""
        return {-1.0: "always → never", 1.0: "never → always"}.get(self.change or 0.0, "")


class Page:
    """What the page says about all trials together; grows by a few words a trial."""

    def __init__(
        self,
        tasks: Mapping[TaskKey, Task],
        totals: Totals,
        baseline: Baseline,
        policies: Mapping[str, str],
        *,
        count: bool,
    ) -> None:
        self._tasks = tasks
        self._policies = policies
        self._count = count
        self._rows: dict[TaskKey, Row] = {}
        self.totals = totals
        self.baseline = baseline
        self.trials: list[dict[str, Any]] = []
        self.seconds = 0.0
        self.faults: list[str] = []
        self._measured: list[tuple[float | None, ...]] = []

    def add(self, record: TrialRecord) -> None:
        """Take a trial in."""
        played = record.simulation
        row = self._row(record)
        row.cells.append((record.trial, len(self.trials), record.outcome.value))
        graded = record.outcome.value in ("passed", "missed")
        row.graded = (row.graded[0] + (record.outcome.value == "passed"), row.graded[1] + graded)
        tools = {c.name for m in played.messages if m.role != "tool" for c in m.tool_calls or []} if played else set()
        broken = [f"customer: {finding.rule}" for finding in (played.user_findings or [] if played else [])]
        violated = record.reward.violated or [] if record.reward else []
        breaches = dict.fromkeys(f"rule broken: {one.dimension}" for one in violated)
        self.faults += [record.fault.kind.label] if record.fault else []
        self._measured.append(_measures(played))
        self.trials.append(
            {
                "id": visible_text(record.nodeid),
                "task": row.number,
                "trial": record.trial,
                "measures": self._measured[-1],
                "outcome": record.outcome.value,
                "tools": sorted(map(visible_text, tools)),
                "faults": [
                    *([record.fault.kind.label] if record.fault else []),
                    *map(visible_text, (*broken, *breaches)),
                ],
            }
        )
        self.seconds += played.duration if played else 0.0
        if self._count:
            facts = TrialFacts.of(record.model_dump(mode="json", exclude={"simulation": {"messages"}}))
            self.totals.add(replace(facts, domain=row.domain))

    def _row(self, record: TrialRecord) -> Row:
        domain, task_id = record.domain, record.task_id
        # Trials of several tests or agents, or told otherwise, are no repetitions of each other.
        facts = TrialFacts(
            domain,
            task_id,
            record.outcome.value,
            label=record.label or "",
            file_in_row=record.file_in_row,
            variant=None if record.variant is None else record.variant.model_dump(),
        )
        name = row_of_trial(record.nodeid, facts)
        if (name, task_id) not in self._rows:
            task = self._tasks.get((domain, task_id))
            tags = list(task.tags) if task else []
            before = self.baseline.get((shared_row(name, record.label) if record.label else name, task_id))
            self._rows[name, task_id] = Row(name, task_id, tags, len(self._rows), before=before, home=domain)
        return self._rows[name, task_id]

    def groups(self) -> dict[str, list[Row]]:
        """The tasks by domain, in order of appearance, with their trials in order."""
        groups: dict[str, list[Row]] = {}
        for row in self._rows.values():
            row.cells.sort()
            groups.setdefault(row.domain, []).append(row)
        return groups

    def rows(self) -> list[Row]:
        """The tasks in order of appearance."""
        return list(self._rows.values())

    def index(self) -> dict[str, Any]:
        """What the browser needs before any conversation is opened."""
        views = []
        for (domain, task_id), row in self._rows.items():
            task = self._tasks.get((row.home, task_id))
            view = task_view(task) if task else {"parts": []}
            changed = "" if not row.change else "worse" if row.change < 0 else "better"
            views.append(
                {**view, "domain": visible_text(domain), "name": row.name, "tags": row.tags, "change": changed}
            )
        homes = {row.domain: row.home for row in self._rows.values()}
        known = {**{name: self._policies.get(home) for name, home in homes.items()}, **self._policies}
        policies = {visible_text(name): visible_text(text) for name, text in known.items() if text is not None}
        return {"tasks": views, "trials": self.trials, "policies": policies}

    def histograms(self) -> list[Histogram]:
        """How each quantity scatters over the trials, where it does."""
        columns = zip(*self._measured, strict=True)
        found = (histogram(name, column, MEASURES[name]) for name, column in zip(MEASURES, columns, strict=False))
        return [one for one in found if one]


def _measures(played: Simulation | None) -> tuple[float | None, ...]:
    """A trial's number for each of ``MEASURES``; None where it is unknown."""
    if played is None:
        return (None,) * len(MEASURES)
    usages = [message.usage for message in played.messages if message.role != "tool" and message.usage]
    tokens = sum(usage.prompt_tokens + usage.completion_tokens for usage in usages) if usages else None
    return played.agent_cost, played.duration or None, steps_of(played), tokens
