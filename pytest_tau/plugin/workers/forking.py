"""Workers of xdist as copies of one process, so that what all of them need is imported once (Linux).

How it works. xdist starts a new Python for each worker, and each would import pytest, pydantic and this package, which
takes most of a second. Here one process more is started, the fork server (:func:`serve`), which imports all that, reads
the task files, plays and grades some tasks, and waits. What xdist starts as the Python of a worker is a stand-in
(:mod:`.stand_in`). It hands its standard streams to the server over a socket. The server forks; the copy takes the
streams as its own and does what ``python -c`` of xdist's would: it runs what comes in.

Who ends when:

- The stand-in with its worker, which holds the other end of their socket: so xdist sees a worker end as ever.
- The server with the controlling process, which holds the other end of its pipe.
- A worker with the run: where xdist could not end its workers, because a plugin raised before it, the server does.
- A worker with the server, where that came first (:mod:`..parent`).

The server answers processes of the same user only. It has no threads, and imports nothing of the project: that may do
anything while it is imported, and expects to find what its conftest.py has set up.
"""

from __future__ import annotations

import ast
import inspect
import os
import secrets
import select
import shlex
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.metadata import entry_points
from itertools import islice
from pathlib import Path
from typing import Any

from ... import garbage
from ...errors import TauError
from ..private import pytest_modules
from ..run import CORE, Run

_STREAMS = 3
_OVER = _TAKEN = b"."
_GONE = b"0"
# Signals that a whole group of processes gets, and what a Python that has just started does with them.
_SENT_TO_ALL: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
# What a worker of a tau run imports sooner or later, whatever is played.
_MODULES = (
    "email.parser",  # by which entry points are read
    "pytest_tau.agents.oracle",
    "pytest_tau.evaluation.explain",
    "pytest_tau.evaluation.progress.satisfaction",
    "pytest_tau.llm.endpoint.serving",
    "pytest_tau.plugin.collecting.collection",
    "pytest_tau.plugin.collecting.trial_function",
    "pytest_tau.plugin.parent",
    "pytest_tau.plugin.playing.lookahead",
    "pytest_tau.plugin.playing.running",
    "pytest_tau.plugin.playing.searching",
    "pytest_tau.plugin.reporting.header",
    "pytest_tau.plugin.reporting.trial_report",
    "pytest_tau.plugin.workers.link",
    "pytest_tau.users.scripted",
)
_PLAYED = 40


class ForkServer:
    """The server of a run, in the controlling process."""

    def __init__(self, run: Run) -> None:
        self.name = f"pytest-tau-{secrets.token_hex(8)}"
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(f"\0{self.name}")
        listening.listen(128)
        ending, self._alive = os.pipe()
        suites = [*run.config.args] if run.domains else []
        ignored = [int(number) for number in _SENT_TO_ALL if signal.getsignal(number) is signal.SIG_IGN]
        told = (listening.fileno(), ending, suites, [*run.domains], run.settings.split or CORE, ignored)
        # On Ctrl-C the controlling process says what is next, from the first moment of this one on.
        quiet = "from signal import *; signal(SIGINT, SIG_IGN); pthread_sigmask(SIG_SETMASK, ())"
        first = f"import sys; sys.path[:] = {sys.path!r}; import {garbage.__name__} as garbage; garbage.leave_at_once()"
        code = f"{quiet}; {first}; from {__name__} import serve; serve{told!r}"
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            with listening:
                self._process = subprocess.Popen(  # noqa: S603
                    [sys.executable, "-c", code], pass_fds=(listening.fileno(), ending), stdin=subprocess.DEVNULL
                )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(ending)
        run.config.add_cleanup(self.close)

    @property
    def pid(self) -> int:
        """The number of the process, which is the workers' parent."""
        return self._process.pid

    @property
    def python(self) -> str:
        """The command that xdist is to start in place of Python."""
        return shlex.join([sys.executable, "-I", "-S", str(Path(__file__).with_name("stand_in.py")), self.name])

    def close(self) -> None:
        """End the server, and workers that nobody has ended."""
        with suppress(OSError):  # it was killed
            os.write(self._alive, _OVER)
        os.close(self._alive)
        self._process.wait()


def fork_workers(run: Run, specs: Iterable[Any]) -> None:
    """Have xdist start these workers as copies of a fork server, as far as they are plain ones on this machine."""
    plain = [spec for spec in specs if spec.popen and not (spec.python or spec.via or spec.chdir)]
    if can_fork() and len(plain) > 1:
        with suppress(OSError):  # no socket, no process: xdist starts its workers as ever
            server = run.one(ForkServer)
            for spec in plain:
                spec.python = server.python


def parents_of_workers(run: Run) -> tuple[int, ...]:
    """The numbers of the processes that may be the parent of a worker on this machine."""
    server = run.existing(ForkServer)
    return (os.getpid(),) if server is None else (os.getpid(), server.pid)


def can_fork() -> bool:
    """Whether workers may be copies: on Linux, and where no coverage is measured, which follows new processes only."""
    return sys.platform == "linux" and not any(name.startswith("COVERAGE_PROCESS") for name in os.environ)


def serve(
    listening: int, ending: int, suites: Sequence[str], domains: Sequence[str], split: str, ignored: Sequence[int]
) -> None:
    """Import what workers need, then fork one for each stand-in that asks, until the other process has ended.

    Returns in a worker, when it has come to its end.

    Args:
        listening: the descriptor of a socket that stand-ins connect to.
        ending: the descriptor of a pipe that the controlling process holds the other end of.
        suites: the paths of the suites that the run is about.
        domains: their names.
        split: which part of them is played.
        ignored: signals that the controlling process ignores, as a shell has its background jobs do; its workers too.
    """
    for number in _SENT_TO_ALL:  # the controlling process says what is next
        signal.signal(number, signal.SIG_IGN)
    # The garbage collector of a copy would write to what it looks at, and so copy it.
    with garbage.lasting():
        execnet = _prepare(suites, domains, split)
    ended, wakeup = socket.socketpair()
    wakeup.setblocking(False)
    signal.set_wakeup_fd(wakeup.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    server = socket.socket(fileno=listening)
    workers: dict[int, socket.socket] = {}
    waiting: list[Any] = [server, ending, ended]
    while ending in waiting or workers:
        ready, _, _ = select.select([*waiting, *workers.values()], [], [])
        if ending in ready:
            if os.read(ending, 1) != _OVER:
                os._exit(1)
            waiting = [ended]
            _turn_away(server)
            for worker in workers:
                os.kill(worker, signal.SIGKILL)
        if ended in ready:
            ended.recv(64)
            for worker in [worker for worker in workers if os.waitpid(worker, os.WNOHANG)[0]]:
                workers.pop(worker).close()
        for worker, asking in workers.items():
            if asking in ready:  # what has xdist end a worker that hangs ends its stand-in
                os.kill(worker, signal.SIGKILL)
        if server in ready and server in waiting:
            asking, _ = server.accept()
            streams = socket.recv_fds(asking, 1, _STREAMS)[1] if _is_ours(asking) else []
            if len(streams) == _STREAMS:
                worker = os.fork()
                if worker == 0:
                    asking.send(_TAKEN)
                    for each in (server, ended, wakeup, asking, *workers.values()):
                        each.close()
                    os.close(ending)
                    _work(streams, execnet, ignored)
                    return
                workers[worker] = asking
            for stream in streams:
                os.close(stream)
    signal.set_wakeup_fd(-1)
    for each in (ended, wakeup):
        each.close()


def _turn_away(server: socket.socket) -> None:
    """Tell the stand-ins that still ask to end: nobody would be there to end their workers, or to hear of them."""
    server.setblocking(False)
    with suppress(OSError):
        while True:
            server.accept()[0].send(_GONE)
    server.close()


def _prepare(suites: Sequence[str], domains: Sequence[str], split: str) -> tuple[str, Any]:
    """Import all; returns the source of what execnet runs its workers by, and the module of it."""
    from execnet import gateway_base

    for name in (*pytest_modules(), *_MODULES):
        import_module(name)
    from ...environment.tasks import read_ahead, suite_files
    from ...schema.record import TrialRecord

    for suite in suites:
        with suppress(TauError, OSError):  # what is wrong with it, collection says
            for file in suite_files(Path(suite)):
                read_ahead(file, split)
    _play_some(domains, split)
    TrialRecord.model_rebuild()
    entry_points()  # keeps where those of installed packages stand, which pytest asks for in each worker
    return inspect.getsource(gateway_base), gateway_base


def _play_some(domains: Iterable[str], split: str) -> None:
    """Play and grade tasks of built-in suites: what is made when it is first needed, is there afterwards."""
    from ...environment.domain import load_domain
    from ...environment.folders import builtin_folder, builtin_names
    from ...environment.tasks import read_ahead, suite_files
    from ...evaluation.grade import grade
    from ...simulating import simulate

    for name in {*domains} & {*builtin_names("domains")} & {*builtin_names("tasks")} or {"mock"}:
        domain = load_domain(builtin_folder("domains", name))
        files = suite_files(builtin_folder("tasks", name))
        for task in islice((task for file in files for task in read_ahead(file, split)), _PLAYED):
            grade(task, simulate(task, domain), domain)


def _is_ours(asking: socket.socket) -> bool:
    """Whether the process at the other end is of this user."""
    peer = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", peer)
    return bool(user == os.getuid())


def _work(streams: Sequence[int], execnet: tuple[str, Any], ignored: Sequence[int]) -> None:
    """Be the worker of these streams."""
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, usual in _SENT_TO_ALL.items():
        signal.signal(number, signal.SIG_IGN if number in ignored else usual)
    sys.argv[:] = ["-c"]
    sys.stdin = os.fdopen(0, closefd=False)
    told = ast.literal_eval(sys.stdin.readline())  # execnet has python -c evaluate it
    known, module = execnet
    names = {**vars(module), "__name__": "__main__"}
    # To a Python that it does not know execnet sends its own source first, which is here already.
    exec(told.removeprefix(known), names if told.startswith(known) else {"__name__": "__main__"})  # noqa: S102
