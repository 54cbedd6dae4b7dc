"""Files a run leaves besides its journal: the HTML report, Markdown (also for GitHub's step summary), a τ² export."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .options import project_root, settings

if TYPE_CHECKING:
    from ..metrics.totals import Totals
    from ..schema.record import TrialRecord
    from ..schema.task import Task

_STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
_TITLE = "tau: pass^k"


def write_outputs(
    config: pytest.Config,
    totals: Totals,
    journal: Path,
    gates: Sequence[str],
    baseline: Mapping[str, tuple[int, int]],
) -> Iterator[str]:
    """Write what was asked for; yields a line about each file, also about one that could not be written."""
    from ..errors import TauError

    chosen, root = settings(config), project_root(config)
    summary = os.environ.get(_STEP_SUMMARY) if chosen.domain else None
    if not (chosen.html or chosen.markdown or chosen.export or summary):
        return
    run = _Run(config, totals, journal, gates, baseline)
    for name, write in ((chosen.html, run.html), (chosen.markdown, run.markdown), (chosen.export, run.export)):
        if name is None:
            continue
        path = root / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            yield from [f"written: {file}" for file in write(path)]
        except (OSError, TauError) as error:
            yield f"not written: {path}: {error}"
    if summary:
        try:
            with open(summary, "a", encoding="utf-8") as file:
                file.write(run.text())
        except OSError as error:
            yield f"not written: {summary}: {error}"


class _Run:
    """A run as its files show it; each method writes one kind and returns the files."""

    def __init__(
        self,
        config: pytest.Config,
        totals: Totals,
        journal: Path,
        gates: Sequence[str],
        baseline: Mapping[str, tuple[int, int]],
    ) -> None:
        self._config = config
        self._totals = totals
        self._journal = journal
        self._gates = gates
        self._baseline = baseline

    @cached_property
    def _records(self) -> list[TrialRecord]:
        from ..journal import load_journal

        return load_journal(self._journal)

    def html(self, path: Path) -> list[Path]:
        """The report with every conversation."""
        from ..errors import TauError
        from ..reports.html import write_html

        before = {(key.partition("/")[0], key.partition("/")[2]): counts for key, counts in self._baseline.items()}
        try:
            tasks = self._tasks()
        except TauError:
            tasks = {}  # changed since they were played: the report does without their purpose and tags
        write_html(self._records, path, tasks=tasks, title=_TITLE, totals=self._totals, baseline=before)
        return [path]

    def markdown(self, path: Path) -> list[Path]:
        """The tables, gates and misses."""
        path.write_text(self.text(), encoding="utf-8")
        return [path]

    def text(self) -> str:
        """The tables, gates and misses as Markdown."""
        from ..reports.markdown import markdown, reason

        missed = ((record.nodeid, reason(record)) for record in self._records if record.outcome == "missed")
        return markdown(self._totals, missed, gates=self._gates, title=_TITLE)

    def export(self, path: Path) -> list[Path]:
        """One file a domain, as the format has it: with several, the domain's name stands before the suffix."""
        from ..reports.tau2 import write_tau2
        from .suites import find_domain

        chosen, tasks = settings(self._config), self._tasks()
        names = list(dict.fromkeys(record.domain for record in self._records))
        written = []
        for name in names:
            file = path if len(names) == 1 else path.with_suffix(f".{name}{path.suffix}")
            write_tau2(
                self._records,
                file,
                domain=find_domain(self._config, name, public=chosen.data is not None),
                tasks={task_id: task for (domain, task_id), task in tasks.items() if domain == name},
                max_steps=chosen.max_steps,
                max_errors=chosen.max_errors,
                seed=chosen.seed,
            )
            written.append(file)
        return written

    def _tasks(self) -> dict[tuple[str, str], Task]:
        """The tasks that were played, by domain and id, from the files that node IDs name or the domain's suite."""
        from ..environment.tasks import read_tasks

        read: dict[Path, dict[str, Task]] = {}
        tasks: dict[tuple[str, str], Task] = {}
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
        from .suites import suite_of

        own = self._config.rootpath / record.nodeid.partition("::")[0]
        return [own] if own.suffix == ".json" and own.is_file() else suite_of(self._config, record.domain)
