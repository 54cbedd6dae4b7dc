"""Hosts: the machines that a run's workers are on, as ``--tx`` names them.

Workers elsewhere share nothing with the process that prints the report but a connection. What the workers of a host
share in files, their limits and spools, lies there in a folder of the run under the temporary directory, and each host
keeps to an equal part of the limits. Two names of one machine count as two hosts: the parts never exceed the whole.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

from ..settings.options import any_given, settings

_FOLDER_KEY, _NUMBER_KEY = "tau_host", "tau_hosts"
_ELSEWHERE = ("ssh", "vagrant_ssh", "socket", "via")
_HERE = ""
_FOLDERS = pytest.StashKey[dict[str, str]]()


def check_hosts(config: pytest.Config) -> None:
    """Refuse arguments that xdist cannot hand over to other machines, where it would break; raises UsageError."""
    if all(host == _HERE for host in _hosts(config)) or config.option.rsyncdir or config.getini("rsyncdirs"):
        return
    here = config.invocation_params.dir
    for arg in map(str, config.invocation_params.args):
        if (here / arg.partition("::")[0]).exists():
            raise pytest.UsageError(
                f"{arg}: names a file or folder of this machine, and there are workers on others; name suites with "
                "--tau-domain, write options as --option=VALUE, and give each host its copy (docs/scaling.md)"
            )


def number_of_hosts(config: pytest.Config) -> int:
    """On how many hosts the workers of this run are, or its only process is."""
    worker: dict[str, Any] = getattr(config, "workerinput", {})
    return int(worker.get(_NUMBER_KEY) or len(_hosts(config)))


def host_folder(config: pytest.Config) -> Path | None:
    """What a worker on another machine shares with those beside it; None in all other processes."""
    worker: dict[str, Any] = getattr(config, "workerinput", {})
    return Path(tempfile.gettempdir(), worker[_FOLDER_KEY]) if _FOLDER_KEY in worker else None


def share_host(node: Any) -> None:
    """Tell a worker how many hosts there are, and one on another machine its folder there."""
    node.workerinput[_NUMBER_KEY] = len(_hosts(node.config))
    if (host := _host_of(str(node.gateway.spec))) != _HERE:
        import secrets

        folders = node.config.stash.setdefault(_FOLDERS, {})
        node.workerinput[_FOLDER_KEY] = folders.setdefault(host, f"pytest-tau-{secrets.token_hex(8)}")


def arrive(config: pytest.Config) -> None:
    """On another machine: claim the folder before anybody else can come to the end and remove it."""
    from ..playing.models import has_limits
    from .spool import spool

    if host_folder(config) is not None and has_limits(config) and (any_given(config) or settings(config).domain):
        spool(config).open()


def leave(session: pytest.Session) -> None:
    """On another machine: remove what this worker wrote, when all of it has been reported; the last removes the folder.

    What a worker leaves that died, or whose run was stopped, stays there: nobody else has it.
    """
    folder = host_folder(session.config)
    reported = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    if folder is None or not reported or session.shouldfail or session.shouldstop:
        return
    from .spool import spool

    spool(session.config).remove()
    if not any(folder.glob("*/*")):
        shutil.rmtree(folder, ignore_errors=True)


def _hosts(config: pytest.Config) -> list[str]:
    """Each host of the workers; this machine alone where there are none."""
    option = config.option
    specs = getattr(option, "tx", None) if getattr(option, "dist", "no") != "no" else None
    return list(dict.fromkeys(_host_of(spec) for spec in specs or ["popen"]))


def _host_of(spec: str) -> str:
    """What tells a host from others in such as ``2*ssh=user@host//chdir=folder``."""
    parts = re.sub(r"^\d+\*", "", spec).split("//")
    return next((part for part in parts if part.partition("=")[0] in _ELSEWHERE), _HERE)
