"""``--tau-resume`` and ``--tau-shard``: which of the collected trials this run plays, and the manifest that says so.

What is left to do is decided once, by the process that prints the report; workers are told.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ...errors import TauError
from ...journal import FILE_NAME, JournalWriter, is_graded, last_run, read_trials, simulation_id
from ...manifest import GRADED_AGAIN, Manifest, hash_of_files, load_manifest
from ...schema.record import FINAL, Outcome
from ..collecting.collection import slot_for
from ..collecting.task_files import domain_folders, suite_of, task_files
from ..playing.players import models_in_use, prompts_of
from ..private import parameters_of
from ..run import Run, is_trial

# What decides how a trial goes and how it is graded, besides the agent's own code.
_DECIDES = (
    "split",
    "parity",
    "agent",
    "user",
    "mode",
    "policy",
    "knowledge",
    "agent_llm",
    "agent_llm_args",
    "user_llm",
    "user_llm_args",
    "user_style",
    "criteria",
    "judge_llm",
    "judge_llm_args",
    "judge_votes",
    "user_judge",
    "invalid",
    "max_steps",
    "max_errors",
    "timeout",
    "timeout_as",
    "stop",
    "user_seeds",
    "seed",
)


def check_resume(run: Run) -> None:
    """Find the run to go on with, and what it has done; raises UsageError when it cannot be gone on with."""
    if not run.settings.resume:
        return
    results = run.results
    folder = last_run(results)
    if folder is None:
        raise pytest.UsageError(f"--tau-resume: {results} holds no run to go on with; run without it first")
    try:
        before = load_manifest(folder)
        now = with_content(run, manifest(run), before.content)
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
                f"--tau-resume: the trials in {folder} cannot stand in one table with new ones: "
                f"{'; '.join(differences)}; put it back as it was, or begin a new run without --tau-resume"
            )
        run.folder = folder
        run.done = _finished(run, folder)
    except TauError as error:
        raise pytest.UsageError(f"--tau-resume: {error}") from None
    except OSError as error:
        raise pytest.UsageError(f"--tau-resume: {folder}: results cannot be kept there ({error.strerror})") from None


def _finished(run: Run, folder: Path) -> frozenset[str]:
    """Node IDs of the trials that a run has results of; what a killed one left in spools is put into its journal."""
    journal = journal_of(run)
    journal.open()  # and locked until this run is over, so that nobody else finds the same trials undone
    broken: list[str] = []
    known = {simulation_id(content) for content in read_trials(journal.path, broken.append) if is_graded(content)}
    journal.take_spools(known - {None})
    final = FINAL if run.settings.judge_llm is None else FINAL - {Outcome.UNGRADED}
    last = {
        content["nodeid"]: content["outcome"] if is_graded(content) else None
        for content in read_trials(folder / FILE_NAME, broken.append)
    }
    return frozenset(nodeid for nodeid, outcome in last.items() if outcome in final)


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
    return key.rpartition("#")[0], slot_for(run, key).trial


def manifest(run: Run) -> Manifest:
    """The manifest of a run that begins now, before any domain is known."""
    chosen = run.settings
    options = {name: value for name in _DECIDES if (value := getattr(chosen, name)) is not None}
    for name in ("agent_llm_args", "user_llm_args", "judge_llm_args"):
        if name in options:
            options[name] = _without_keys(options[name])
    return Manifest(
        options=options,
        content=dict(_shared_content(run)),
        about={
            "began": datetime.now().isoformat(timespec="seconds"),
            "commit": _commit(run.root),
            "command": shlex.join(_printable(run)),
            **({GRADED_AGAIN: str(run.recorded)} if run.recorded is not None else {}),
        },
        k=chosen.k,
        shard=None if chosen.shard is None else f"{chosen.shard[0]}/{chosen.shard[1]}",
    )


_DOMAIN, _SUITE, _FILE = "the domain folder of ", "the tasks of ", "the tasks in "


def content_of(nodeid: str, domain: str) -> list[str]:
    """What the trial of a test depends on, as manifests name it: its domain, its task file or the marker's suite."""
    file = nodeid.partition("::")[0]
    return [f"{_DOMAIN}{domain}", f"{_FILE}{file}" if file.endswith(".json") else f"{_SUITE}{domain}"]


def with_content(run: Run, known: Manifest, names: Iterable[str]) -> Manifest:
    """The manifest with the hashes of domains and tasks, by their names in manifests; empty for what is gone."""
    from dataclasses import replace

    content = dict(known.content)
    for name in names:
        if name not in content and name.startswith((_DOMAIN, _SUITE, _FILE)):
            try:
                content[name] = hash_of_files(_files(run, name))
            except (OSError, TauError):
                content[name] = ""
    return replace(known, content=content)


def _files(run: Run, name: str) -> Iterable[Path]:

    if name.startswith(_FILE):
        return task_files(run, name.removeprefix(_FILE))
    if name.startswith(_SUITE):
        return suite_of(run, name.removeprefix(_SUITE))
    below = [file for folder in domain_folders(run, name.removeprefix(_DOMAIN)) for file in folder.rglob("*")]
    return [file for file in below if file.is_file() and "__pycache__" not in file.parts]


def _shared_content(run: Run) -> Iterable[tuple[str, str]]:
    import pytest_tau

    yield "pytest-tau's version", pytest_tau.__version__
    for side in models_in_use(run):
        yield f"the prompts of the {side}", prompts_of(run, side)
    if run.settings.few_shot is not None:
        yield "the file of --tau-few-shot", hash_of_files([run.root / str(run.settings.few_shot)])


def _without_keys(arguments: str) -> Any:
    import json

    from ...scrub import public

    return public(json.loads(arguments))


def _printable(run: Run) -> list[str]:
    """The command line, without what may hold a key; models have their parameters among the options."""
    from ...scrub import scrub

    shown, hidden = ["pytest"], False
    for arg in map(str, run.config.invocation_params.args):
        found = _MODEL_ARGS.match(arg)
        shown.append(f"{found[0]}…" if found else "…" if hidden else scrub(arg))
        hidden = found is not None and not found["value"]
    return shown


# On the command line, or as an ini value: -o tau_agent_llm_args=…
_MODEL_ARGS = re.compile(r"(--|-o|--override-ini=)?tau[-_]\w+[-_]llm[-_]args(?P<value>=)?")


def commit_of(run: Run) -> str:
    """The project's git commit, as manifests have it."""
    return _commit(run.root)


def _commit(folder: Path) -> str:
    """The project's git commit, with a plus where files differ from it; empty where there is none."""
    commands = (["git", "rev-parse", "HEAD"], ["git", "status", "--porcelain", "--untracked-files=no"])
    said = []
    for command in commands:
        try:
            result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=10, check=True)  # noqa: S603
        except (OSError, subprocess.SubprocessError):
            return ""
        said.append(result.stdout.strip())
    return said[0] + ("+" if said[1] else "")
