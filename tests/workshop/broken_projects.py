"""Projects with faults in them: a copy of the mock domain and its tasks, which tests break."""

import json
import shutil
from pathlib import Path
from typing import Any

from pytest_tau.environment.folders import builtin_root
from tau_workshop.check import check


def mock_project(folder: Path) -> Path:
    """A copy of the mock domain and its tasks."""
    shutil.copytree(builtin_root("domains") / "mock", folder / "domains" / "mock")
    shutil.copytree(builtin_root("tasks") / "mock", folder / "tasks" / "mock")
    return folder


def faults(project: Path, name: str = "mock") -> list[str]:
    return list(check(project / "domains" / name, project / "tasks" / name))


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def edit_task(project: Path, name: str, **changes: Any) -> None:
    path = project / "tasks" / "mock" / f"{name}.json"
    task = json.loads(path.read_text(encoding="utf-8"))
    task["evaluation_criteria"] = {**task["evaluation_criteria"], **changes}
    path.write_text(json.dumps(task), encoding="utf-8")
