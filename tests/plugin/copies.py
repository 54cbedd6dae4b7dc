"""Processes of runs of pytest, as copies of one that has imported all: to import takes longer than most runs.

That one is a fork server as runs with workers have it, here for all runs of this process. It has run no test. A copy
has the folder, environment and streams of whoever asks: a stand-in that xdist or :func:`copied` has started.
"""

import atexit
import json
import os
import runpy
import shlex
import socket
import struct
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import pytest

from pytest_tau import garbage
from pytest_tau.plugin.run import Run
from pytest_tau.plugin.workers import forking
from pytest_tau.plugin.workers.forking import ForkServer

_PATH = [*sys.path]  # before any test has changed it


class Shared(ForkServer):
    """The one server, for each run that asks for its own."""

    def __init__(self, run: Run) -> None:
        self.__dict__.update(vars(_server()))


def copy_workers(run: Run, specs: Iterable[Any]) -> None:
    """Have xdist start plain workers as copies, also where it is a single one."""
    for spec in specs:
        if spec.popen and not (spec.python or spec.via or spec.chdir):
            spec.python = run.one(forking.ForkServer).python


def copied(command: Sequence[str], stdout: IO[str], stderr: IO[str], **_: Any) -> Any:
    """Start ``python -m pytest`` with the arguments that follow these three, in place of ``Pytester.popen``."""
    into, out = _runs()
    into.write(json.dumps([os.getcwd(), dict(os.environ), command[3:], stdout.name, stderr.name]) + "\n")
    into.flush()
    return SimpleNamespace(stdin=None, wait=lambda: int(out.readline()))


@cache
def _server() -> ForkServer:
    config = SimpleNamespace(args=[], add_cleanup=atexit.register)
    asks: Any = SimpleNamespace(config=config, domains=["mock"], settings=SimpleNamespace(split=None))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forking, "__name__", __name__)  # it is to run serve() of this module
        patch.setattr(sys, "path", _PATH)
        return ForkServer(asks)


@cache
def _runs() -> tuple[IO[str], IO[str]]:
    command = [*shlex.split(_server().python), "-u", "-c", ""]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(repr(f"from {__name__} import run_each; run_each()") + "\n")
    atexit.register(process.communicate)
    return process.stdin, process.stdout


def serve(*told: Any) -> None:
    """Be the server."""
    peer: list[int] = []
    work = forking._work

    def is_ours(asking: socket.socket) -> bool:
        peer[:] = struct.unpack("3i", asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return True

    def work_there(*given: Any) -> None:
        there = Path(f"/proc/{peer[0]}")
        pairs = [one.partition("=")[::2] for one in os.fsdecode((there / "environ").read_bytes()).split("\0") if one]
        _be(os.readlink(there / "cwd"), dict(pairs))
        work(*given)

    vars(forking).update(_is_ours=is_ours, _work=work_there)
    forking.serve(*told)


def run_each() -> None:
    """Run pytest whenever a line asks for it, and answer with its exit status."""
    for line in sys.stdin:
        if (copy := os.fork()) == 0:
            atexit.unregister(garbage._leave)  # its exit status counts
            _run(*json.loads(line))
            return
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])}\n")
        sys.stdout.flush()


def _run(folder: str, environment: dict[str, str], arguments: Sequence[str], *outputs: str) -> None:
    for place, path in enumerate((os.devnull, *outputs)):
        opened = os.open(path, os.O_RDWR)
        os.dup2(opened, place)
        os.close(opened)
    _be(folder, environment)
    sys.path.insert(0, folder)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.argv[:] = ["pytest", *arguments]
    runpy.run_module("pytest", run_name="__main__", alter_sys=True)


def _be(folder: str, environment: dict[str, str]) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
