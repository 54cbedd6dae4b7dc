"""A baseline: the results of a run that later runs are held against, in a file one commits.

It keeps counts, not conversations, and hashes of everything a result depends on, so that a comparison across a change
of tasks, policy, prompts or grader is refused by name and not explained away.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from ..errors import RecordingError
from ..files import read_json, write_whole
from ..printable import count_of, one_line
from ..schema.values import Frozen
from .shared_tasks import split_key
from .wording import setting, some

VERSION: Literal[1] = 1
FORMAT: Literal["pytest-tau baseline"] = "pytest-tau baseline"


# What no journal has: there, quotes inside of texts are escaped. Tools may have sorted what stands before it.
_HEAD = re.compile(rb'"format"\s*:\s*"%s"' % FORMAT.encode())
_LONGEST_HEAD = 10_000

MOST_TRIALS = 10**9  # of a task: more is no count of anything


class TaskCounts(Frozen):
    """One task of a baseline; ``hash`` is that of the task's content.

    ``id``: the task's, where the key does not tell where it begins.
    ``under_policy``: how many of the trials passed and broke no rule, with all that was unclear as a breach, and as
    none; None where no rule was looked at.
    """

    successes: int = Field(ge=0, le=MOST_TRIALS)
    trials: int = Field(ge=1, le=MOST_TRIALS)
    hash: str
    under_policy: tuple[int, int] | None = None
    id: str | None = None

    @model_validator(mode="after")
    def _possible(self) -> TaskCounts:
        if self.successes > self.trials:
            raise ValueError(f"{self.successes} successes in {self.trials} trials")
        return self


class Baseline(Frozen):
    """The results of a run and what they depend on.

    Attributes:
        created: the day it was written, ISO 8601.
        agent: the agent's name, for people; another agent may well be compared.
        options: the options a result depends on (user simulator, mode, criteria …), by name.
        parts: hashes of what several tasks share, by a name for people: "policy of retail", "user prompt", "grader".
        tasks: counts by "domain/task id"; of tasks that were told otherwise the row stands for the domain.
        kinds: the labels of the ways in which tasks were told or shown otherwise in that run.
    """

    format: Literal["pytest-tau baseline"] = FORMAT
    version: Literal[1] = VERSION
    created: str
    agent: str = ""
    options: dict[str, Any] = Field(default_factory=dict)
    parts: dict[str, str] = Field(default_factory=dict)
    kinds: list[str] = Field(default_factory=list)
    tasks: dict[str, TaskCounts]

    def is_of(self, key: str, kind: str) -> bool:
        """Whether a task's key is one of a row of this kind."""
        # Where a row names a file, there are slashes in it, and not only behind it.
        return ", " in key.partition("/")[0] and (f", {kind}/" in key or f"-{kind}/" in key)

    def row_and_task(self, key: str) -> tuple[str, str]:
        """The row and the task's id behind a key of this baseline."""
        known = self.tasks[key].id
        if known is None or not key.endswith(f"/{known}"):
            return split_key(key)
        return key.removesuffix(f"/{known}"), known

    def counts(self) -> dict[str, tuple[int, int]]:
        """(successes, trials) by task key, as comparisons take them."""
        return {key: (task.successes, task.trials) for key, task in self.tasks.items()}

    def counts_as_they_are(self, rows: Collection[str | None] = ()) -> dict[str, tuple[int, int]]:
        """The same of tasks as they are: without those that were told or shown otherwise, but for these rows."""
        return {
            key: counts
            for key, counts in self.counts().items()
            if any(key.startswith(f"{row}/") for row in rows) or not any(self.is_of(key, kind) for kind in self.kinds)
        }


def is_baseline(path: Path) -> bool:
    """Whether a file is to be read as a baseline: by its name, or by what its first lines say it is."""
    if path.name.endswith(".json"):
        return True
    try:
        with path.open("rb") as file:
            return _HEAD.search(file.read(_LONGEST_HEAD)) is not None
    except OSError:  # a folder, or nothing: whoever reads it as a run says so
        return False


def stale(
    baseline: Baseline, *, tasks: Mapping[str, str], parts: Mapping[str, str], options: Mapping[str, Any]
) -> list[str]:
    """What has changed since the baseline was written, one clause each; empty when runs can be compared.

    Args:
        baseline: the earlier run.
        tasks: the content hash of each task of this run, by "domain/task id". Tasks of one side only are no change.
        parts: as :attr:`Baseline.parts`; those of one side only, such as another domain's policy, are no change.
        options: as :attr:`Baseline.options`; an option of one side only is a change.
    """
    changed = [
        f"the {name} has changed" for name, digest in parts.items() if baseline.parts.get(name, digest) != digest
    ]
    edited = [key for key, digest in tasks.items() if key in baseline.tasks and baseline.tasks[key].hash != digest]
    if edited:
        changed.append(
            f"{count_of(len(edited), 'tasks')} {'has' if len(edited) == 1 else 'have'} changed ({some(edited)})"
        )
    for name in sorted(baseline.options.keys() | options.keys()):
        then, now = baseline.options.get(name), options.get(name)
        if then != now:
            changed.append(f"{name} was {setting(then)} and is {setting(now)}")
    return changed


def refuse_stale(path: Path, changes: Iterable[str]) -> None:
    """Raise RecordingError that names all changes; does nothing when there are none."""
    if clauses := ", ".join(changes):
        raise RecordingError(f"{path}: this baseline is stale: {clauses}; write a new one with --tau-bless")


def save_baseline(baseline: Baseline, path: Path) -> None:
    """Write a baseline, one task a line so that a diff shows which changed; the old file stays if that fails.

    Raises:
        RecordingError: it cannot be written.
    """
    content = baseline.model_dump(mode="json")
    tasks = {key: _known_values(task) for key, task in content.pop("tasks").items()}
    head = json.dumps(content, indent=2, ensure_ascii=False).removesuffix("\n}")
    lines = [f"    {json.dumps(key, ensure_ascii=False)}: {json.dumps(tasks[key])}" for key in sorted(tasks)]
    text = head + ',\n  "tasks": {\n' + ",\n".join(lines) + "\n  }\n}\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    except OSError as error:
        raise RecordingError(f"{path}: the baseline cannot be written there: {error.strerror}") from None


_OTHERS = "results of τ-bench or τ² become a run by pytest --tau-rescore"


def load_baseline(path: Path) -> Baseline:
    """Read a baseline.

    Raises:
        RecordingError: there is none, or it is not one that this version reads.
    """
    if not os.path.lexists(path):
        raise RecordingError(f"{path}: there is no baseline; write one with --tau-bless")
    content = read_json(path, RecordingError, "the baseline", then="; write a new one with --tau-bless")
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise RecordingError(f"{path}: this is not a baseline, which --tau-bless writes; {_OTHERS}")
    if content.get("version") != VERSION:
        found = f"written in version {content.get('version')!r}, and this reads {VERSION}"
        raise RecordingError(f"{path}: {found}; write a new one with --tau-bless")
    try:
        return Baseline.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = one_line("/".join(str(part) for part in first["loc"]))
        raise RecordingError(f"{path}: {where}: {first['msg']}; write a new one with --tau-bless") from None


def _known_values(task: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in task.items() if value is not None}
