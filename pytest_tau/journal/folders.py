"""The folders of runs: one for each, under the results folder, in which ``latest`` names the newest."""

from __future__ import annotations

import os
import re
import shutil
from datetime import datetime
from pathlib import Path

from ..files import fresh_name, write_whole

FILE_NAME = "journal.jsonl"
LATEST = "latest"
MEASURED = "doctor.json"
"""What pytest-tau doctor measured, beside the runs."""
_LONGEST_NAME = 255
_A_RUN = re.compile(r"\d{8}-\d{6}-\d{6}$")


def new_run(results: Path) -> Path:
    """A name for the folder of a run that begins now; later runs have later names."""
    return results / datetime.now().strftime("%Y%m%d-%H%M%S-%f")


def last_run(results: Path) -> Path | None:
    """The folder of the newest run, None when there was none."""
    latest = results / LATEST
    try:
        if latest.is_file():
            with latest.open("rb") as file:
                name = file.read(_LONGEST_NAME).decode().strip()
            latest = results / Path(name).name  # a name in a file is never a path
        return latest.resolve() if latest.is_dir() else None
    except (OSError, ValueError, RuntimeError):  # unreadable, no text, or a loop of links
        return None


def make_run_folder(run: Path, *, latest: bool) -> None:
    """Make the folder of a run, and with ``latest`` name it as the newest. A folder of runs keeps itself out of git."""
    run.mkdir(parents=True, exist_ok=True)
    if all(name in (LATEST, MEASURED) or _A_RUN.match(name) for name in os.listdir(run.parent)):
        (run.parent / ".gitignore").write_text("*\n", encoding="utf-8")
    if latest and last_run(run.parent) != run.resolve():
        _point(run.parent / LATEST, run.name)


def drop_run(run: Path, before: Path | None) -> None:
    """Remove the folder of a run in which nothing began; ``latest`` names the one before it again. Raises OSError."""
    is_latest = last_run(run.parent) == run.resolve()
    shutil.rmtree(run, ignore_errors=True)
    if is_latest and before is not None:
        _point(run.parent / LATEST, before.name)
    elif is_latest:
        (run.parent / LATEST).unlink()


def _point(link: Path, target: str) -> None:
    """Make ``latest`` name the newest run: a symlink, or a file with the name where links cannot be made."""
    fresh = fresh_name(link)
    try:
        fresh.symlink_to(target, target_is_directory=True)
    except OSError:
        write_whole(link, target)
    else:
        os.replace(fresh, link)
