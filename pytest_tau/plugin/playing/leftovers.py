"""What players leave behind in this process, and what is done about it.

**Open files.** A process may have so many. Some are held back while trials are played; where players have taken the
others, these are for what is to be done yet: keeping and grading. Then the run ends, with a sentence.

**Threads** that Python would wait for: the process ends without them, some seconds after the session.

**No current folder:** where a player has removed the one it went to, the process goes back to where it began.

**Copies of the process**, which a player has forked. They hold the run's output, so whoever reads it waits for them;
they end with the run. What is no copy any more, as it runs another program, is left alone.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

from ...printable import count_of
from ...schema.simulation import Termination
from ..run import Run
from ..workers.activity import monitor
from .guarding import ends_without
from .outcomes import NotRun

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_HELD_BACK = 64
_FEWEST = 4 * _HELD_BACK  # where there are no more, nothing is held back
_NEARLY = 8
_TAKEN = "an agent, or another player, keeps so many files open that none can be opened any more"
_TO_END = 30.0  # seconds for a thread that has something to finish


class Leftovers:
    """Looks after what players leave behind, from its making until :meth:`close`."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._process = os.getpid()
        self._threads = set(threading.enumerate())
        self._copies: set[int] = set()
        self._may_open = 0  # as it was, while some of it is held back
        self._are_gone = False
        self._hold_back()
        if sys.platform == "linux":
            os.register_at_fork(after_in_parent=self._note_copy)
        run.ending.callback(self.close)

    def refuse(self) -> None:
        """Begin no trial where files cannot be opened; raises NotRun."""
        if self._are_gone:
            raise NotRun(_TAKEN)

    def look(self) -> None:
        """See whether files can be opened still, and the current folder is there; from any thread."""
        try:
            os.getcwd()
        except OSError:
            with suppress(OSError):
                os.chdir(self._run.here)
        if not self._may_open or self._are_gone:
            return
        try:
            lowest = os.dup(2)
        except OSError:
            lowest = self._may_open
        else:
            os.close(lowest)
        if lowest >= self._may_open - _HELD_BACK - _NEARLY:
            self._are_gone = True
            for trial in monitor(self._run).in_play():  # before they take what is released
                trial.end(Termination.INFRASTRUCTURE_ERROR, _TAKEN)
            self._allow(self._may_open - _HELD_BACK // 2)

    def make_room(self) -> None:
        """Where files cannot be opened, let those be that what is to be reported needs, and let no further test begin.

        By now, nobody who takes them is asked any more.
        """
        if self._are_gone:
            self._release()
            self._run.session.shouldstop = f"{_TAKEN}: have it close what it opens, and go on with --tau-resume"

    def close(self) -> None:
        """The session is over."""
        self._release()
        if any(not one.daemon and one not in self._threads for one in threading.enumerate()):
            ends_without(self._run, "an agent, or another player, has left a thread behind", _TO_END)
        ended = [pid for pid in self._copies if self._process == os.getpid() and _is_our_copy(pid)]
        self._copies.clear()
        for pid in ended:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        if ended:
            told = f"tau: ended {count_of(len(ended), 'forks')} of this process, which players had left behind"
            self._run.config.get_terminal_writer().line(f"\n{told}")

    def _hold_back(self) -> None:
        if resource is None:
            return
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != resource.RLIM_INFINITY and soft >= _FEWEST:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft - _HELD_BACK, hard))
            self._may_open = soft

    def _release(self) -> None:
        if self._may_open:
            self._allow(self._may_open)
            self._may_open = 0

    def _allow(self, number: int) -> None:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (number, hard))

    def _note_copy(self) -> None:
        """Note what this thread has just forked: the last of its children."""
        with suppress(OSError, ValueError, IndexError):
            file = Path(f"/proc/self/task/{threading.get_native_id()}/children")
            self._copies.add(int(file.read_text(encoding="ascii").split()[-1]))


def _is_our_copy(pid: int) -> bool:
    """Whether a child of ours runs what we run."""
    with suppress(OSError):
        own, its = (Path(f"/proc/{one}/cmdline").read_bytes() for one in ("self", pid))
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        return own == its and f"\nPPid:\t{os.getpid()}\n" in status
    return False


def leftovers(run: Run) -> Leftovers:
    """Who looks after them in this process."""
    return run.one(Leftovers)
