"""No worker outlives the process that started it, and no temporary folder those who used it.

A controlling process that is killed cannot tell its workers; left alone, they would go on asking models and paying.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Container
from contextlib import suppress
from pathlib import Path

from ..locking import is_alive

_LOOK = 0.25
_PREFIX = "pytest-tau-run-"
_FOLDER = re.compile(rf"{_PREFIX}(\d+)-\w+")


def end_with(parents: Container[int], folder: Path | None) -> None:
    """End this process within a second of its parent's end, and remove the folder that they shared.

    Nothing where the parent is none of these processes, as on other machines.
    """
    parent = os.getppid()
    if parent in parents:
        threading.Thread(target=_watch, args=(parent, folder), name="tau-parent", daemon=True).start()


def _watch(parent: int, folder: Path | None) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def temporary_folder() -> Path:
    """A folder of this process for what passes with it; those of processes that were killed are removed."""
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        found = _FOLDER.fullmatch(left.name)
        with suppress(OSError):
            if found and not is_alive(int(found[1])) and _is_ours(left):
                shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))


def _is_ours(folder: Path) -> bool:
    return not folder.is_symlink() and (not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid())
