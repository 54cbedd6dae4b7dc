"""Runs of pytest in processes of their own, as copies of one that has imported all: to import takes longer than to run.

The process that the copies are made of has run no test. A copy has the folder, environment and streams of whoever asks.
"""

import atexit
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from types import SimpleNamespace
from typing import IO, Any

from pytest_tau.plugin.workers import forking


def copied(command: Sequence[str], stdout: IO[str], stderr: IO[str], **_: Any) -> Any:
    """Start ``python -m pytest`` with the arguments that follow these three, in place of ``Pytester.popen``."""
    asked = [os.getcwd(), dict(os.environ), command[3:], stdout.name, stderr.name]
    into, out = _original()
    into.write(json.dumps(asked) + "\n")
    into.flush()
    return SimpleNamespace(stdin=None, wait=lambda: int(out.readline()))


@cache
def _original() -> tuple[IO[str], IO[str]]:
    code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; serve()"
    command = [sys.executable, "-c", code]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/")
    assert process.stdin is not None
    assert process.stdout is not None
    atexit.register(process.communicate)
    return process.stdin, process.stdout


def serve() -> None:
    """Do what is asked, one after the other."""
    forking._prepare((), ("mock",), "base")
    for line in sys.stdin:
        if (copy := os.fork()) == 0:
            _run(*json.loads(line))
            return
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])}\n")
        sys.stdout.flush()


def _run(folder: str, environment: dict[str, str], arguments: Sequence[str], *outputs: str) -> None:
    for place, path in enumerate((os.devnull, *outputs)):
        opened = os.open(path, os.O_RDWR)
        os.dup2(opened, place)
        os.close(opened)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path.insert(0, folder)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.argv[:] = ["pytest", *arguments]
    runpy.run_module("pytest", run_name="__main__", alter_sys=True)
