"""A run as its files show it: one method for each kind of file, and the tasks and domains that they need for it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, partialmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...environment.tasks import public_tasks, read_tasks
from ...errors import SettingsError, TauError
from ...files import replacing
from ...journal import load_journal
from ...printable import count_of
from ...reports.history import history
from ...reports.run_facts import Fact
from ...reports.suite_order import in_order
from ..collecting.domains import find_domain
from ..collecting.task_files import suite_of, task_files
from ..run import Run

if TYPE_CHECKING:
    from ...environment.domain import Domain
    from ...metrics.totals import Totals
    from ...reports.telling import Teller
    from ...schema.record import TrialRecord
    from ...schema.reward import Reading
    from ...schema.task import Task

PUBLIC_ONLY = "the leaderboard takes runs on the public data only: give its folder with --tau-data"


@dataclass(frozen=True)
class ReportContents:
    """What stands in a run's files besides its trials.

    Attributes:
        facts: how the numbers came about.
        settings: what the results depend on, by option name.
        gates: state and sentence of each.
        baseline: successes and graded trials of each task in the baseline.
        order: the tests of tasks, up to the trial's number, as they were collected.
    """

    facts: Sequence[Fact]
    settings: Mapping[str, Any]
    gates: Sequence[tuple[str, str]]
    baseline: Mapping[str, tuple[int, int]]
    order: Sequence[str]


def _readings(
    tasks: Mapping[tuple[str, str], Task], domains: Mapping[str, Domain], record: TrialRecord
) -> Sequence[Reading]:
    """What the sentences of a trial were read as; nothing where its task or its domain has changed since."""
    from ...evaluation.readings import readings

    task, domain = tasks.get((record.domain, record.task_id)), domains.get(record.domain)
    if task is None or domain is None or record.simulation is None:
        return ()
    try:
        return readings(task, record.simulation, domain, None if record.reward is None else record.reward.review)
    except TauError:
        return ()


def facts_beside(path: Path) -> Path:
    """Where these stand."""
    return path.with_name(f"{path.name}.run.json")


def for_label(label: str) -> str:
    """An agent's label in the name of a file."""
    return re.sub(r"[^\w.-]", "_", label)


class RunFiles:
    """A run as its files show it; each method writes one kind and returns the files."""

    def __init__(
        self, run: Run, totals: Totals, journal: Path, about: ReportContents, rescued: Path | None = None
    ) -> None:
        self._run = run
        self._totals = totals
        self._journal = journal
        self._about = about
        self._rescued = rescued
        self.notes: list[str] = []  # of what was written last

    @cached_property
    def _records(self) -> list[TrialRecord]:
        """The trials in the order of the suite, whichever worker had them when."""
        files = filter(None, (self._journal, self._rescued))  # the summary names broken lines
        known = {one.nodeid: one for file in files for one in load_journal(file, lambda sentence: None)}
        return in_order(list(known.values()), self._about.order)

    @property
    def _as_they_are(self) -> list[TrialRecord]:
        """The trials of tasks as they are: others have no place in a format that knows only those."""
        return [record for record in self._records if record.variant is None]

    @property
    def _title(self) -> str:
        """What was tested."""
        each, facts = self._totals.by_agent(), dict(self._about.facts)
        rows = (
            dict.fromkeys(row for part in each.values() for row in part.domains())
            or self._totals.without_variants().domains()
        )
        agents = ", ".join(each or sorted(self._totals.agents)) or f"agent {facts.get('agent', 'none')}"
        domains = dict.fromkeys(row.partition(", ")[0] for row in rows)  # without tests, agents and variants
        told = [f"{', '.join(domains) or 'tau'}: {agents}", f"k {facts.get('k', self._run.settings.k)}"]
        told += [mode] if (mode := facts.get("mode", "default")) != "default" else []
        told += [f"graded by {facts['criteria']} alone"] if "criteria" in facts else []
        return ", ".join(told)

    def html(self, path: Path) -> list[Path]:
        """The report with every conversation."""
        from ...pictures import Pictures
        from ...reports.gallery import Gallery
        from ...reports.html import write_html

        known = {"/".join(key): key for key in self._totals.tasks}  # a row may have a slash, and so may a task's id
        pairs = ((known.get(key, key.partition("/")[::2]), counts) for key, counts in self._about.baseline.items())
        before = {(row, task_id): counts for (row, task_id), counts in pairs}
        try:
            tasks = self._tasks()
        except TauError:
            tasks = {}  # changed since they were played: the report does without their purpose and tags
        attachments = [one for task in tasks.values() for one in task.user_scenario.attachments or []]
        write_html(
            self._records,
            path,
            tasks=tasks,
            title=self._title,
            totals=self._totals,
            baseline=before,
            gates=[(state, line.replace(f": {state.upper()}:", ":", 1)) for state, line in self._about.gates],
            facts=self._about.facts,
            policies=self._policies(),
            history=() if not self._totals.is_whole else history(self._journal.parent),
            gallery=Gallery(Pictures(self._journal.parent, attachments).find),
            read=partial(_readings, tasks, self._known_domains()),
            rules={name: domain.rules for name, domain in self._known_domains().items()},
        )
        beside = path.with_name(f"{path.stem}_pictures")
        return [path, beside] if beside.is_dir() else [path]

    def _known_domains(self) -> dict[str, Domain]:
        try:
            return self._domains()
        except TauError:
            return {}  # gone since: the report does without what sentences were read as

    def _policies(self) -> dict[str, str]:
        try:
            solo = self._run.settings.mode == "solo"
            return {name: domain.policy_for(solo=solo) for name, domain in self._domains().items()}
        except TauError:
            return {}  # the domain is gone, or has none for this mode

    def markdown(self, path: Path) -> list[Path]:
        """The tables, gates and misses."""
        path.write_text(self.text(), encoding="utf-8")
        return [path]

    def text(self) -> str:
        """The tables, gates and misses as Markdown."""
        from ...reports.markdown import markdown, reason

        missed = ((record.nodeid, reason(record)) for record in self._records if record.outcome == "missed")
        gates = [line for _, line in self._about.gates]
        details = self._details()
        return markdown(self._totals, missed, gates=gates, title=self._title, details=details, facts=self._about.facts)

    def _details(self) -> list[list[str]]:
        """How the numbers scatter, and pass^1 by groups where the tasks are still what was played."""
        from ...reports.breakdowns import group_table, scatter, trial_spread

        try:
            tasks = self._tasks()
            writes = {name: domain.environment().writes for name, domain in self._domains().items()}
        except TauError:
            tasks, writes = {}, {}

        lines = [f"- {line}" for line in (*scatter(self._totals), *trial_spread(self._records))]
        return [lines, group_table(self._totals, tasks, lambda domain, tool: writes[domain](tool))]

    def tau2(self, path: Path) -> list[Path]:
        """A file a domain and agent, as the format has it: with several, their names stand before the suffix."""
        from ...recordings.tau2_writer import changed_rewards, repeated_trials, write_tau2

        tasks, domains, facts = self._tasks(), self._domains(), dict(self._about.facts)
        labels = list(dict.fromkeys(record.label for record in self._as_they_are)) or [None]
        written = []
        for name, domain in domains.items():
            own = {task_id: task for (domain_name, task_id), task in tasks.items() if domain_name == name}
            for label in labels:
                names = [name if len(domains) > 1 else "", for_label(label or "")]
                file = path.with_suffix("".join(f".{one}" for one in names if one) + path.suffix)
                records = [record for record in self._as_they_are if record.label == label]
                write_tau2(records, file, domain=domain, tasks=own, facts=facts, **self._limits())
                written.append(file)
        if number := changed_rewards(self._as_they_are):
            of = count_of(sum(record.reward is not None for record in self._as_they_are), "rewards")
            are = "is" if number == 1 else "are"
            self.notes.append(
                f"τ² knows neither TRAJECTORY nor criteria of your own: of {of} {number} {are} not this run's"
            )
        if number := repeated_trials(self._as_they_are):
            of, are = count_of(len(self._as_they_are), "trials"), "is" if number == 1 else "are"
            why = "of a task that another test has played as well"
            self.notes.append(f"τ² knows no tests: of {of} {number} {are} {why}")
        return written

    def leaderboard(self, path: Path) -> list[Path]:
        """A submission with its trajectories."""
        from ...reports.leaderboard import write_leaderboard

        if self._run.settings.data is None:
            raise SettingsError(PUBLIC_ONLY)
        expected = {}
        for name in self._domains():
            (file,) = suite_of(self._run, name)
            expected[name] = {task.id for task in public_tasks(file.parent.parent, name, "base")}
        domains, tasks = self._domains(), self._tasks()
        return write_leaderboard(
            self._as_they_are,
            path,
            domains=domains,
            tasks=tasks,
            expected=expected,
            settings=self._about.settings,
            facts=dict(self._about.facts),
            **self._limits(),
        )

    def sft(self, path: Path) -> list[Path]:
        """The trials that passed, as training data."""
        from ...reports.training import sft_rows

        return self._training_data(sft_rows, path)

    def preferences(self, path: Path) -> list[Path]:
        """Pairs of a passed and a missed trial, as training data."""
        from ...reports.training import preference_rows

        return self._training_data(preference_rows, path)

    def _training_data(
        self, rows: Callable[[Iterable[TrialRecord], Teller], Iterable[dict[str, Any]]], path: Path
    ) -> list[Path]:
        from ...reports.telling import Teller
        from ...reports.training import write_rows

        write_rows(rows(self._as_they_are, Teller(self._domains(), self._tasks())), path)
        return [path, self._beside(path)]

    def stats(self, path: Path) -> list[Path]:
        """All numbers, as JSON."""
        from ...reports.statistics import write_statistics

        write_statistics(self._totals, path, gates=self._about.gates, facts=dict(self._about.facts))
        return [path]

    def csv(self, path: Path) -> list[Path]:
        """A line a trial."""
        from ...reports.trial_rows import write_csv

        write_csv(self._records, path)
        return [path, self._beside(path)]

    def parquet(self, path: Path) -> list[Path]:
        """A line a trial, as Parquet."""
        from ...reports.trial_rows import write_parquet

        write_parquet(self._records, path, dict(self._about.facts))
        return [path, self._beside(path)]

    def latex(self, path: Path) -> list[Path]:
        """The table for a paper."""
        from ...reports.paper import write_latex

        write_latex(self._totals, path, dict(self._about.facts))
        return [path]

    def _figure(self, kind: str, path: Path) -> list[Path]:
        """The curves for a paper."""
        from ...reports.paper import write_figure

        write_figure(self._totals, path, kind, dict(self._about.facts))
        return [path]

    svg, png = partialmethod(_figure, "svg"), partialmethod(_figure, "png")

    def _beside(self, path: Path) -> Path:
        """How the numbers came about, in a file beside one whose lines have no room for it."""
        facts = facts_beside(path)
        with replacing(facts) as file:
            json.dump(dict(self._about.facts), file, indent=2, ensure_ascii=False)
            file.write("\n")
        return facts

    def _domains(self) -> dict[str, Domain]:

        names = dict.fromkeys(record.domain for record in self._records)
        public = self._run.settings.data is not None
        return {name: find_domain(self._run, name, public=public) for name in names}

    def _limits(self) -> dict[str, Any]:
        chosen = self._run.settings
        return {"max_steps": chosen.max_steps, "max_errors": chosen.max_errors, "seed": chosen.seed}

    def _tasks(self) -> dict[tuple[str, str], Task]:
        """The tasks that were played, by domain and id, from the files that node IDs name or the domain's suite."""
        read: dict[Path, dict[str, Task]] = {}
        tasks: dict[tuple[str, str], Task] = {}
        if self._run.recorded is not None:
            from ..recording.rescoring import recorded_tasks

            tasks |= self._run.one(recorded_tasks)
        for record in self._records:
            if (record.domain, record.task_id) in tasks:
                continue
            for file in self._files(record):
                if file not in read:
                    read[file] = {task.id: task for task in read_tasks(file)}
                if record.task_id in read[file]:
                    tasks[record.domain, record.task_id] = read[file][record.task_id]
                    break
        return tasks

    def _files(self, record: TrialRecord) -> list[Path]:
        """Where a trial's task may stand: in the file that its node ID names, or else in its domain's suite."""
        named = record.nodeid.partition("::")[0]
        files = task_files(self._run, named) if named.endswith(".json") else []
        return [file for file in files if file.is_file()] or suite_of(self._run, record.domain)
