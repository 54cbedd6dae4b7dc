"""Snapshots of trajectories, on syrupy: the fixture ``tau_snapshot``, and ``--tau-snapshot`` for collected tasks.

A snapshot is trial 1's. ``--snapshot-update`` writes that one. Other trials, which may run in another worker and
earlier, are compared with it when all have finished, and the run fails if they differ.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ...errors import SnapshotMismatch, TauError
from ...schema.simulation import Simulation
from ...scrub import conceal
from ..collecting.collection import TaskFile
from ..playing.handle import HANDLE, TrialHandle
from ..playing.outcomes import TauMiss, Ungraded
from ..private import failed_snapshot, request_of, unused_snapshots
from ..run import Run, run_of
from ..workers.transport import SNAPSHOT, put, take

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter
    from syrupy.assertion import SnapshotAssertion

    from ...reports.trajectory_text import Level

_NAME = "tau-snapshots"
_LATER: pytest.StashKey[list[tuple[str, int, str]]] = pytest.StashKey()

_ACCEPT = "If this is how it should be, run again with --snapshot-update (it keeps trial 1) and commit the file."


def snapshots(run: Run) -> _Snapshots:
    """The plugin that does what is to be done besides comparing, from when somebody asks for it."""
    plugin: _Snapshots | None = run.config.pluginmanager.getplugin(_NAME)
    if plugin is None:
        plugin = _Snapshots(run)
        run.config.pluginmanager.register(plugin, _NAME)
    return plugin


def missing(run: Run, what: str) -> str | None:
    """What to say when syrupy is not there, else None."""
    if run.config.pluginmanager.hasplugin("syrupy"):
        return None
    return f"{what} needs syrupy, which is not installed or switched off: pip install 'pytest-tau[snapshot]'"


class TauSnapshot:
    """What a trial's simulation is compared with: ``assert tau_simulation == tau_snapshot``.

    A comparison that fails raises SnapshotMismatch, and no AssertionError: it is not the agent's miss, which a gate
    could let pass.
    """

    __hash__ = None  # type: ignore[assignment]  # equal to simulations, which have none

    def __init__(self, request: pytest.FixtureRequest, handle: TrialHandle, level: Level = "tools") -> None:
        self._request = request
        self._handle = handle
        self._level = level

    def __call__(self, *, level: Level) -> TauSnapshot:
        """The snapshot of another level: ``tools``, ``messages`` or ``state``."""
        from ...reports.trajectory_text import LEVELS

        if level not in LEVELS:
            raise TauError(f"tau_snapshot: level must be one of {', '.join(LEVELS)}, not {level!r}")
        return TauSnapshot(self._request, self._handle, level)

    def __repr__(self) -> str:
        return f"tau_snapshot(level={self._level!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Simulation):
            raise TauError(f"tau_snapshot is compared with tau_simulation, not with an object of type {type(other)}")
        self.compare(other)
        return True

    def compare(self, simulation: Simulation) -> None:
        """Compare, or leave it for the end of the run; raises SnapshotMismatch."""
        from ...reports.trajectory_text import trajectory_text
        from .snapshot_files import Trajectories  # on syrupy, which is an extra

        slot, option = self._handle.request.slot, self._request.config.option
        text = conceal(trajectory_text(simulation, slot.task, slot.domain, self._level))
        assertion = self._request.getfixturevalue("snapshot").use_extension(Trajectories)
        file = Trajectories.get_location(test_location=assertion.test_location, index=self._level)
        updating = option.update_snapshots or (
            getattr(option, "update_new_snapshots_only", False) and not Path(file).exists()
        )
        later = self._request.node.stash.setdefault(_LATER, [])
        if updating and slot.trial != 1:
            later.append((file, slot.trial, _digest(text)))
        elif not _equal(assertion(name=self._level), text):
            before, error = failed_snapshot(assertion)
            raise SnapshotMismatch(self._comparison_text(file, before, text, error))

    def _comparison_text(self, file: str, before: str | None, after: str, error: Exception | None) -> str:
        from ...reports.review import review

        where = _short(run_of(self._request.config), file)
        if error is not None:
            return f"{where}: the snapshot cannot be read or written: {type(error).__name__}: {error}"
        if before is None:
            return f"no snapshot yet: {where}; write it with --snapshot-update, read it and commit it"
        found = review(before, after)
        return "\n".join([f"snapshot differs: {found.summary} ({where})", *found.lines, "", _ACCEPT])


class _Snapshots:
    """Compares the trials of collected tasks, and settles at the end what could not be compared at once."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._later: dict[str, list[tuple[int, str]]] = {}
        self._problems: list[str] = []
        self.deselected = False

    def pytest_deselected(self) -> None:
        """Note that this run is not of everything."""
        self.deselected = True

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
        """Compare a collected task once it has its verdict; a difference is told before a miss."""
        level = self._run.settings.snapshot
        if level is None or not isinstance(pyfuncitem.parent, TaskFile):
            return (yield)
        snapshot = TauSnapshot(request_of(pyfuncitem), pyfuncitem.stash[HANDLE], level)
        try:
            value = yield
        except (TauMiss, Ungraded) as error:
            try:
                snapshot.compare(pyfuncitem.stash[HANDLE].finished.simulation)
            except SnapshotMismatch as mismatch:
                raise SnapshotMismatch(f"{mismatch}\n\n{error}") from None
            raise
        snapshot.compare(pyfuncitem.stash[HANDLE].finished.simulation)
        return value

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put what is to be compared later on the report, also when that is nothing: it tells of snapshots in use."""
        report = yield
        if report.when == "call" and _LATER in item.stash:
            put(report, SNAPSHOT, json.dumps(item.stash[_LATER]))
        return report

    def receive(self, report: pytest.TestReport) -> None:
        """Take what is to be compared off a report, in the process that prints it."""
        for file, trial, digest in json.loads(take(report, SNAPSHOT) or "[]"):
            self._later.setdefault(file, []).append((trial, digest))

    # After the gates, and before the summary is printed.
    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Compare what was left for the end; what differs or is stale fails the run, despite gates."""
        result = yield
        if not self._run.is_worker:
            self._finish(session)
        return result

    def _finish(self, session: pytest.Session) -> None:
        self._problems = [line for file, trials in self._later.items() if (line := self._differing(file, trials))]
        if (self._problems or self._stale()) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED  # whatever gates say

    def _differing(self, file: str, trials: list[tuple[int, str]]) -> str | None:
        path, where = Path(file), _short(self._run, file)
        kept = _digest(path.read_text("utf-8", errors="replace")) if path.is_file() else None
        others = [f"trial {trial}" for trial, digest in sorted(trials) if digest != kept]
        if not others:
            return None
        if kept is None:
            return f"{where}: not written, since trial 1 was not there to take it from; left out: {', '.join(others)}"
        return f"{where}: it is trial 1's, and not what happened in {', '.join(others)}"

    def _stale(self) -> bool:
        option = self._run.config.option
        unused = unused_snapshots(self._run.config) > 0
        return unused and not (option.update_snapshots or option.warn_unused_snapshots)

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Name the trials that differ from what was written."""
        if not self._problems:
            return
        terminalreporter.write_sep("=", "tau: trials that are not like their snapshot")
        for line in self._problems:
            terminalreporter.write_line(line)


def _equal(assertion: SnapshotAssertion, text: str) -> bool:
    """Compare, and write on update; without the advice to name the file after the test, as our files are not."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"\s*Can not relate snapshot")
        return bool(assertion == text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _short(run: Run, file: str) -> str:
    root = run.root
    return Path(file).relative_to(root).as_posix()
