"""Everything that reads a file, with a sound one for it."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from pytest_tau import load_domain, load_journal, load_tasks, rescore
from pytest_tau.cli import main
from pytest_tau.journal import read_trials
from pytest_tau.metrics.baseline import Baseline, TaskCounts, load_baseline
from pytest_tau.metrics.tally import tally
from pytest_tau.recordings.reading import read_conversations
from pytest_tau.reports.live import LiveReport
from pytest_tau.reports.markdown import markdown
from pytest_tau.reports.terminal import summary_table
from tests.laws.test_crafted_files import MANIFEST, lines_of, put, trials
from tests.laws.test_crafted_files import READERS as OF_THE_LAWS

from .inputs import crafted, crafted_lines
from .more_readers import MORE

Read = Callable[[random.Random, Path], None]


def _run(folder: Path, lines: bytes) -> Path:
    put(folder / "manifest.json", json.dumps({**MANIFEST, "shard": None, "about": {}}).encode())
    return put(folder / "journal.jsonl", lines)


def journal(rng: random.Random, folder: Path) -> None:
    """A journal, loaded, counted and shown."""
    file = _run(folder, crafted_lines(rng, trials()))
    list(load_journal(file, lambda sentence: None))
    totals = tally(read_trials(file, lambda sentence: None), 1)
    summary_table(totals)
    markdown(totals)


def commands(rng: random.Random, folder: Path) -> None:
    """The commands that read runs."""
    _run(folder / "a", crafted_lines(rng, trials()))
    _run(folder / "b", lines_of(trials()))
    main(["compare", str(folder / "a"), str(folder / "b")])
    main(["merge", str(folder / "a"), "-o", str(folder / "all")])


def live(rng: random.Random, folder: Path) -> None:
    """The report in the browser."""
    LiveReport(_run(folder, crafted_lines(rng, trials()))).page()


def regraded(rng: random.Random, folder: Path) -> None:
    """A journal, graded again."""
    rescore(_run(folder, crafted_lines(rng, trials())))


def baseline(rng: random.Random, folder: Path) -> None:
    """A baseline, as a gate reads it."""
    sound = Baseline(created="2026-01-01", tasks={"mock/a": TaskCounts(successes=1, trials=2, hash="x")})
    load_baseline(put(folder / "b.json", crafted(rng, sound.model_dump(mode="json")))).counts()


_CHAT = [
    {"role": "system", "content": "policy"},
    {"role": "user", "content": "Hi"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}],
    },
    {"role": "tool", "tool_call_id": "c", "content": "{}"},
    {"role": "assistant", "content": "Bye."},
]
_LOGS: list[list[dict[str, Any]]] = [
    [{"messages": _CHAT}],
    [{"request": {"model": "m", "messages": _CHAT[:2]}, "response": {"choices": [{"message": _CHAT[4]}]}}],
    [{"id": "1", "conversation": _CHAT}],
]


def logs(rng: random.Random, folder: Path) -> None:
    """Logs of conversations, as the import reads them."""
    for conversation in read_conversations(put(folder / "log.jsonl", crafted_lines(rng, rng.choice(_LOGS)))):
        str(conversation)


@cache
def _files_of_mock() -> list[tuple[str, bytes]]:
    root = load_domain("mock").folder
    return [(file.name, file.read_bytes()) for file in sorted(Path(str(root)).iterdir()) if file.is_file()]


def domain(rng: random.Random, folder: Path) -> None:
    """A domain whose data was damaged, loaded, and played by the oracle."""
    project = folder / "domains" / "mock"
    for name, content in _files_of_mock():
        put(project / name, content)
    file = project / rng.choice(["db.json", "policy.md"])
    sound = file.read_bytes()
    file.write_bytes(
        crafted(rng, json.loads(sound)) if file.suffix == ".json" else sound[: rng.randrange(50)] + b"\xff"
    )
    world = load_domain(project).environment()
    world.dump()
    world.call("get_users", {})


def tasks(rng: random.Random, folder: Path) -> None:
    """Task files."""
    sound = [task.model_dump(mode="json", exclude_none=True) for task in load_tasks("mock")]
    load_tasks(put(folder / "tasks" / "mock.json", crafted(rng, sound)))


# The laws' readers of other files as well, each under its own name.
READERS: list[Read] = [journal, commands, live, regraded, baseline, logs, domain, tasks, *MORE]
READERS += [read for read in OF_THE_LAWS if read.__name__ not in {one.__name__ for one in READERS}]


def clean(folder: Path) -> None:
    """Leave nothing of an input."""
    shutil.rmtree(folder, ignore_errors=True)
