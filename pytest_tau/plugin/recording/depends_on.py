"""What a trial's result depends on besides the agent's own code: one list for resumed runs, merged ones and baselines.

Settings are known from the start (:func:`settings_of`). Contents are files and prompts, each under a name for people
with a hash of what is in it: some hold for the whole run (:func:`of_the_run`), a domain's and a task file's are looked
up when their first trial is there (:func:`of_a_trial`, :func:`look_up`). Which setting decides what stands with the
options, in ``settings/options.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest_tau

from ...environment.tasks import read_tasks
from ...errors import TauError
from ...manifest import FILES_OF, PROGRAM, TASKS_IN, TASKS_OF, content_hash, hash_of_files
from ...scrub import conceal, public
from ..collecting.domains import domain_folders
from ..collecting.task_files import suite_of, task_files
from ..playing.players import models_in_use, prompts_of
from ..run import Run
from ..settings.agents import public_name
from ..settings.options import deciding

_PROMPTS = "prompt version of the "
_FEW_SHOT = "file of --tau-few-shot"
_RECORDED = "recorded conversations"
# Of a domain's public data: what of its tasks counts is hashed with the tasks.
_NOT_OF_THE_DOMAIN = ("tasks", "split_tasks", "__pycache__", ".")


def settings_of(run: Run, *, agent: bool = True) -> dict[str, Any]:
    """The settings that results depend on, without keys; with ``agent`` those as well that make it the same run."""
    names = deciding("result", "agent", "suite") if agent else deciding("result")
    given = {name: value for name in names if (value := getattr(run.settings, name)) not in (None, ())}
    found = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
    if "invalid" in names:
        found["invalid"] = run.settings.invalid_as
    for name in found.keys() & {"agent_llm_args", "user_llm_args", "judge_llm_args"}:
        found[name] = public(json.loads(str(found[name])))
    for name in found.keys() & {"agent", "agent_llm"}:  # one agent is a text, as it has always been
        told = [public_name(one) for one in found.pop(name)]
        found |= {} if not told else {name: told[0] if len(told) == 1 else told}
    if "isolate_env" in found:
        found["isolate_env"] = ", ".join(found["isolate_env"])
    if "agent_command" in found:
        found["agent_command"] = conceal(str(found["agent_command"]))
    return found


def of_the_run(run: Run) -> dict[str, str]:
    """Hashes of what all trials depend on."""
    found = {PROGRAM: pytest_tau.__version__}
    found |= {f"{_PROMPTS}{side.partition(' ')[0]}": prompts_of(run, side) for side in models_in_use(run)}
    if run.settings.few_shot is not None:
        found[_FEW_SHOT] = hash_of_files([run.root / str(run.settings.few_shot)])
    if run.recorded is not None:
        from ...recordings.rescored import SIMULATIONS

        found[_RECORDED] = hash_of_files([run.recorded, *run.recorded.parent.glob(SIMULATIONS)])
    return found


def of_a_trial(nodeid: str, domain: str, suite: str | None = None) -> tuple[str, str]:
    """What to look up for the trial of a test: its domain, and its task file or the suite that its marker names."""
    return f"{FILES_OF}{domain}", of_a_file(nodeid) or f"{TASKS_OF}{suite or domain}"


def of_a_file(nodeid: str) -> str | None:
    """What to look up for the task file of a test; None for a test in Python."""
    file = nodeid.partition("::")[0]
    return f"{TASKS_IN}{file}" if file.endswith(".json") else None


def look_up(run: Run, names: Iterable[str]) -> dict[str, str]:
    """Hashes of domains and tasks by name; empty for what is gone. Names of other things are left out."""
    found: dict[str, str] = {}
    for name in names:
        if name.startswith(FILES_OF):
            found |= _of_a_domain(run, name.removeprefix(FILES_OF))
        elif name.startswith((TASKS_IN, TASKS_OF)):
            found[name] = _of_tasks(run, name)
    return found


def _of_a_domain(run: Run, domain: str) -> dict[str, str]:
    """A hash for each file or folder in the domain's folder, and one of their names: a new file changes that alone."""
    parts: dict[str, list[Path]] = {}
    try:
        for folder in domain_folders(run, domain):
            for entry in folder.iterdir():
                if not entry.name.startswith(_NOT_OF_THE_DOMAIN):
                    below = [entry] if entry.is_file() else [file for file in entry.rglob("*") if file.is_file()]
                    parts.setdefault(entry.name, []).extend(file for file in below if "__pycache__" not in file.parts)
        hashes = {f"{name} of {domain}": hash_of_files(files) for name, files in sorted(parts.items())}
    except (OSError, TauError):
        return {f"{FILES_OF}{domain}": ""}
    return {f"{FILES_OF}{domain}": content_hash(sorted(parts)), **hashes}


def _of_tasks(run: Run, name: str) -> str:
    try:
        if name.startswith(TASKS_IN):
            files = task_files(run, name.removeprefix(TASKS_IN))
        else:
            files = suite_of(run, name.removeprefix(TASKS_OF))
        return hash_of_files([*files, *_pictures_of(files)])
    except (OSError, TauError):
        return ""


def _pictures_of(files: Iterable[Path]) -> list[Path]:
    """The pictures that task files name; few files have any."""
    named = [file for file in files if b'"attachments"' in file.read_bytes()]
    return [
        file.parent / one.path
        for file in named
        for task in read_tasks(file)
        for one in task.user_scenario.attachments or []
        if one.path is not None
    ]


def for_baselines(content: Mapping[str, str]) -> dict[str, str]:
    """Those that a baseline is held to: it is there for other agents, and tasks are compared one by one."""
    left_out = (TASKS_OF, TASKS_IN, f"{_PROMPTS}agent", _FEW_SHOT, _RECORDED)
    return {name: digest for name, digest in content.items() if not name.startswith(left_out)}
