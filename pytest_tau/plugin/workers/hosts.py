"""Hosts: the machines that a run's workers are on, as ``--tx`` names them.

Workers elsewhere share nothing with the process that prints the report but a connection. What the workers of a host
share in files, their limits and spools, lies there in a folder of the run under the temporary directory, and each host
keeps to an equal part of the limits. Two names of one machine count as two hosts: the parts never exceed the whole.
"""

from __future__ import annotations

import os
import re

import pytest

from ..run import Run, uses_debugger

HERE = ""
_ELSEWHERE = ("ssh", "vagrant_ssh", "socket", "via")
# Conversations at once in all, unless the user says how many a process.
_IN_ALL = 8


def check_hosts(run: Run) -> None:
    """Refuse what would count trials twice, or what xdist cannot hand over to other machines; raises UsageError."""
    check_each(run)
    if all(host == HERE for host in hosts_of(run)) or run.config.option.rsyncdir or run.config.getini("rsyncdirs"):
        return
    here = run.here
    for arg in map(str, run.config.invocation_params.args):
        if os.path.exists(here / arg.partition("::")[0]):  # not Path.exists, which raises for a long -k
            raise pytest.UsageError(
                f"{arg}: is a file or folder on this machine, but some workers run on others; name suites with "
                "--tau-domain, write options as --option=VALUE, and give each host its copy (docs/scaling.md)"
            )


def check_each(run: Run) -> None:
    """Refuse what would count trials twice; raises UsageError."""
    if getattr(run.config.option, "dist", "no") == "each":
        raise pytest.UsageError("--dist each plays every trial on every worker: use -n N, and --tau-k for more trials")


def number_of_hosts(run: Run) -> int:
    """On how many hosts the workers of this run are, or its only process is."""
    return run.told.hosts if run.told is not None else len(hosts_of(run))


def conversations_at_once(run: Run) -> int:
    """Conversations at once in a process whose players wait for models: as the user says, or about eight in all.

    No more than calls may be under way: those that wait push the prompts of others out of a small server's cache.
    """
    option = run.config.option
    if uses_debugger(run.config) or getattr(option, "trace", False):
        return 1  # a debugger wants the trial in the main thread
    processes = run.told.workers if run.told is not None else getattr(option, "numprocesses", None)
    in_all = min(_IN_ALL, run.settings.max_inflight or _IN_ALL)
    return run.settings.concurrency or max(1, in_all // (processes or 1))


def hosts_of(run: Run) -> list[str]:
    """Each host of the workers; this machine alone where there are none."""
    option = run.config.option
    specs = getattr(option, "tx", None) if getattr(option, "dist", "no") != "no" else None
    return list(dict.fromkeys(host_of(spec) for spec in specs or ["popen"]))


def host_of(spec: str) -> str:
    """What tells a host from others in such as ``2*ssh=user@host//chdir=folder``."""
    parts = re.sub(r"^\d+\*", "", spec).split("//")
    return next((part for part in parts if part.partition("=")[0] in _ELSEWHERE), HERE)
