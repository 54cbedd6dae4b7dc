"""The report of a run as one HTML file that needs nothing else: no server, no network, no other file.

Whatever a model wrote is data here and never markup. Conversations are embedded as JSON, one script element for each,
and parsed when they are opened; the page's own script is the only one its content security policy lets run.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

from ..files import replacing
from ..metrics.totals import Totals, TrialFacts
from .curves import HEIGHT, LEFT, RIGHT, WIDTH, Point, curves
from .evidence import embedded, shown, task_view, trial_view
from .terminal import duration, money, notes, percent

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from ..schema.record import TrialRecord
    from ..schema.task import Task

TaskKey = tuple[str, str]
Baseline = Mapping[TaskKey, tuple[int, int]]

OUTCOMES = ("passed", "missed", "ungraded", "infra_error", "invalid", "error")


def write_html(
    records: Iterable[TrialRecord],
    path: str | Path,
    *,
    tasks: Mapping[TaskKey, Task] | None = None,
    title: str = "tau report",
    totals: Totals | None = None,
    baseline: Baseline | None = None,
) -> int:
    """Write the report.

    Args:
        records: the trials, read once; their conversations are not kept in memory.
        path: the file to write.
        tasks: the tasks by domain and id, for what the customer wanted and for tags.
        title: the page's title.
        totals: the run's totals, where they know of trials that never reported; by default those of ``records``.
        baseline: another run to compare with: (successes, graded trials) of its tasks by domain and id.

    Returns:
        The number of trials written.
    """
    run = _Run(tasks or {}, totals or Totals(), baseline or {}, count=totals is None)
    with TemporaryFile("w+", encoding="ascii", newline="\n") as spool:
        for record in records:
            spool.write(embedded(trial_view(record)) + "\n")
            run.add(record)
        spool.seek(0)
        with replacing(path) as file:
            file.writelines(_render(run, title, spool))
    return len(run.trials)


@dataclass
class _Row:
    """A task with the numbers of its trials, in the order of the heat map."""

    domain: str
    task_id: str
    tags: list[str]
    number: int
    cells: list[tuple[int, int, str]] = field(default_factory=list)  # trial, its position, outcome
    graded: tuple[int, int] = (0, 0)
    before: tuple[int, int] | None = None

    @property
    def name(self) -> str:
        return shown(f"{self.domain}/{self.task_id}")

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


class _Run:
    """What the page says about all trials together; grows by a few words a trial."""

    def __init__(
        self,
        tasks: Mapping[TaskKey, Task],
        totals: Totals,
        baseline: Baseline,
        *,
        count: bool,
    ) -> None:
        self._tasks = tasks
        self._count = count
        self._rows: dict[TaskKey, _Row] = {}
        self.totals = totals
        self.baseline = baseline
        self.trials: list[dict[str, Any]] = []
        self.seconds = 0.0

    def add(self, record: TrialRecord) -> None:
        """Take a trial in."""
        played = record.simulation
        row = self._row(record.domain, record.task_id)
        row.cells.append((record.trial, len(self.trials), record.outcome.value))
        graded = record.outcome.value in ("passed", "missed")
        row.graded = (row.graded[0] + (record.outcome.value == "passed"), row.graded[1] + graded)
        tools = {c.name for m in played.messages if m.role != "tool" for c in m.tool_calls or []} if played else set()
        broken = [f"customer: {finding.rule}" for finding in (played.user_findings or [] if played else [])]
        self.trials.append(
            {
                "task": row.number,
                "trial": record.trial,
                "outcome": record.outcome.value,
                "tools": sorted(map(shown, tools)),
                "faults": [*([record.fault.kind.label] if record.fault else []), *map(shown, broken)],
            }
        )
        self.seconds += played.duration if played else 0.0
        if self._count:
            self.totals.add(TrialFacts.of(record.model_dump(mode="json", exclude={"simulation": {"messages"}})))

    def _row(self, domain: str, task_id: str) -> _Row:
        key = (domain, task_id)
        if key not in self._rows:
            task = self._tasks.get(key)
            self._rows[key] = _Row(
                domain, task_id, list(task.tags) if task else [], len(self._rows), before=self.baseline.get(key)
            )
        return self._rows[key]

    def groups(self) -> dict[str, list[_Row]]:
        """The tasks by domain, in order of appearance, with their trials in order."""
        groups: dict[str, list[_Row]] = {}
        for row in self._rows.values():
            row.cells.sort()
            groups.setdefault(row.domain, []).append(row)
        return groups

    def rows(self) -> list[_Row]:
        """The tasks in order of appearance."""
        return list(self._rows.values())

    def index(self) -> dict[str, Any]:
        """What the browser needs before any conversation is opened."""
        views = []
        for (domain, task_id), row in self._rows.items():
            task = self._tasks.get((domain, task_id))
            view = task_view(task) if task else {"parts": []}
            changed = "" if not row.change else "worse" if row.change < 0 else "better"
            views.append({**view, "domain": shown(domain), "name": row.name, "tags": row.tags, "change": changed})
        return {"tasks": views, "trials": self.trials}


def templates() -> Environment:
    """The templates of the reports; whatever is put into them is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("pytest_tau.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _render(run: _Run, title: str, spool: IO[str]) -> Iterator[str]:
    from markupsafe import Markup

    environment = templates()
    environment.filters.update(percent=percent, shown=shown, signed=_signed)
    # Files of ours, escaped JSON and nothing else are marked as safe.
    (style, style_hash), (script, script_hash) = (fixed(environment, name) for name in ("report.css", "report.js"))
    conversations = (Markup(line) for line in spool)  # noqa: S704
    return environment.get_template("report.html").generate(
        title=shown(title),
        style=style,
        style_hash=style_hash,
        script=script,
        script_hash=script_hash,
        written=datetime.now().astimezone().isoformat(sep=" ", timespec="minutes"),
        totals=run.totals,
        money=money,
        duration=duration,
        notes=notes(run.totals),
        seconds=run.seconds,
        curves=curves(run.totals, run.baseline),
        picture={"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": WIDTH - RIGHT, "y": Point.y},
        groups=run.groups(),
        columns=min(6, max((len(row.cells) for row in run.rows()), default=1)),
        changed=sorted((row for row in run.rows() if row.change), key=lambda row: row.change or 0.0),
        compared=bool(run.baseline),
        comparable=sum(row.change is not None for row in run.rows()),
        index=Markup(embedded(run.index())),  # noqa: S704
        conversations=conversations,
        choices=_choices(run),
    )


def _signed(value: float, digits: int) -> str:
    return f"{value:+.{digits}f}".replace("-", "−")


def fixed(environment: Any, name: str) -> tuple[Markup, str]:
    """A style or script of ours as it stands in a page, and its hash for the page's content security policy."""
    from markupsafe import Markup

    source: str = environment.loader.get_source(environment, name)[0].replace("\r\n", "\n")  # what a browser hashes
    return Markup(source), "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()  # noqa: S704


def _choices(run: _Run) -> dict[str, list[str]]:
    """The values each filter offers."""
    rows = run.rows()
    return {
        "domain": list(dict.fromkeys(shown(row.domain) for row in rows)),
        "tag": sorted({tag for row in rows for tag in row.tags}),
        "tool": sorted({tool for trial in run.trials for tool in trial["tools"]}),
        "fault": sorted({fault for trial in run.trials for fault in trial["faults"]}),
        "outcome": [name for name in OUTCOMES if any(trial["outcome"] == name for trial in run.trials)],
    }
