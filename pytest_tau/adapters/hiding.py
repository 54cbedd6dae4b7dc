"""Files that a process may open no more, by Landlock: what Linux from 5.13 on lets any process ask for itself.

Landlock knows what is allowed, and forbids the rest. So everything is allowed that lies beside the way down to what is
to be hidden. Names can still be listed. The same rule keeps the process and all it starts from looking into the memory
and the environment of the processes outside.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

# Of linux/landlock.h; the numbers of the calls are the same on all machines but alpha.
_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_WRITE_FILE, _READ_FILE, _MOVE = 1 << 1, 1 << 2, 1 << 13
_NO_NEW_PRIVILEGES = 38
# Of linux/capability.h: with one of them root looks into other processes all the same.
_CAPABILITIES, _SYS_PTRACE, _SYS_ADMIN, _PERFMON = 0x20080522, 19, 21, 38


def can_hide() -> bool:
    """Whether this system can keep a process from files of its own user."""
    return _version() > 0


def hide(paths: Iterable[Path]) -> bool:
    """Let this process, and all it starts, open none of these files and folders; False where the system cannot.

    In folders above a hidden one nothing can be opened that is made later.
    """
    hidden = {Path(os.path.realpath(path)) for path in paths}
    version = _version()
    if not version or not hidden:
        return False
    files = _WRITE_FILE | _READ_FILE
    folders = files | (_MOVE if version > 1 else 0)  # which is forbidden by itself where nobody allows it
    ruleset = _call(_CREATE, struct.pack("Q", folders), 8, 0)
    try:
        for path in _beside(Path("/"), hidden):
            _allow(ruleset, path, folders if path.is_dir() else files)
        if _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
            return False
        _drop_privileges()
        _call(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)
    return True


def _beside(folder: Path, hidden: set[Path]) -> Iterator[Path]:
    """What lies beside the hidden, as high up as can be."""
    for entry in os.scandir(folder):
        path = Path(entry.path)
        if path in hidden or entry.is_symlink():  # where a link leads to has a rule of its own
            continue
        if any(path in one.parents for one in hidden):
            yield from _beside(path, hidden)
        else:
            yield path


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # gone, or not ours
    try:
        _call(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, opened), 0)
    finally:
        os.close(opened)


def _drop_privileges() -> None:
    """Give up for good what lets root look into other processes."""
    header, held = struct.pack("Ii", _CAPABILITIES, 0), ctypes.create_string_buffer(24)
    if _libc().capget(header, held) != 0:
        return
    words = list(struct.unpack("6I", held.raw))  # effective, permitted, inheritable; and again for those from 32 on
    for number in (_SYS_PTRACE, _SYS_ADMIN, _PERFMON):
        for kind in range(3):
            words[number // 32 * 3 + kind] &= ~(1 << number % 32)
    _libc().capset(header, struct.pack("6I", *words))


def _version() -> int:
    """What the system knows of Landlock; 0: nothing."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_libc().syscall(_CREATE, None, 0, _VERSION)))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: int | bytes) -> int:
    """What the system answers; raises OSError."""
    given = [ctypes.c_long(one) if isinstance(one, int) else ctypes.c_char_p(one) for one in arguments]
    answer = int(_libc().syscall(ctypes.c_long(number), *given))
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer
