"""``--tau-resume`` and ``--tau-shard``: which of the collected trials this run plays, and the manifest that says so.

What is left to do is decided once, by the process that prints the report; workers are told.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .options import project_root, results_folder, settings
from .stash import DONE, RUN

if TYPE_CHECKING:
    from ..manifest import Manifest

_WORKER_KEY = "tau_done"
# What decides how a trial goes and how it is graded, besides the agent's own code.
_DECIDES = (
    "split",
    "parity",
    "agent",
    "user",
    "mode",
    "policy",
    "agent_llm",
    "agent_llm_args",
    "user_llm",
    "user_llm_args",
    "user_style",
    "judge_llm",
    "judge_llm_args",
    "judge_votes",
    "max_steps",
    "max_errors",
    "timeout",
    "seed",
)
# Verdicts, and what would not become one by playing again; an infra error or a bug may.
_FINAL = frozenset({"passed", "missed", "invalid", "ungraded"})


def check_resume(config: pytest.Config) -> None:
    """Find the run to go on with, and what it has done; raises UsageError when it cannot be gone on with."""
    from ..errors import TauError
    from ..journal import last_run, read_trials
    from ..manifest import load_manifest

    if not settings(config).resume:
        return
    results = results_folder(config)
    run = last_run(results)
    if run is None:
        raise pytest.UsageError(f"--tau-resume: {results} holds no run to go on with; run without it first")
    try:
        before, now = load_manifest(run), manifest(config)
        differences = before.differences(now)
        domains = {name.removeprefix(_OF_DOMAIN) for name in before.content if name.startswith(_OF_DOMAIN)}
        differences += before.differences(with_domains(config, now, domains))
        if now.k < before.k:
            differences.append(f"--tau-k was {before.k} and is {now.k}")
        if before.shard != now.shard:
            differences.append(f"--tau-shard was {before.shard or 'not given'} and is {now.shard or 'not given'}")
        if differences:
            what = "; ".join(dict.fromkeys(differences))
            raise pytest.UsageError(
                f"--tau-resume: the trials in {run} cannot stand in one table with new ones: {what}; "
                "put it back as it was, or begin a new run without --tau-resume"
            )
        outcomes = {content["nodeid"]: content["outcome"] for content in read_trials(run)}
    except TauError as error:
        raise pytest.UsageError(f"--tau-resume: {error}") from None
    config.stash[RUN] = run
    config.stash[DONE] = {nodeid for nodeid, outcome in outcomes.items() if outcome in _FINAL}


def done(config: pytest.Config) -> set[str]:
    """Node IDs of the trials that the resumed run has done."""
    worker: dict[str, Any] = getattr(config, "workerinput", {})
    if _WORKER_KEY in worker and DONE not in config.stash:
        config.stash[DONE] = set(worker[_WORKER_KEY])
    return config.stash.get(DONE, set())


def share_done(node: Any) -> None:
    """Tell a worker what is done."""
    if finished := done(node.config):
        node.workerinput[_WORKER_KEY] = sorted(finished)


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave in a session's tests the trials that this run is to play."""
    shard, finished = settings(config).shard, done(config)
    if shard is None and not finished:
        return
    part, parts = shard or (1, 1)
    left: list[pytest.Item] = []
    out: list[pytest.Item] = []
    trials = 0
    for item in items:
        if "tau_slot" not in getattr(item, "fixturenames", ()):
            left.append(item)
            continue
        trials += 1
        here = trials % parts == part % parts
        (left if here and item.nodeid not in finished else out).append(item)
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = left


def manifest(config: pytest.Config) -> Manifest:
    """The manifest of a run that begins now, before any domain is known."""
    from ..manifest import Manifest

    chosen = settings(config)
    options = {name: value for name in _DECIDES if (value := getattr(chosen, name)) is not None}
    for name in ("agent_llm_args", "user_llm_args", "judge_llm_args"):
        if name in options:
            options[name] = _without_keys(options[name])
    return Manifest(
        options=options,
        content=dict(_shared_content(config)),
        about={
            "began": datetime.now().isoformat(timespec="seconds"),
            "commit": _commit(project_root(config)),
            "command": shlex.join(_printable(config)),
        },
        k=chosen.k,
        shard=None if chosen.shard is None else f"{chosen.shard[0]}/{chosen.shard[1]}",
    )


def with_domains(config: pytest.Config, known: Manifest, names: Iterable[str]) -> Manifest:
    """The manifest with the contents of these domains; one whose files are gone is left out."""
    from dataclasses import replace

    from ..errors import TauError

    content = dict(known.content)
    for name in names:
        try:
            content |= _domain_content(config, name)
        except (OSError, TauError):
            continue
    return replace(known, content=content)


_OF_DOMAIN = "the domain folder of "


def _domain_content(config: pytest.Config, name: str) -> dict[str, str]:
    from ..manifest import hash_of_files
    from .suites import domain_folders, suite_of

    folders = domain_folders(config, name)
    files = [
        file for folder in folders for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts
    ]
    return {
        f"{_OF_DOMAIN}{name}": hash_of_files(files),
        f"the tasks of {name}": hash_of_files(suite_of(config, name)),
    }


def _shared_content(config: pytest.Config) -> Iterable[tuple[str, str]]:
    import pytest_tau

    from .header import prompts_of
    from .players import models_in_use

    yield "pytest-tau's version", pytest_tau.__version__
    for side in models_in_use(config):
        yield f"the prompts of the {side}", prompts_of(config, side)
    if settings(config).few_shot is not None:
        from ..manifest import hash_of_files

        yield "the file of --tau-few-shot", hash_of_files([project_root(config) / str(settings(config).few_shot)])


def _without_keys(arguments: str) -> Any:
    import json

    from ..llm.scrub import public

    return public(json.loads(arguments))


def _printable(config: pytest.Config) -> list[str]:
    """The command line, without what may hold a key."""
    args = [str(arg) for arg in config.invocation_params.args]
    shown, hidden = ["pytest"], False
    for arg in args:
        name, equals, _ = arg.partition("=")
        is_arguments = name.startswith("--tau-") and name.endswith("-llm-args")
        shown.append(f"{name}=…" if is_arguments and equals else "…" if hidden else arg)
        hidden = is_arguments and not equals
    return shown


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
