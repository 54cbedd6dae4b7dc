"""The files that a run leaves besides its journal: what is refused before it, and what is told of each after it.

:mod:`.run_files` writes them: the HTML report, Markdown (also for GitHub's step summary), exports.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ...errors import SettingsError, TauError, from_where, reason
from ..collecting.domains import is_domain
from ..playing.sources import from_project
from ..run import Run
from .run_files import PUBLIC_ONLY, ReportContents, RunFiles, facts_beside, for_label

if TYPE_CHECKING:
    from ...metrics.totals import Totals

_STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
NOT_WRITTEN = "not written: "

# What an export needs that is not installed with pytest-tau, and the extra that has it.
_NEEDS = {"parquet": ("pyarrow", "dataset"), "svg": ("matplotlib", "figures"), "png": ("matplotlib", "figures")}
# Exports whose lines have no room for how the numbers came about, and have a file beside them for that.
_WITH_FACTS = frozenset({"sft", "preferences", "csv", "parquet"})


def may_write(run: Run, kind: str, path: Path, other: Path) -> bool:
    """Whether a report or an export writes another file too, as far as the name of that tells."""
    if kind in _WITH_FACTS:
        return other == facts_beside(path)
    if kind != "tau2" or other.parent != path.parent or not other.name.startswith(f"{path.stem}."):
        return False
    parts = other.name.removeprefix(f"{path.stem}.").removesuffix(path.suffix)
    labels = [for_label(label) for label in run.settings.agent_labels]
    return parts in labels or any(is_domain(run, parts.removesuffix(f".{label}")) for label in ("", *labels))


def check_exports(run: Run) -> None:
    """Refuse an export that nothing here can write, before anything is played; raises UsageError."""
    for kind, _ in run.settings.export:
        package, extra = _NEEDS.get(kind, ("", ""))
        if package and find_spec(package) is None:
            raise pytest.UsageError(f"--tau-export {kind}: needs {package}: pip install 'pytest-tau[{extra}]'")
        if kind == "leaderboard":
            try:
                _check_leaderboard(run)
            except TauError as error:
                raise pytest.UsageError(f"--tau-export {kind}: {error}") from None


def _check_leaderboard(run: Run) -> None:
    """Refuse what no run with these settings could submit; who plays tests with fixtures or markers, is seen later."""
    from ...reports.leaderboard import refuse

    chosen = run.settings
    if chosen.data is None:
        raise SettingsError(PUBLIC_ONLY)
    if chosen.rescore is None:
        settings = {"criteria": chosen.criteria, "mode": chosen.mode}
        agents = [] if from_project(run, "agent") else [agent.shown_name for agent in run.settings.agents]
        refuse(chosen.domain, settings, agents, parity=chosen.parity is not False)


def write_outputs(
    run: Run, totals: Totals, journal: Path, about: ReportContents, rescued: Path | None = None
) -> Iterator[str]:
    """Write what was asked for; yields a line about each file, also about one that could not be written.

    ``rescued``: the file of what found no room in the journal.
    """
    chosen, root = run.settings, run.root
    summary = os.environ.get(_STEP_SUMMARY) if chosen.domain or chosen.rescore else None
    if folder := getattr(run.config.option, "allure_report_dir", None):
        from ..integrations.allure import write_environment

        try:
            write_environment(Path(folder), about.facts)
        except OSError as error:
            yield f"{NOT_WRITTEN}{folder}: {reason(error)}"
    if not (chosen.html or chosen.markdown or chosen.export or summary):
        return
    files = RunFiles(run, totals, journal, about, rescued)
    asked = [(chosen.html, files.html), (chosen.markdown, files.markdown)]
    asked += [(file, getattr(files, kind)) for kind, file in chosen.export]
    for name, write in asked:
        if name is None:
            continue
        path, files.notes = root / name, []
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            yield from [f"written: {file}" for file in write(path)]
            yield from files.notes
        except Exception as error:  # the others are written all the same
            again = "; with --tau-resume and another name nothing is played again" * isinstance(error, OSError)
            yield f"{NOT_WRITTEN}{path}: {_why(error)}{again}"
    if summary:
        try:
            with open(summary, "a", encoding="utf-8") as file:
                file.write(files.text())
        except Exception as error:
            yield f"{NOT_WRITTEN}{summary}: {_why(error)}"


def _why(error: Exception) -> str:
    """Why a file was not written: for its place, for what the run is, or for a journal that somebody has edited."""
    return reason(error) if isinstance(error, (OSError, TauError)) else from_where(error)
