"""The process that imports an isolated agent and forks for its trials, as whoever starts it sees it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..environment.folders import ISOLATED
from ..errors import InfraError, SettingsError, describe

# Variables of the environment that an isolated agent keeps, with those of the locale.
_KEPT = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "VIRTUAL_ENV", "LD_LIBRARY_PATH"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "XDG_CACHE_HOME", "HF_HOME", "CUDA_VISIBLE_DEVICES"),
    )
)
_START = (
    "import sys, json; told = json.loads(sys.argv[1]); sys.path[:] = told['path']; "
    "from pytest_tau.adapters.seat import main; main(told['control'], told['agent'], told['hidden'], told['home'])"
)
_TO_IMPORT = 300.0  # seconds
_LAST_WORDS = 1.0


def environment(names: Iterable[str]) -> dict[str, str]:
    """What an isolated agent has of the environment: no keys but those that are named.

    Raises:
        SettingsError: one of the names is not there.
    """
    kept = {name: text for name, text in os.environ.items() if name in _KEPT or name.startswith("LC_")}
    for name in names:
        if name not in os.environ:
            raise SettingsError(
                f"--tau-isolate-env: there is no variable {name} in the environment; set it, or leave it"
            )
        kept[name] = os.environ[name]
    return {**kept, ISOLATED: "1"}


class Nursery:
    """The process that imports the agent and forks for its trials.

    ``home``: the folder in which each trial has its own. ``forks``: whether it can do so more than once. Raises
    SettingsError where the agent cannot be imported.
    """

    def __init__(self, name: str, environment: Mapping[str, str], hidden: Sequence[str]) -> None:
        self._name = name
        self._lock = threading.Lock()
        self.home = Path(tempfile.mkdtemp(prefix="tau-isolated-"))
        self._control, theirs = socket.socketpair()
        path = [os.path.abspath(one or ".") for one in sys.path]
        told = {"path": [*path, str(Path.cwd())], "control": theirs.fileno(), "agent": name, "hidden": hidden}
        told["home"] = str(self.home)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 (our own Python)
                [sys.executable, "-c", _START, json.dumps(told)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**environment, "TMPDIR": str(self.home)},
                cwd=self.home,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._answers = self._control.makefile("rb")
        try:
            self._control.settimeout(_TO_IMPORT)
            ready = self._answer()
        except (OSError, SettingsError) as error:
            self.close()
            raise SettingsError(f"the agent '{name}' cannot be imported: {describe(error)}") from None
        self._control.settimeout(None)
        if "refused" in ready:
            self.close()
            raise SettingsError(str(ready["refused"]))
        self.forks = bool(ready["forks"])

    @property
    def process_id(self) -> int:
        """Its own."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it is there."""
        return self._process.poll() is None

    def begin(self, descriptors: Sequence[int]) -> int:
        """Fork for a trial, which gets these for its socket, output and errors; returns the process' id."""
        with self._lock:
            try:
                socket.send_fds(self._control, [b"begin"], list(descriptors))
                return int(self._answer()["pid"])
            except (OSError, SettingsError) as error:
                raise InfraError(f"the agent '{self._name}' cannot be started: {describe(error)}") from None

    def end(self, pid: int, *, dies: bool = False) -> int | None:
        """End a trial's process and what it has started; returns its exit status, None where nobody knows.

        ``dies``: it is about to end by itself.
        """
        with self._lock:
            try:
                self._control.sendall(json.dumps({"pid": pid, "dies": dies}).encode())
                return int(self._answer()["status"])
            except (OSError, SettingsError):
                with suppress(OSError):
                    os.killpg(pid, signal.SIGKILL)
                return None

    def close(self) -> None:
        """End it, and with it all processes of trials."""
        self._control.close()
        self._answers.close()
        try:
            self._process.wait(_LAST_WORDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def _answer(self) -> Any:
        line = self._answers.readline()
        if not line:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_LAST_WORDS)
            raise SettingsError(f"its process has ended {how_it_ended(self._process.returncode)}")
        return json.loads(line)


def how_it_ended(status: int | None) -> str:
    """How a process has ended, by its status."""
    if status is None:
        return "with its nursery"
    if status >= 0:
        return f"with exit status {status}"
    with suppress(ValueError):
        return f"by the signal {signal.Signals(-status).name}"
    return f"by the signal {-status}"
