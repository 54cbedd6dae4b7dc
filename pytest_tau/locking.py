"""One process at a time, by the system's lock on a file; where there is none, by a file that only one can make.

The system lets go of its lock when a process dies, however that happens; a process that was forked from it, and may
live on, holds none. The second way is for file systems without locks: the file says who made it, and one whose maker is
dead is taken over.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from .files import fresh_name

if sys.platform == "win32":
    fcntl = None
else:
    import fcntl

_held: set[Lock] = set()


class Lock:
    """A lock for one process.

    Args:
        path: the file that it is about; its folder exists. The second way makes another one beside it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._second = path.with_name(f".{path.name}.process")
        self._file: IO[bytes] | None = None
        self._made = False

    def take(self) -> str | None:
        """Take the lock; None when it is ours now, else a phrase about who has it, where more is known than that.

        Raises:
            OSError: the file cannot be made.
        """
        if self._file is not None or self._made:
            return None
        if fcntl is None:
            return self._take_second()
        file = self._path.open("ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return ""
        except OSError:  # a file system without locks
            file.close()
            return self._take_second()
        self._file = file
        _held.add(self)
        return None

    def release(self) -> None:
        """Let others have it."""
        _held.discard(self)
        if self._file is not None:
            with suppress(OSError):  # at once, and not when a process that is being forked has let go as well
                if fcntl is not None:
                    fcntl.flock(self._file, fcntl.LOCK_UN)
            self._file.close()
            self._file = None
        if self._made:
            self._made = False
            self._second.unlink(missing_ok=True)

    def disown(self) -> None:
        """In a process that was forked from the one that has it: the system's lock goes with the last who holds it."""
        if self._file is not None:
            self._file.close()
        self._file, self._made = None, False

    def _take_second(self) -> str | None:
        mine = json.dumps(_process(os.getpid()))
        for _ in range(2):
            try:
                with self._second.open("x", encoding="utf-8") as file:
                    file.write(mine)
            except FileExistsError:
                if (holder := self._holder()) is not None:
                    return holder
                self._remove_stale()
            else:
                self._made = True
                _held.add(self)
                return None
        return ""

    def _holder(self) -> str | None:
        """Who has it, None when that process is dead."""
        try:
            process = json.loads(self._second.read_text(encoding="utf-8"))
            host, pid = str(process["host"]), int(process["pid"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError, TypeError, KeyError):
            return f"; if that one is over, remove {self._second}"
        if host == platform.node() and _process(pid) != process:
            return None
        return f" (process {pid} on {host[:60]}; if that one is over, remove {self._second})"

    def _remove_stale(self) -> None:
        # By renaming, of which only one of several succeeds for one file.
        stale = fresh_name(self._second)
        with suppress(OSError):
            self._second.rename(stale)
            stale.unlink()


def _disown() -> None:
    while _held:
        _held.pop().disown()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_disown)


def is_alive(pid: int) -> bool:
    """Whether there is a process of this number."""
    return _start_time(pid) is not None


def _process(pid: int) -> dict[str, Any]:
    """What tells a living process from others; one that is dead has no time of beginning."""
    return {"host": platform.node(), "pid": pid, "began": _start_time(pid)}


def _start_time(pid: int) -> str | None:
    """When a process began, as the system counts it; where only its life can be told, "some time"; None: it is dead."""
    try:
        # After the name, which may hold anything, in parentheses: field 22 of all.
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        pass
    if sys.platform == "win32" or Path("/proc/self/stat").exists():
        return "some time" if sys.platform == "win32" else None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except OSError:
        pass
    return "some time"
