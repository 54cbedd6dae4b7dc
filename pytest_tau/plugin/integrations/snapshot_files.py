"""Where snapshots of trajectories lie, and which of them belong to no task any more; syrupy's view of both.

A file for each task, under ``snapshots/`` in the project's root, at the path that the node ID spells, also for built-in
suites: ``tasks/shop/refund.json::test_task[trial2]`` has ``snapshots/tasks/shop/refund.tools.txt``. Trials share it.
syrupy's own folders are called ``__snapshots__``: there it takes every file that no test of its own has used for a
stale one.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from syrupy.data import SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from ...environment.tasks import read_tasks
from ...reports.trajectory_text import LEVELS
from ...schema.record import split_nodeid
from ..collecting.slot import slots_by_parameter
from ..private import parameters_of
from ..run import is_trial, run_of

if TYPE_CHECKING:
    import pytest
    from syrupy.location import PyTestLocation

FOLDER = "snapshots"
VARIANTS = "variants"  # below it, those of variants, and of each of several agents; nobody says that they are stale

_TRIAL = re.compile(r"-?trial\d+\]$")
_SAFE = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # by Windows, with any suffix


def safe_name(text: str) -> str:
    """A file name for any text: itself where that is safe everywhere, else what can be read of it and a hash.

    Ids of the public data have up to 215 characters and brackets in them. A capital letter asks for the hash too: there
    are file systems that do not tell it from a small one.
    """
    if _SAFE.fullmatch(text) and not _RESERVED.fullmatch(text):
        return text
    readable = re.sub(r"[^A-Za-z0-9._-]+", "_", text).strip("._-")[:60]
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{readable}-{digest}" if readable else digest


def snapshot_path(nodeid: str, level: str) -> PurePosixPath:
    """The snapshot's path below the folder of all, for a test that runs one trial of a task."""
    file, _, rest = nodeid.partition("::")
    test, _, parameters = rest.partition("[")
    path = PurePosixPath(file.replace("\\", "/"))
    parts = [part for part in path.with_suffix("").parts if part not in ("..", path.anchor)]
    if path.suffix != ".json":
        parts += test.split("::")
    if ids := _TRIAL.sub("", parameters):
        parts.append(safe_name(ids))
    return PurePosixPath(*parts[:-1], f"{parts[-1]}.{level}.txt")


class Trajectories(SingleFileSnapshotExtension):
    """syrupy's storage for them. An index is the level, so that a task's snapshots of two levels lie side by side."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"

    def serialize(self, data: Any, **kwargs: Any) -> str:
        """The text as it is: it was brought into normal form before."""
        return str(data)

    @classmethod
    def get_location(cls, *, test_location: PyTestLocation, index: Any) -> str:
        """The file of a test's task."""
        item = test_location.item
        folder = run_of(item.config).root / FOLDER
        return str((folder / VARIANTS if _is_one_of_several(item) else folder) / snapshot_path(item.nodeid, str(index)))

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """The folder of that file."""
        return str(Path(cls.get_location(test_location=test_location, index=LEVELS[0])).parent)

    @classmethod
    def discovery_dirname(cls, *, test_location: PyTestLocation) -> str:
        """The same: no other folder is this test's business."""
        return cls.dirname(test_location=test_location)

    def discover_snapshots(
        self, *, test_location: PyTestLocation, ignore_extensions: list[str] | None = None
    ) -> SnapshotCollections:
        """Only what is stale for certain: syrupy reports what it finds here and no test has used, and may delete it."""
        found = SnapshotCollections()
        for file in stale(test_location.item):
            found.add(self.read_snapshot_collection(snapshot_location=str(file)))
        return found


def stale(item: pytest.Item) -> list[Path]:
    """The snapshots beside this test's that belong to no task, on a run that ran everything; else none."""
    if not is_trial(item) or not _is_whole(item) or _is_one_of_several(item):
        return []
    root = run_of(item.config).root / FOLDER
    folder = root / snapshot_path(item.nodeid, LEVELS[0]).parent
    paths = (snapshot_path(other.nodeid, LEVELS[0]) for other in item.session.items)
    known = {_parts(path)[0] for path in paths if root / path.parent == folder} | _on_disk(item)
    found = []
    for file in sorted(folder.glob("*.txt")):
        name, level, _ = _parts(file)
        if level in LEVELS and name not in known:
            found.append(file)
    return found


def _is_one_of_several(item: Any) -> bool:
    """Whether a run beside this one may play the same task otherwise: in another variant, or by another agent."""
    key = parameters_of(item).get("tau_slot")
    slot = run_of(item.config).one(slots_by_parameter)[key] if isinstance(key, str) else None
    return slot is not None and (slot.variant is not None or slot.agent != "")


def _is_whole(item: pytest.Item) -> bool:
    """Whether every test of the project was to run: whatever narrows that says nothing about the snapshots left out."""
    run, option = run_of(item.config), item.config.option
    plugin = run.config.pluginmanager.getplugin("tau-snapshots")
    if plugin is None or plugin.deselected or option.file_or_dir or run.settings.tasks or getattr(option, "lf", False):
        return False
    # The tasks of a test written in Python are known only as far as a mode or a hook lets them through.
    in_full = run.settings.mode == "default" and not run.config.hook.pytest_tau_modify_tasks.get_hookimpls()
    return in_full or item.path.suffix == ".json"


def _on_disk(item: pytest.Item) -> set[str]:
    """The names for all tasks of a test's file, or of the files beside it, also of those that this run leaves out."""
    if item.path.suffix != ".json":
        return set()
    if _TRIAL.sub("", split_nodeid(item.nodeid)[1]):
        spelled = ((task.id, task.id.encode("unicode_escape").decode()) for task in read_tasks(item.path))
        return {safe_name(name) for both in spelled for name in both}  # pytest escapes ids, unless told otherwise
    return {file.stem for file in item.path.parent.glob("*.json")}


def _parts(path: Path | PurePosixPath) -> tuple[str, str, str]:
    """Name, level and suffix."""
    name, level, suffix = ("", "", *path.name.rsplit(".", 2))[-3:]
    return name, level, suffix
