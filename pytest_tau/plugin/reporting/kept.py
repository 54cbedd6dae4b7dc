"""What a run keeps of itself: its journal, line by line, and the manifest of what its trials have in common."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ...errors import TauError, reason
from ...journal import JournalWriter, drop_run, has_spools, last_run
from ...manifest import COMMIT, JUDGE, Manifest, keep_plan, load_manifest
from ...metrics.trial_facts import TrialFacts
from ...printable import count_of
from ..playing.model_refusals import forget_refusals
from ..recording.depends_on import look_up
from ..recording.resuming import command_of, commit_of, journal_of, manifest
from ..run import Run
from .judges import known_judge


class RunRecords:
    """The journal and the manifest of this run, opened when the first trial is in sight.

    What cannot be written does not end the run; ``lost`` says so then, in a sentence.

    Args:
        run: this run.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._journal: JournalWriter = journal_of(run)
        self._manifest: Manifest | None = None
        self.files: set[str] = set()  # the task files of the planned trials
        self._planned: Mapping[str, int] = {}
        self.lost: str | None = None
        self._before: Path | None = None  # the run before this one
        self.taken: dict[str, float | None] = {}  # what trials cost that were in spools only when the run ended

    @property
    def is_open(self) -> bool:
        """Whether there is a journal by now."""
        return self._journal.is_open

    @property
    def path(self) -> Path:
        """The journal's file."""
        return self._journal.path

    @property
    def rescued(self) -> Path | None:
        """The file of the lines that found no room in the journal; None where all did."""
        return self._journal.rescued

    def untold(self) -> list[str]:
        """The lines of trials that are in the journal without a report of their test, each told once."""
        return self._journal.untold()

    @property
    def manifest(self) -> Manifest:
        """What the trials have in common; the written one, as soon as there is one."""
        return self._manifest or manifest(self._run)

    @property
    def content(self) -> Mapping[str, str]:
        """What the trials depended on so far, by name."""
        return self._manifest.content if self._manifest is not None else {}

    @property
    def options(self) -> Mapping[str, Any]:
        """What the results depend on, by option name."""
        return self._manifest.options if self._manifest is not None else {}

    @property
    def commits(self) -> str:
        """Of a resumed run: the commits of the project at which its trials were played, "" otherwise."""
        known = self._manifest if self._run.settings.resume else None
        return known.about.get(COMMIT, "") if known is not None else ""

    def plan(self, planned: Mapping[str, int], files: set[str]) -> None:
        """Note which tests, up to the trial's number, are to have how many trials, and the task files of these."""
        self._planned, self.files = planned, files
        if self._manifest is not None:  # with workers, which know their tests late
            self._keep_plan()

    def open_or_refuse(self) -> None:
        """Make sure that results can be kept before any is paid for; raises UsageError."""
        try:
            self._open()
        except TauError as error:
            raise pytest.UsageError(str(error)) from None
        except OSError as error:
            where = self._run.results
            raise pytest.UsageError(
                f"{where}: results cannot be kept there ({error.strerror}); see --tau-results"
            ) from None

    def open(self) -> None:
        """Write what the trials have in common, so that the run can be resumed from its first trial on."""
        if self._manifest is None:
            try:
                self._open()
            except (OSError, TauError) as error:
                self.lost = _not_written(error)

    def append(self, line: str, needs: tuple[str, str], content: dict[str, Any] | None = None) -> None:
        """Write a trial.

        Args:
            line: its line.
            needs: the names of what it depends on besides what all do.
            content: what stands on the line, where that is known.
        """
        self._journal.queue(line, content)  # first: whatever cannot be written, the line is not lost
        try:
            self._open()
            if not self.content.keys() >= set(needs):
                self._know(self.manifest, {*needs, *self.files})  # all files at once: a suite may have thousands
            self._journal.flush()
        except (OSError, TauError) as error:
            self.lost = _not_written(error)
        else:
            self.lost = None  # what could not be written before went first

    def note(self, about: Mapping[str, str]) -> None:
        """Write what later reports say of this run into its manifest."""
        if self._manifest is None:
            return
        told = {name: text for name, text in about.items() if text}
        self._manifest = replace(self._manifest, about={**self._manifest.about, **told})
        with suppress(OSError):  # only trends would miss it
            self._manifest.save(self._run.folder)

    def close(self, reported: Container[str | None]) -> None:
        """Take what stands in spools only, save what could not be written, and let others write to the run.

        Args:
            reported: the node IDs of the trials that are in the journal.
        """
        try:
            if self._journal.unwritten:
                self._journal.flush()
                self.lost = None
            if has_spools(self._run.folder):
                self._open()
                self._journal.take_spools(reported, self._take)
        except (OSError, TauError) as error:
            self.lost = _not_written(error)
        if self._journal.unwritten:
            self.lost = f"{self.lost} {self._journal.rescue(self._as_rescued())}"
        self._journal.close()
        with suppress(OSError):
            forget_refusals(self._run.folder)

    def _take(self, content: Mapping[str, Any]) -> None:
        self.taken[content["nodeid"]] = TrialFacts.of(content).costs.total

    def drop(self) -> None:
        """Remove what was made for a run in which no test began, so that ``latest`` names no empty one."""
        folder, path = self._run.folder, self.path
        with suppress(OSError):
            is_empty = not (has_spools(folder) or (path.exists() and path.stat().st_size))
            if is_empty and self.lost is None and not self._run.settings.resume:
                drop_run(folder, self._before)

    def after_interrupt(self, done: int, planned: int, again: int = 0) -> str:
        """What is kept of a run that was interrupted when so many of its trials were done, and how it goes on.

        ``again``: how many of them a resumed run plays again.
        """
        trials = count_of(planned, "trials")
        if done >= planned and not again:
            return f"Interrupted after the last of {trials}: all are kept."
        kept = min(done + len(self.taken), planned)
        if not kept:
            return f"Interrupted before any of {trials} was over: nothing is kept."
        rest = f"plays the other {count_of(planned - kept, 'trials')}" if kept < planned else "goes on with them"
        verb = "" if kept < planned else "plays "
        rest += f", and {verb}{again} again that ended in an error or infra error" if again else ""
        where = f" in {self.path}" if self.is_open else ""
        return (
            f"Interrupted: {kept} of {trials} are kept{where}. The same command with --tau-resume {rest}; "
            "conversations that were in play begin again."
        )

    def _as_rescued(self) -> bytes:
        try:
            return self.manifest.as_text().encode("utf-8", "xmlcharrefreplace")
        except (OSError, TauError):
            return b""

    def _open(self) -> None:
        if self._manifest is not None:
            return
        self._before = last_run(self._run.results)
        self._journal.open()
        forget_refusals(self._run.folder)  # as the run that is resumed has left them
        if self._run.settings.resume:
            known, k = load_manifest(self._run.folder), self._run.settings.k
            self._manifest = known.as_resumed(k, commit_of(self._run), command_of(self._run))
        else:
            self._manifest = manifest(self._run)
        about = {name: text for name, text in self._manifest.about.items() if name != JUDGE}
        if (errors := known_judge(self._run).errors) is not None:
            about[JUDGE] = errors.as_text()
        self._know(replace(self._manifest, about=about), self.files)
        self._keep_plan()

    def _keep_plan(self) -> None:
        with suppress(OSError):  # only the report in the browser, and whoever resumes with less, would miss it
            if self._planned:
                keep_plan(self._run.folder, self._planned)

    def _know(self, known: Manifest, names: Iterable[str]) -> None:
        """Write down what trials depend on, by these names."""
        self._manifest = known.knowing(look_up(self._run, set(names) - known.content.keys()))
        self._manifest.save(self._run.folder)


def _not_written(error: Exception) -> str:
    return f"The journal could not be written: {reason(error)}."
