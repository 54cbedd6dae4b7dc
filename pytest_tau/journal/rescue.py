"""Lines that found no room in the folder of their run: kept in the folder for temporary files, and put back later.

They lie in a folder of their own, with the run's manifest and the path of the run's folder, and only this user can read
them. Whoever resumes the run puts them back as a spool.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from .folders import last_run, make_run_folder
from .spools import SPOOLS

_PREFIX, _WHERE, _LINES = "pytest-tau-rescued-", "run", "lines.jsonl"


def rescue(run: Path, lines: Iterable[bytes], files: Iterable[tuple[str, bytes]]) -> Path:
    """Keep the lines of a run, and files that its folder may lack; returns where they are. Raises OSError.

    Args:
        run: the run's folder.
        lines: what could not be written there.
        files: names and contents.
    """
    folder = Path(mkdtemp(prefix=_PREFIX))
    for name, content in files:
        (folder / name).write_bytes(content)
    with (folder / _LINES).open("wb") as file:
        file.writelines(lines)
    (folder / _WHERE).write_bytes(os.fsencode(run.absolute()))  # last: what has it is whole
    return folder / _LINES


def put_back(results: Path) -> Path | None:
    """Put back what was rescued of the last run; returns its folder, None where nothing was. Raises OSError."""
    found = [(folder, run) for folder in _rescue_folders() if (run := _run_of(folder)).parent == results.absolute()]
    last = last_run(results)
    # Where the folder of results was removed, the newest of those that are left.
    name = last.name if last is not None else max((run.name for _, run in found), default=None)
    for folder, run in found:
        if run.name != name:
            continue
        make_run_folder(run, latest=True)
        for file in folder.iterdir():
            target = run / (
                SPOOLS.replace("*", f"rescued-{secrets.token_hex(4)}") if file.name == _LINES else file.name
            )
            if file.name != _WHERE and file.stat().st_size:
                shutil.copyfile(file, target)
        shutil.rmtree(folder)
    return results / name if name is not None and any(run.name == name for _, run in found) else None


def _rescue_folders() -> list[Path]:
    """The folders of this user, the oldest first; nobody else can make one that looks like it."""
    found = []
    for folder in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            about = folder.lstat()
            ours = not hasattr(os, "getuid") or about.st_uid == os.getuid()
            if stat.S_ISDIR(about.st_mode) and ours and (folder / _WHERE).is_file():
                found.append((about.st_mtime_ns, folder))
    return [folder for _, folder in sorted(found)]


def _run_of(folder: Path) -> Path:
    try:
        return Path(os.fsdecode((folder / _WHERE).read_bytes()))
    except (OSError, ValueError):
        return folder
