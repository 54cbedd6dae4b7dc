"""What is refused before any trial is played: what cannot be, and what nothing would follow.

What was not asked for is not imported either: whoever lists the tests of a suite waits for it.
"""

from __future__ import annotations

import re

import pytest

from ..agents.names import plays_roles
from .collecting.variants import check_variants
from .playing.players import check_players, check_services
from .run import BUILTIN, PUBLIC, Run
from .workers.hosts import check_hosts


def check(run: Run) -> None:
    """Raise UsageError with one sentence for what cannot be done as it is asked for."""
    chosen = run.settings
    _check_suites(run)
    _check_trial_numbers(run)
    _check_task_dirs(run)
    check_hosts(run)
    check_players(run)
    check_variants(run)
    asks_for = chosen.mode == "solo" or chosen.policy is not None or chosen.knowledge is not None or chosen.perturb
    if asks_for or any(plays_roles(agent.name) for agent in run.settings.agents):
        from .collecting.collection import check_domains

        check_domains(run)
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


def _check_task_dirs(run: Run) -> None:
    """Refuse folders that are not there: a typo must not look like a folder without tasks."""
    for folder in run.settings.task_dirs:
        if not (run.root / folder).is_dir():
            raise pytest.UsageError(
                f"ini value tau_task_dirs: there is no folder {run.root / folder}; create it, or correct the value, "
                "one folder a line"
            )


def _check_user_seeds(run: Run) -> None:
    """Refuse numbers of trials that cannot be divided among the customers."""
    customers, k = run.settings.user_seeds, run.settings.k
    if customers is not None and (k % customers or k < 2 * customers):
        raise pytest.UsageError(
            f"--tau-user-seeds {customers}: each customer must meet two trials or more, and as many: "
            f"run with --tau-k {2 * customers} or {3 * customers}"
        )


def _check_outputs(run: Run) -> None:
    """Refuse files that would take the place of another one of the run, of results, of a folder or of a device."""
    from ..files import refuse_devices, resolve
    from ..journal import FILE_NAME as JOURNAL
    from ..manifest import FILE_NAME as MANIFEST

    chosen = run.settings
    asked = [("--tau-html ", chosen.html), ("--tau-markdown ", chosen.markdown)]
    asked += [(f"--tau-export {kind}:", file) for kind, file in chosen.export]
    taken: dict[object, str] = {}
    for option, name in asked:
        if name is None:
            continue
        path, problem = resolve(run.root / name), ""
        if path in taken:
            problem = f"{taken[path]} writes this file too"
        elif path.name in (JOURNAL, MANIFEST) and (path.parent / JOURNAL).is_file():
            problem = "a run keeps its results in this file"
        elif path.is_dir():
            problem = "it is a folder"
        try:
            refuse_devices(run.root / name)
        except OSError as error:
            problem = str(error.strerror)
        if problem:
            raise pytest.UsageError(f"{option}{name}: {problem}; name another")
        taken[path] = f"{option}{name}"
