"""``--tau-resume`` and ``--tau-shard``: which of the collected trials this run plays, and the manifest that says so.

What is left to do is decided once, by the process that prints the report; workers are told.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import pytest

from ...errors import TauError, reason
from ...journal import FILE_NAME, JournalWriter, is_graded, is_open, last_run, put_back, read_trials, simulation_id
from ...manifest import COMMAND, GRADED_AGAIN, RECORDED_WITH, Manifest, load_manifest
from ...schema.record import FINAL
from ..collecting.slot import slots_by_parameter
from ..playing.rerun import without_keys
from ..private import parameters_of
from ..run import Run, is_trial
from .depends_on import look_up, of_the_run, settings_of


def check_resume(run: Run) -> None:
    """Find the run to go on with, and what it has done; raises UsageError when it cannot be gone on with."""
    if not run.settings.resume:
        return
    results = run.results
    try:
        put_back(results)
    except OSError as error:
        raise pytest.UsageError(
            f"--tau-resume: what was rescued of the last run cannot be put back into {results}: {reason(error)}"
        ) from None
    folder = last_run(results)
    if folder is None:
        raise pytest.UsageError(f"--tau-resume: {results} has no run to continue; run without it first")
    try:
        before = load_manifest(folder)
        now = manifest(run).knowing(look_up(run, before.content))
        differences = before.differences(now)
        if now.k < before.k:
            differences.append(f"--tau-k was {before.k} and is {now.k}")
        if run.settings.stop and now.k > before.k:
            differences.append(
                f"--tau-k was {before.k} and is {now.k}, and the looks of --tau-stop were planned for it"
            )
        if before.shard != now.shard:
            differences.append(f"--tau-shard was {before.shard or 'not given'} and is {now.shard or 'not given'}")
        if differences:
            raise pytest.UsageError(
                f"--tau-resume: the trials in {folder} cannot be combined with new ones: "
                f"{'; '.join(differences)}; put it back as it was, or begin a new run without --tau-resume"
            )
        run.folder = folder
        run.done = _finished_trials(run, folder)
    except TauError as error:
        raise pytest.UsageError(f"--tau-resume: {error}") from None
    except OSError as error:
        raise pytest.UsageError(f"--tau-resume: {folder}: results cannot be kept there ({error.strerror})") from None


def _finished_trials(run: Run, folder: Path) -> frozenset[str]:
    """Node IDs of the trials that a run has results of; what a killed one left in spools is put into its journal."""
    journal = journal_of(run)
    journal.open()  # and locked until this run is over, so that nobody else finds the same trials undone
    broken: list[str] = []
    known = {simulation_id(content) for content in read_trials(journal.path, broken.append) if is_graded(content)}
    journal.take_spools(known - {None})
    has_judge = run.settings.judge_llm is not None
    last = {
        content["nodeid"]: content["outcome"] in FINAL
        and not (is_open(content) if has_judge else not is_graded(content))
        for content in read_trials(folder / FILE_NAME, broken.append)
    }
    return frozenset(nodeid for nodeid, is_final in last.items() if is_final)


def journal_of(run: Run) -> JournalWriter:
    """The journal of this run, for the one process that writes it."""
    return run.one(_journal)


def _journal(run: Run) -> JournalWriter:

    made = JournalWriter(run.folder)
    run.config.add_cleanup(made.close)
    return made


def select(run: Run, items: list[pytest.Item]) -> None:
    """Leave in a session's tests the trials that this run is to play."""
    shard, finished = run.settings.shard, run.done
    if shard is None and not finished:
        return
    trials = {item: _trial(run, item) for item in items if is_trial(item)}
    ours = in_part(trials.values(), shard or (1, 1))
    out = [item for item, trial in trials.items() if trial not in ours or item.nodeid in finished]
    if out:
        run.config.hook.pytest_deselected(items=out)
        gone = set(out)
        items[:] = [item for item in items if item not in gone]


def in_part(trials: Iterable[tuple[str, int]], shard: tuple[int, int]) -> set[tuple[str, int]]:
    """Those of the trials (task, number) that fall to a part; whatever their order, and stable when k grows."""
    (part, parts), every = shard, set(trials)
    tasks = {task: number for number, task in enumerate(sorted({task for task, _ in every}))}
    return {(task, trial) for task, trial in every if (tasks[task] + trial - part) % parts == 0}


def in_rounds(run: Run, items: list[pytest.Item]) -> None:
    """Put the first trials of all tasks before all second ones, and so on; other tests stay where they are."""
    places = [place for place, item in enumerate(items) if is_trial(item)]
    trials = sorted((items[place] for place in places), key=lambda item: _trial(run, item)[1])
    for place, item in zip(places, trials, strict=True):
        items[place] = item


def _trial(run: Run, item: pytest.Item) -> tuple[str, int]:
    """Which task a test is about, and which trial of it."""
    key: str = parameters_of(item)["tau_slot"]
    return key.rpartition("#")[0], run.one(slots_by_parameter)[key].trial


def manifest(run: Run) -> Manifest:
    """The manifest of a run that begins now, before any domain is known."""
    chosen = run.settings
    return Manifest(
        # As a file has them: what is read from one is compared with them.
        options={name: list(value) if isinstance(value, tuple) else value for name, value in settings_of(run).items()},
        content=of_the_run(run),
        about={
            "began": datetime.now().isoformat(timespec="seconds"),
            "commit": _commit(run.root),
            COMMAND: command_of(run),
            **({GRADED_AGAIN: str(run.recorded)} if run.recorded is not None else {}),
            **({RECORDED_WITH: run.recorded_with} if run.recorded_with else {}),
        },
        k=chosen.k,
        shard=None if chosen.shard is None else f"{chosen.shard[0]}/{chosen.shard[1]}",
    )


def command_of(run: Run) -> str:
    """The command line, without what may hold a key; models have their parameters among the options."""
    from ...scrub import scrub

    shown, is_value = ["pytest"], False
    for arg in map(str, run.config.invocation_params.args):
        found = _MODEL_ARGS.match(arg)
        if found and found["value"]:
            shown.append(f"{found[0]}{scrub(without_keys(arg[found.end() :]))}")
        else:
            shown.append(scrub(without_keys(arg) if is_value else arg))
        is_value = found is not None and not found["value"]
    return shlex.join(shown)


# On the command line, or as an ini value: -o tau_agent_llm_args=…
_MODEL_ARGS = re.compile(r"(--|-o|--override-ini=)?tau[-_]\w+[-_]llm[-_]args(?P<value>=)?")


def commit_of(run: Run) -> str:
    """The project's git commit, as manifests have it."""
    return _commit(run.root)


def _commit(folder: Path) -> str:
    """The project's git commit, with a plus where files differ from it; empty where there is none."""
    if "GIT_DIR" not in os.environ and not any((above / ".git").exists() for above in (folder, *folder.parents)):
        return ""
    commands = (["git", "rev-parse", "HEAD"], ["git", "status", "--porcelain", "--untracked-files=no"])
    said = []
    for command in commands:
        try:
            result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=10, check=True)  # noqa: S603
        except (OSError, subprocess.SubprocessError):
            return ""
        said.append(result.stdout.strip())
    return said[0] + ("+" if said[1] else "")
