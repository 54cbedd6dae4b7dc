"""What is refused before any trial is played: what cannot be, and what nothing would follow.

What was not asked for is not imported either: whoever lists the tests of a suite waits for it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

import pytest

from ..agents.names import plays_roles
from ..files import refuse_devices, resolve
from .collecting.domains import policy_file
from .collecting.task_files import is_asked, paths_of
from .collecting.variants import check_variants
from .playing.players import check_players, check_services
from .run import BUILTIN, PUBLIC, Run
from .workers.hosts import check_hosts


def check(run: Run) -> None:
    """Raise UsageError with one sentence for what cannot be done as it is asked for."""
    chosen = run.settings
    _check_suites(run)
    _check_trial_numbers(run)
    check_task_dirs(run)
    check_hosts(run)
    check_players(run)
    check_variants(run)
    asks_for = chosen.mode == "solo" or chosen.policy is not None or chosen.knowledge is not None or chosen.perturb
    if asks_for or any(plays_roles(agent.name) for agent in run.settings.agents):
        from .collecting.playable import check_domains

        check_domains(run)
    _check_gate_options(run)
    if chosen.gate or chosen.baseline or chosen.bless or chosen.stop:
        from .reporting.early_stop import check_stop
        from .reporting.gates import check_gates

        check_gates(run)
        check_stop(run)
    _check_user_seeds(run)
    if chosen.resume:
        from .recording.resuming import check_resume

        check_resume(run)
    if chosen.html or chosen.markdown or chosen.export:
        _check_outputs(run)
    if chosen.export:
        from .reporting.written_files import check_exports

        check_exports(run)
    check_services(run)


def refuse_unheeded(run: Run, trials: Collection[str]) -> None:
    """Refuse options that choose tasks where only markers do: a typo must not look like a run of these tasks.

    Args:
        run: this run.
        trials: the node IDs of all its trials.

    Raises:
        UsageError: one sentence.
    """
    from ..journal import is_of_task_file

    heed = any(path.suffix == ".json" for path in paths_of(run)) or any(map(is_of_task_file, trials))
    if run.settings.rescore or heed or not trials:
        return
    typed = {str(arg).partition("=")[0] for arg in run.config.invocation_params.args}  # not in addopts, for all runs
    for name, instead in _CHOOSING.items():
        if f"--tau-{name}" in typed:
            raise pytest.UsageError(
                f"--tau-{name}: all tests of this run take their tasks from @pytest.mark.tau, which this option does "
                f"not change; {instead}, or name a suite with --tau-domain"
            )


_CHOOSING = {
    "tasks": "write tasks=… into the marker, or choose tests with -k",
    "split": "write tasks=… into the marker",
    "data": "leave it out",
}


def _check_suites(run: Run) -> None:
    """Refuse ``tau/…`` that is no built-in suite, of which pytest would say only that there is no such file."""
    for arg in run.config.args:  # what is a suite has been replaced by its files
        path = arg.partition("::")[0]
        prefix, _, below = path.partition("/")
        if prefix not in (BUILTIN, PUBLIC) or (run.here / prefix).exists() or run.config.option.pyargs:
            continue
        if prefix == PUBLIC:
            raise pytest.UsageError(f"{arg}: name a domain of the public data, such as {PUBLIC}/retail")
        from ..environment.folders import builtin_path
        from ..errors import TauError

        try:
            builtin_path(below.rstrip("/"))
        except TauError as error:
            raise pytest.UsageError(f"{arg}: {error}") from None


_TRIAL = re.compile(r"\.json::\S*trial(?P<number>\d{1,6})\]$")


def _check_trial_numbers(run: Run) -> None:
    """Refuse a trial that there is none of with so small a k, of which pytest would say that it is not found."""
    for arg in map(str, run.config.invocation_params.args):
        found = _TRIAL.search(arg)
        if found and int(found["number"]) > run.settings.k and not (run.settings.rescore or run.settings.resume):
            raise pytest.UsageError(f"{arg}: needs --tau-k {found['number']}, and this run has k {run.settings.k}")


def check_task_dirs(run: Run) -> None:
    """Raise UsageError for folders that are not there: a typo must not look like a folder without tasks."""
    for folder in run.settings.task_dirs:
        if not (run.root / folder).is_dir():
            raise pytest.UsageError(
                f"ini value tau_task_dirs: there is no folder {run.root / folder}; create it, or correct the value, "
                "one folder a line"
            )


def _check_gate_options(run: Run) -> None:
    """Refuse what only gates follow where there is none: whoever asks for a share of verdicts relies on it."""
    for option in ("min_coverage", "inconclusive"):
        if option in run.settings.given and not run.settings.gate:
            raise pytest.UsageError(
                f"--tau-{option.replace('_', '-')}: decides only whether gates hold, and there is none: "
                "give one with --tau-gate"
            )


def _check_user_seeds(run: Run) -> None:
    """Refuse numbers of trials that cannot be divided among the customers."""
    customers = run.settings.user_seeds
    if customers is not None and not run.settings.divides(run.settings.k):
        raise pytest.UsageError(
            f"--tau-user-seeds {customers}: each customer must meet two trials or more, and as many: "
            f"run with --tau-k {2 * customers} or {3 * customers}"
        )


def _check_outputs(run: Run) -> None:
    """Refuse files that would take the place of another one of the run, of results, of a folder or of a device."""
    from .reporting.written_files import may_write

    chosen = run.settings
    asked = [("--tau-html ", "html", chosen.html), ("--tau-markdown ", "markdown", chosen.markdown)]
    asked += [(f"--tau-export {kind}:", kind, file) for kind, file in chosen.export]
    outputs = [(f"{option}{name}", kind, resolve(run.root / name), name) for option, kind, name in asked if name]
    inputs = _inputs(run)
    for number, (output, kind, path, name) in enumerate(outputs):
        others = outputs[:number] + outputs[number + 1 :]
        clashing = next((other for other, its, file, _ in others if may_write(run, its, file, path)), None)
        clashing = clashing or next((other for other, _, file, _ in outputs[:number] if file == path), None)
        read = next(
            (option for file, option in inputs.items() if file == path or may_write(run, kind, path, file)), None
        )
        problem = f"{clashing} writes this file too" if clashing else _why_kept(run, path)
        if not problem and read:
            problem = f"it would take the place of the file of {read}"
        try:
            refuse_devices(run.root / name)
        except OSError as error:
            problem = str(error.strerror)
        if problem:
            raise pytest.UsageError(f"{output}: {problem}; name another")


def _inputs(run: Run) -> dict[Path, str]:
    """The options that name files which the run reads, by these."""
    chosen = run.settings
    read = [
        ("--tau-rescore", run.recorded),
        ("--tau-policy", policy_file(run)),
        ("--tau-baseline", chosen.baseline),
        ("--tau-prices", chosen.prices),
        ("--tau-few-shot", chosen.few_shot),
    ]
    return {resolve(run.root / name): option for option, name in read if name}


def _why_kept(run: Run, path: Path) -> str:
    """Why nothing may be written to a path, whatever this run reads; "" where it may."""
    from ..journal import FILE_NAME as JOURNAL
    from ..manifest import FILE_NAME as MANIFEST

    if path.name in (JOURNAL, MANIFEST) and (path.parent / JOURNAL).is_file():
        return "a run keeps its results in this file"
    if path.is_dir():
        return "it is a folder"
    if path.suffix == ".py" and path.exists():
        return "there is Python in this file"
    return "there are tasks in this file" if path.is_file() and is_asked(run, path) else ""
