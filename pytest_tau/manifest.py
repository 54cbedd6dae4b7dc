"""What the trials of a run have in common, kept beside its journal: a run is resumed, or merged, with its like only."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from .errors import RecordingError
from .files import read_json, write_whole
from .printable import cut, one_line

FILE_NAME = "manifest.json"
VERSION = 1
# Holds how many trials of which tests a run was to play, in their order.
_PLAN = "order.json"
# Stands in the folder of a run that ended early because all its gates were decided; holds a line about each.
DECIDED = "decided.json"
# The edits of --tau-policy-mutants whose rule is decided, a line each.
RULES_DECIDED = "rules_decided.json"
# Among the notes about a run: what of the suite a merged one is made of, the project commits it was played at, what
# came of it, what ended it before all its trials, the commands that played it, and the file of one graded again.
SHARDS = "shards"
RESULT = "result"
COMMIT = "commit"
ENDED = "ended"
COMMAND = "command"
# How its contents are named: the program that played and graded; the files of a domain (besides each of them, as in
# "policy.md of retail"); a suite's tasks, and those of a file.
PROGRAM = "version of pytest-tau"
FILES_OF, TASKS_OF, TASKS_IN = "list of files of ", "tasks of ", "tasks in "
# The errors of its judge, where the judge has a passport that holds.
JUDGE = "errors of the judge"
GRADED_AGAIN, RECORDED_WITH = "graded again from", "recorded with"
WHOLE = "all"
_LONGEST = 500
_MOST_TRIALS = 10_000  # of a test, as --tau-k has it
_SHARD = re.compile(r"[1-9]\d{0,5}/[1-9]\d{0,5}")


@dataclass(frozen=True)
class Manifest:
    """What a run's results depend on.

    Attributes:
        options: the settings that decide what is played and how it is graded, by option name; no keys.
        content: hash of each domain's folder and tasks, and of each side's prompts, by name.
        about: what else one wants to know of a run, and may differ: version, git commit, command, when it began.
        k: trials of each task.
        shard: which part of the items this was, as "2/5"; None for all.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    content: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    k: int = 1
    shard: str | None = None

    def differences(self, other: Manifest) -> list[str]:
        """What keeps the trials of two runs from standing in one table, a phrase each; ``other`` is the later one.

        A domain that only one of them has met so far is no difference.
        """
        found = [
            f"--tau-{one_line(name.replace('_', '-')[:60])} was {_value_text(before)} and is {_value_text(now)}"
            for name in sorted({*self.options, *other.options})
            if (before := self.options.get(name)) != (now := other.options.get(name))
        ]
        common = sorted(self.content.keys() & other.content.keys())
        return found + [f"{one_line(name)} changed" for name in common if self.content[name] != other.content[name]]

    def knowing(self, content: Mapping[str, str]) -> Manifest:
        """The same with more contents; what it knows already stays."""
        return replace(self, content={**content, **self.content})

    def as_resumed(self, k: int, commit: str = "", command: str = "") -> Manifest:
        """That of the same run when it goes on, at a commit: it plays what is missing of all ``k`` trials."""
        about = {name: value for name, value in self.about.items() if name not in (SHARDS, ENDED)}
        for name, now in ((COMMIT, commit), (COMMAND, command)):
            about |= {name: each([self.about, {name: now}], name)}
        return replace(self, k=k, about=about)

    def save(self, run: Path) -> None:
        """Write it into the run's folder, at once or not at all; raises OSError."""
        write_whole(run / FILE_NAME, self.as_text())

    def as_text(self) -> str:
        """What stands in its file."""
        return json.dumps({"version": VERSION, **asdict(self)}, indent=2, ensure_ascii=False) + "\n"


def each(runs: Iterable[Mapping[str, str]], name: str) -> str:
    """What is noted by this name of runs, which may be made of several themselves: each thing once."""
    texts = [about.get(name, "") for about in runs]
    if name in (COMMAND, ENDED):
        return "; ".join(dict.fromkeys(part for text in texts for part in text.split("; ") if part))
    return ", ".join(dict.fromkeys(part for text in texts for part in _listed(text) if part))


def _listed(text: str) -> Iterator[str]:
    """The parts of a list with commas; what stands in parentheses, such as a domain's origin, has commas of its own."""
    held, depth = list[str](), 0
    for part in text.split(", "):
        held.append(part)
        depth += part.count("(") - part.count(")")
        if depth <= 0:
            yield ", ".join(held)
            held, depth = [], 0
    yield ", ".join(held)


def load_manifest(run: Path) -> Manifest:
    """The manifest of a run's folder; raises RecordingError."""
    file = run / FILE_NAME
    if not os.path.lexists(run):
        raise RecordingError(f"{run}: does not exist; name the folder of a run")
    if not os.path.lexists(file):
        raise RecordingError(
            f"{file}: is missing, so it is unknown how these trials were played; name another run, or begin a new one"
        )
    content = read_json(file, RecordingError, "the manifest")
    version = content.pop("version", None) if isinstance(content, dict) else None
    if version != VERSION:
        raise RecordingError(f"{file}: written in version {one_line(str(version)[:40])}, and this reads {VERSION}")
    if problem := _problem(content):
        raise RecordingError(f"{file}: is not a manifest: {problem}; play the run again, or take the file from a copy")
    return Manifest(**content)


def _problem(content: dict[str, Any]) -> str | None:
    """What keeps these fields from being a manifest."""
    if strangers := sorted(content.keys() - Manifest.__dataclass_fields__.keys()):
        return f"nothing reads the key {strangers[0][:60]!r}"
    for name in ("options", "content", "about"):
        part = content.get(name, {})
        if not isinstance(part, dict):
            return f"{name} is not an object"
        if name != "options" and not all(isinstance(value, str) for value in part.values()):
            return f"{name} holds something other than texts"
    if not isinstance(k := content.get("k", 1), int) or isinstance(k, bool) or k < 1:
        return "k is not a number of 1 or more"
    shard = content.get("shard")
    if shard is not None and not (isinstance(shard, str) and _SHARD.fullmatch(shard)):
        return "shard is not such as 2/5"
    parts = str(content.get("about", {}).get(SHARDS, "")).split(", ")
    return (
        None
        if all(_SHARD.fullmatch(part) or part in ("", WHOLE) for part in parts)
        else f"{SHARDS} are not such as 2/5"
    )


def keep_plan(run: Path, planned: Mapping[str, int]) -> None:
    """Write the tests of tasks, up to the trial's number, as they were collected, with their trials; raises OSError."""
    write_whole(run / _PLAN, json.dumps(planned, ensure_ascii=False) + "\n")


def plan_of(run: Path) -> dict[str, int]:
    """The tests of a run in their order, with how many trials of each there were to be; none where it is not known."""
    with suppress(OSError, ValueError, RecursionError):
        found = json.loads((run / _PLAN).read_text(encoding="utf-8"))
        if isinstance(found, list):  # as runs were kept that are to be gone on with: how many trials nobody knows
            return {str(one): 0 for one in found}
        if isinstance(found, dict) and all(
            type(trials) is int and 0 <= trials <= _MOST_TRIALS for trials in found.values()
        ):
            return found
    return {}


def early_decisions(run: Path) -> list[str]:
    """What a run's gates were decided by before all trials were played, a line each; none when that did not happen."""
    if not os.path.lexists(run / DECIDED):
        return []
    content = read_json(run / DECIDED, RecordingError, "what decided the run")
    if not isinstance(content, list) or not all(isinstance(line, str) for line in content):
        raise RecordingError(f"{run / DECIDED}: is not a list of lines")
    return content


def save_decided(run: Path, lines: Iterable[str]) -> None:
    """Note what decided a run's gates, at once or not at all; raises OSError."""
    write_whole(run / DECIDED, json.dumps(list(lines), indent=2, ensure_ascii=False) + "\n")


def forget_decided(run: Path) -> None:
    """Take the note away that a run's gates are decided; raises OSError."""
    (run / DECIDED).unlink(missing_ok=True)


def rules_decided(run: Path) -> frozenset[str]:
    """The edits of policies that need no more trials; none where the file is not there, or is not ours."""
    if not os.path.lexists(run / RULES_DECIDED):
        return frozenset()
    content = read_json(run / RULES_DECIDED, RecordingError, "which rules are decided")
    return frozenset(map(str, content)) if isinstance(content, list) else frozenset()


def save_rules_decided(run: Path, edits: Iterable[str]) -> None:
    """Note which edits need no more trials, at once or not at all; raises OSError."""
    write_whole(run / RULES_DECIDED, json.dumps(list(edits), indent=2, ensure_ascii=False) + "\n")


def content_hash(content: Any) -> str:
    """A short hash of a text, bytes or JSON value; equal for equal values, whatever the order of keys."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    elif not isinstance(content, bytes):
        content = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()
    return hashlib.sha256(content).hexdigest()[:16]


def hash_of_files(files: Iterable[Path]) -> str:
    """A short hash of the names and contents of files, in any order; raises OSError.

    Line ends count as one: git writes others on Windows, and a baseline is committed.
    """
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.name.encode("utf-8", "surrogateescape") + b"\0")
        digest.update(hashlib.sha256(file.read_bytes().replace(b"\r\n", b"\n")).digest())
    return digest.hexdigest()[:16]


def _value_text(value: Any) -> str:
    return "not given" if value is None else cut(json.dumps(value, ensure_ascii=False), _LONGEST, " …")
