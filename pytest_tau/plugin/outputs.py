"""Files a run leaves besides its journal: the HTML report, Markdown (also for GitHub's step summary), a τ² export."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .options import project_root, settings

if TYPE_CHECKING:
    from ..metrics.totals import Totals
    from ..schema.record import TrialRecord

_STEP_SUMMARY = "GITHUB_STEP_SUMMARY"


def write_outputs(
    config: pytest.Config, totals: Totals, journal: Path, baseline: Mapping[str, tuple[int, int]]
) -> Iterator[str]:
    """Write what was asked for; yields a line about each file, also about one that could not be written."""
    from ..errors import TauError

    chosen, root = settings(config), project_root(config)
    wanted = (
        (chosen.html, lambda path: _html(path, journal, totals, baseline)),
        (chosen.markdown, lambda path: path.write_text(_markdown(journal, totals), encoding="utf-8")),
        (chosen.export, lambda path: _export(config, path, journal)),
    )
    for name, write in wanted:
        if name is None:
            continue
        path = root / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path)
            yield f"written: {path}"
        except (OSError, TauError) as error:
            yield f"not written: {path}: {error}"
    if (summary := os.environ.get(_STEP_SUMMARY)) and chosen.domain:
        try:
            with open(summary, "a", encoding="utf-8") as file:
                file.write(_markdown(journal, totals))
        except OSError as error:
            yield f"not written: {summary}: {error}"


def _html(path: Path, journal: Path, totals: Totals, baseline: Mapping[str, tuple[int, int]]) -> None:
    from ..reports.html import write_html

    before = {(key.partition("/")[0], key.partition("/")[2]): counts for key, counts in baseline.items()}
    write_html(_records(journal), path, title="tau: pass^k", totals=totals, baseline=before)


def _markdown(journal: Path, totals: Totals) -> str:
    from ..reports.markdown import markdown, reason

    missed = ((record.nodeid, reason(record)) for record in _records(journal) if record.outcome == "missed")
    return markdown(totals, missed, title="tau: pass^k")


def _export(config: pytest.Config, path: Path, journal: Path) -> None:
    """One file a domain, as the format has it: with several, the domain's name stands before the suffix."""
    from ..environment.tasks import load_tasks
    from ..reports.tau2 import write_tau2
    from .suites import find_domain, suite_of

    chosen = settings(config)
    records = _records(journal)
    names = list(dict.fromkeys(record.domain for record in records))
    for name in names:
        tasks = {task.id: task for file in suite_of(config, name) for task in load_tasks(file)}
        write_tau2(
            [record for record in records if record.domain == name],
            path if len(names) == 1 else path.with_suffix(f".{name}{path.suffix}"),
            domain=find_domain(config, name, public=chosen.data is not None),
            tasks=tasks,
            max_steps=chosen.max_steps,
            max_errors=chosen.max_errors,
            seed=chosen.seed,
        )


def _records(journal: Path) -> list[TrialRecord]:
    from ..journal import load_journal

    return load_journal(journal)
