"""What reports say of a run as a whole: who played what, where it comes from, and how the numbers came about."""

from __future__ import annotations

from dataclasses import replace

from ...manifest import ENDED
from ...metrics.totals import Totals
from ...reports.run_facts import EVALUATED, ISOLATION, Fact, fact_lines, run_facts
from ...scrub import conceal
from ..collecting.task_files import origin_of
from ..playing.players import is_offline
from ..playing.sources import out_of_reach, suites
from ..run import Run
from .header import EVALUATE_ONE, WARNS, isolation_told, other_root, player_told, split_told
from .kept import RunRecords

_WHO = ("agent", "user", "judge", ENDED)
"""The facts that stand below the table, whoever reads it."""


class AboutRun:
    """The facts of a run, from its options, its manifest and its totals.

    Args:
        run: this run.
        totals: what it has counted so far.
        kept: its journal and manifest.
    """

    def __init__(self, run: Run, totals: Totals, kept: RunRecords) -> None:
        self._run = run
        self._totals = totals
        self._kept = kept
        self.ended = ""  # what ended the run before all its trials
        self.concurrency: list[str] = []  # what workers say of it in the end

    def facts(self) -> list[Fact]:
        """How the numbers came about, as far as they are there."""
        known = self._kept.manifest
        about = {**known.about, **self.choices()} if self._kept.is_open else known.about
        return run_facts(replace(known, about=about), self._totals)

    def choices(self) -> dict[str, str]:
        """What later reports say of what was played in this run; no empty values."""
        chosen = self._run.settings
        agents = self._run.settings.agents if self._run.settings.agent_labels else ()
        domains = list(dict.fromkeys(row.partition(", ")[0] for row in self._totals.domains()))
        others = [name for name in chosen.domain if name not in domains]
        found = {
            "agents": ", ".join(f"{agent.label}: {agent.shown_name}" for agent in agents if agent.label),
            "agent": conceal(player_told(self._run, "agent")),
            "user": conceal(player_told(self._run, "user")),
            "suites": ", ".join(map(self._with_origin, others)),
            "domains": ", ".join(
                self._with_origin(name) if name in chosen.domain or not others else name for name in domains
            ),
            "tasks": ", ".join(chosen.tasks) if chosen.first_tasks is None else f"the first {chosen.first_tasks}",
            ISOLATION: isolation_told(self._run),
            EVALUATED: "no model: these agents know or ignore the answers" if self._asks_no_model() else "",
            ENDED: self.ended,
            "parity": "on" if chosen.data is not None and chosen.parity is None else "",
        }
        return {name: text for name, text in found.items() if text}

    def lines(self, *, verbose: bool) -> list[str]:
        """Who played and where it is kept, as lines below the table; with ``verbose``, how all numbers came about."""
        facts = self.facts()
        lines = fact_lines(facts if verbose else [fact for fact in facts if fact[0] in _WHO])
        lines += [line.removeprefix("tau: ") for line in self.concurrency if verbose or WARNS in line]
        if self._kept.is_open:
            lines.append(f"journal: {self._kept.path}")
        return lines

    def warnings(self, *, verbose: bool) -> list[str]:
        """What a reader of the numbers has to know besides, as lines below the table."""
        lines = list(out_of_reach(self._run))
        if self._run.settings.domain and (elsewhere := other_root(self._run)):
            lines.insert(0, f"(!) {elsewhere}")
        if self._kept.lost:
            lines.append(self._kept.lost)
        if ", " in self._kept.commits:
            lines.append(f"The trials were played at different commits of the project: {self._kept.commits}.")
        if self._asks_no_model() and (verbose or not suites(self._run)):  # else the header says it
            lines.append(f"No model was evaluated: these agents know or ignore the answers; {EVALUATE_ONE}.")
        return lines

    def _with_origin(self, suite: str) -> str:
        """A suite's name, where it comes from, and which part of it was played."""
        return f"{suite} ({origin_of(self._run, suite)}{split_told(self._run, suite)})"

    def _asks_no_model(self) -> bool:
        """Whether all who played know the answers, or ignore them."""
        return bool(self._totals.agents) and all(map(is_offline, self._totals.agents))
