"""``--tau-rescore FILE``: recorded conversations as test items, graded again; a plugin loaded when it is asked for.

Each recording is a trial like one that was played: it has a verdict, counts in the table and in gates, stands in the
journal and in every report. Nobody speaks. What a file recorded as the reward is compared with the new one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from ...conversation.limits import Limits
from ...environment.tasks import read_tasks, suite_files, suite_in
from ...errors import TauError
from ...files import resolve
from ...journal import read_trials
from ...manifest import content_hash
from ...printable import count_of, one_line, printable
from ...recordings.rescored import Library, Recording, read_recordings, recorded_file
from ...schema.simulation import Termination
from ..collecting.collection import tag_marks
from ..collecting.domains import find_domain
from ..collecting.nodeids import registered_suite
from ..collecting.slot import Slot, slots_by_parameter
from ..collecting.task_files import matches, modify_tasks, refuse_unknown, suite_of
from ..collecting.variants import PlayedVariant
from ..playing.guarding import Guard, backstage
from ..playing.handle import HANDLE, TrialHandle
from ..playing.invalid_trials import customer_audit, play_until_valid
from ..playing.loops import CallersLoop
from ..playing.requesting import models_for, trial_request
from ..playing.running import grade_watched
from ..playing.trial import Finished, TrialRequest
from ..run import Run, run_of

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from ...environment.domain import Domain
    from ...schema.record import TrialRecord
    from ...schema.simulation import Simulation
    from ...schema.task import Task

LISTED = 50
# What a recording has been played with, or how: another value would stand in the record of the run, and change nothing.
ONLY_PLAYED = (
    "domain", "agent", "agent_llm", "agent_command", "user", "user_llm", "user_style", "k", "seed", "mode", "split",
    "max_steps", "max_errors",
)  # fmt: skip


@dataclass(frozen=True)
class _Numbered:
    """A recording with the number of its trial, which no other recording of the task has."""

    recording: Recording
    trial: int


def recorded_tasks(run: Run) -> dict[tuple[str, str], Task]:
    """The tasks of the recordings that are graded again, by domain and id; none where nothing is."""
    return {}


def _recordings(run: Run) -> dict[str, list[_Numbered]]:
    """The recordings by the name of their domain's node."""
    return {}


class _Library(Library):
    """Domains and tasks as this run of pytest finds them."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def domain(self, name: str, policy: str | None, knowledge: str | None = None) -> Domain:
        public = self._run.settings.data is not None
        return find_domain(self._run, name, public=public, policy=policy, knowledge=knowledge)

    def tasks(self, name: str, file: str) -> list[Task]:
        own = self._run.config.rootpath / file
        suite = None
        if self._run.settings.data is None:
            suite = registered_suite(self._run, file) or suite_in(file, self._run.root)
        files = (
            [own]
            if own.suffix == ".json" and own.is_file()
            else suite_files(suite)
            if suite
            else suite_of(self._run, name)
        )
        tasks = [task for file in files for task in read_tasks(file)]
        modify_tasks(self._run, name, tasks, self._run.config.hook)
        return tasks

    def trying(self, task: Task, domain: Domain) -> AbstractContextManager[None]:
        limits = Limits(timeout=self._run.settings.timeout)
        return backstage(self._run, limits, "trying the gold actions", task.id, domain.name)


def begin(run: Run) -> None:
    """Read the recordings and collect them; raises UsageError with one sentence when that cannot be done."""
    if played := next((name for name in ONLY_PLAYED if name in run.settings.given), None):
        option = f"--tau-{played.replace('_', '-')}"
        raise pytest.UsageError(f"--tau-rescore grades what is recorded in the file: leave {option} out")
    try:
        file = _file(run, str(run.settings.rescore))
        found = list(read_recordings(file, _Library(run), run.settings.rescore_tasks))
        if found and run.settings.first_tasks is None:
            refuse_unknown(run.settings.tasks, {recording.task.id for recording in found})
    except TauError as error:
        raise pytest.UsageError(f"--tau-rescore: {error}") from None
    if not found:
        raise pytest.UsageError(f"--tau-rescore: {file}: no conversation is recorded in it")
    if len(labels := dict.fromkeys(recording.label for recording in found)) > 1:
        raise pytest.UsageError(
            f"--tau-rescore: {file}: {', '.join(labels)} played in it, and their trials would count as one agent's: "
            "give the τ² file of one of them, which --tau-export FILE writes"
        )
    run.recorded, run.recorded_with = file, _how(run, found[0])
    run.one(recorded_tasks).update({(r.domain.name, r.task.id): r.task for r in found})
    once = _without_copies(found)
    run.one(_recordings).update(_select_tasks(run, _number_trials(once)))
    here = run.here
    if run.config.args_source is not pytest.Config.ArgsSource.ARGS:
        run.config.args[:] = [str(file)]
    elif file not in {resolve(here / arg.partition("::")[0]) for arg in run.config.args}:
        run.config.args.append(str(file))
    run.config.pluginmanager.register(_Rescoring(run, len(found) - len(once)), "tau-rescoring")


def _how(run: Run, first: Recording) -> str:
    """Under which settings the recordings were played, as far as their file says, and what they are graded by."""
    given = [
        f"{side} {name} {one_line(str(value))}"
        for side in ("agent", "user")
        for name, value in getattr(first.simulation, f"{side}_parameters").items()
        if name != "seed"
    ]
    tasks = "graded by the tasks of today" if run.settings.rescore_tasks == "today" else ""
    return ", ".join(filter(None, [first.how, *given, tasks]))


def _way_to(file: Path, root: Path) -> str:
    """A file outside of the root as a node ID names it: from there, or as it is where no way leads there."""
    try:
        return Path(os.path.relpath(file, root)).as_posix()
    except ValueError:  # on another drive
        return file.as_posix()


def _file(run: Run, given: str) -> Path:
    if run.told is not None:  # by the time a worker looks, the latest run is this one
        return Path(run.told.recorded)
    here = run.here / given
    return resolve(recorded_file(here if here.exists() else run.root / given))


def _without_copies(recordings: Iterable[Recording]) -> list[Recording]:
    """Each conversation once: a copy is no further trial. An agent may well say the same in two trials of a task, which
    then have numbers of their own, or other times."""
    once: dict[tuple[object, ...], Recording] = {}
    for recording in recordings:
        messages = recording.simulation.messages
        timed = any(message.timestamp for message in messages)
        trial = None if timed else recording.simulation.trial
        said = content_hash([message.model_dump(mode="json") for message in messages])
        of = (recording.domain.name, recording.task.id, _label(recording), recording.reward)
        once.setdefault((*of, trial, said), recording)
    return list(once.values())


def _number_trials(recordings: Iterable[Recording]) -> Iterator[_Numbered]:
    """Each with its own trial number, or the next free one where files were put together."""
    taken: dict[tuple[str, str, str], set[int]] = {}
    for recording in recordings:
        seen = taken.setdefault((recording.domain.name, recording.task.id, _label(recording)), set())
        trial = recording.simulation.trial
        while trial in seen:
            trial += 1
        seen.add(trial)
        yield _Numbered(recording, trial)


def _label(recording: Recording) -> str:
    return recording.variant.label if recording.variant is not None else ""


def _select_tasks(run: Run, found: Iterable[_Numbered]) -> dict[str, list[_Numbered]]:
    """Those of the tasks asked for, by the name of the domain's node."""
    chosen = run.settings
    groups: dict[str, list[_Numbered]] = {}
    ids: dict[str, dict[str, None]] = {}
    for one in found:
        task_id, name = one.recording.task.id, re.sub(r"\W", "_", one.recording.domain.name)
        seen = ids.setdefault(name, {})
        seen[task_id] = None
        if chosen.first_tasks is not None:
            wanted = len(seen) <= chosen.first_tasks or task_id in list(seen)[: chosen.first_tasks]
        else:
            wanted = not chosen.tasks or any(matches(task_id, pattern) for pattern in chosen.tasks)
        if wanted:
            groups.setdefault(name, []).append(one)
    return groups


class RecordedFile(pytest.File):
    """The file of recordings; its children are the domains in it."""

    def collect(self) -> Iterable[pytest.Collector]:
        """A module for each domain."""
        for name in run_of(self.config).one(_recordings):
            yield RecordedDomain.from_parent(self, path=self.path, name=name, nodeid=f"{self.nodeid}::{name}")


class RecordedDomain(pytest.Module):
    """The recordings of one domain, collected as a module whose only test grades them."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """The test, for each of its recordings."""
        from . import recorded_function

        self.obj = recorded_function
        return super().collect()


def grade_recorded(request: TrialRequest) -> Finished:
    """Grade the recorded conversation of a request with the tools of today, whatever they were when it was played."""
    recording, wait = request.slot.recording, request.run.one(CallersLoop).for_a_trial()
    if recording is None:
        raise RuntimeError("a recorded trial has a recording")
    simulation = recording.simulation
    unread = simulation.user_findings is None or request.models.judge_user is not None
    if simulation.termination_reason is not Termination.USER_ERROR:  # what was dropped before stays so
        policy = "keep" if request.run.settings.invalid_as == "keep" else "drop"  # nobody can play it again
        audit = customer_audit(request, wait) if unread else _as_it_is
        simulation = play_until_valid(lambda attempt: recording.simulation, audit, policy)
    guard = Guard(request)
    try:
        return grade_watched(request, simulation, wait, guard.begin, strict=False)
    finally:
        guard.end()


def _as_it_is(simulation: Simulation) -> Simulation:
    """A recording that says what was found about its customer."""
    return simulation


def _nobody(context: Any) -> NoReturn:
    raise RuntimeError("nobody plays in a recorded conversation")


class _Rescoring:
    """Hooks and fixture of a run that grades recordings; compares each new reward with the recorded one."""

    def __init__(self, run: Run, copies: int) -> None:
        self._run, self._copies = run, copies
        self._same = self._unknown = 0
        self._differing: list[str] = []

    def pytest_report_header(self) -> str:
        number = sum(map(len, self._run.one(_recordings).values()))
        return f"tau: grading {count_of(number, 'recorded conversations')} of {self._run.recorded}; none is played"

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        if resolve(file_path) != self._run.recorded:
            return None
        inside = file_path.is_relative_to(self._run.config.rootpath)
        # Of a file elsewhere pytest would leave the name out of node IDs. It takes a way there that is written out.
        more: dict[str, Any] = {} if inside else {"nodeid": _way_to(file_path, self._run.config.rootpath)}
        return RecordedFile.from_parent(parent, path=file_path, **more)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        module = metafunc.definition.getparent(RecordedDomain)
        if module is None or "tau_recording" not in metafunc.fixturenames:
            return
        parameters = []
        for one in self._run.one(_recordings)[module.name]:
            task = one.recording.task
            label, variant = _label(one.recording), one.recording.variant
            key = f"{module.nodeid}/{label}/{task.id}#{one.trial}"
            played = None if variant is None else PlayedVariant(variant)
            slot = Slot(task, one.recording.domain, one.trial, one.recording, variant=played)
            self._run.one(slots_by_parameter)[key] = slot
            shown = "-".join(filter(None, (label, task.id, f"trial{one.trial}")))
            parameters.append(pytest.param(key, id=shown, marks=tag_marks(self._run, task)))
        metafunc.parametrize("tau_slot", parameters, indirect=True)

    @pytest.fixture
    def tau_recording(self, request: pytest.FixtureRequest, tau_slot: Slot) -> TrialHandle:
        """A trial that was played before."""
        models = models_for(self._run, request.node, tau_slot)
        asked = trial_request(self._run, request.node, tau_slot, models, _nobody, _nobody)
        handle = request.node.stash[HANDLE] = TrialHandle(grade_recorded, asked)
        return handle

    def pytest_tau_trial_finished(self, trial: TrialRecord) -> None:
        if trial.nodeid not in self._run.done:  # of those the summary reads
            self._compare(trial.nodeid, trial.recorded_reward, trial.reward.value if trial.reward else None)

    def _compare(self, nodeid: str, before: float | None, now: float | None) -> None:
        if before is None or now is None:
            self._unknown += 1
        elif before == now:
            self._same += 1
        else:
            self._differing.append(f"  {nodeid}: {before:g} was recorded, and it is {now:g}")

    def pytest_tau_summary(self, terminalreporter: TerminalReporter) -> None:
        done = self._run.done  # by the run that this one resumes
        earlier = read_trials(self._run.folder, lambda sentence: None) if done else ()
        last = {one["nodeid"]: (one.get("recorded_reward"), (one.get("reward") or {}).get("value")) for one in earlier}
        for nodeid in (one for one in last if one in done):
            self._compare(nodeid, *last[nodeid])
        counts = [f"{self._same} as recorded", f"{len(self._differing)} differ"]
        if self._unknown:
            counts.append(f"{self._unknown} cannot be compared")
        lines = [f"tau: rewards graded again: {', '.join(counts)}", *self._differing[:LISTED]]
        if len(self._differing) > LISTED:
            lines.append(f"  and {len(self._differing) - LISTED} more")
        if self._copies:
            copies = count_of(self._copies, "conversations")
            lines.append(
                f"(!) Left out: {copies} that the file has already, word for word: a copy is no further trial."
            )
        for line in lines:
            terminalreporter.write_line(printable(line))
