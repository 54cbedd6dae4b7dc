"""Whatever stands in a file that we read: it is read, or refused in one sentence that is safe for a terminal.

About a thousand inputs, made from sound ones by a seeded generator: values of other types and sizes, keys that are
gone or new, and bytes that were changed, cut off or put in.
"""

import copy
import json
import random
import shutil
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import grade, load_domain, load_journal, load_tasks, rescore, simulate
from pytest_tau.agents.few_shot import read_displays
from pytest_tau.environment.tasks import read_tasks, unknown_keys
from pytest_tau.errors import TauError
from pytest_tau.journal import JournalWriter, read_open, read_spool, read_trials
from pytest_tau.llm.pricing import Prices
from pytest_tau.llm.protocol import ModelReply
from pytest_tau.llm.tape import RecordedCall, Request, Tape, TrialKey
from pytest_tau.manifest import Manifest, load_manifest
from pytest_tau.merging import merge
from pytest_tau.metrics.baseline import Baseline, TaskCounts, load_baseline, save_baseline, stale
from pytest_tau.metrics.tally import tally
from pytest_tau.reports.markdown import markdown, reason
from pytest_tau.reports.notes import notes
from pytest_tau.reports.terminal import summary_table, task_table
from pytest_tau.reports.verdict import verdict
from pytest_tau.schema.record import Outcome, TrialRecord

EACH = 75
HOSTILE = "\x1b[31m\n::error::x\u2028##[error] \ud800"
VALUES: list[Any] = [
    *(None, [], {}, "", -1, 0, 1.5, True, 10**30, 10**400, float("inf"), float("nan")),
    *(HOSTILE, "../../etc", "a" * 300, "1", [1, 2], [None], [{}], {"a": 1}, {"": None}),
]
BYTES = [b"\n", b"\x00", b"\xff", b"[", b"}", b'"', b"1" * 5000, b"[" * 5000, b"\xed\xa0\x80"]


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield (*path, key)
        yield from paths(part, (*path, key))


def changed(rng: random.Random, value: Any) -> Any:
    """The value with a few of its parts replaced, removed or added."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice([1, 1, 2, 4])):
        known = list(paths(value))
        if not known:
            return copy.deepcopy(rng.choice(VALUES))
        *above, last = rng.choice(known)
        parent = value
        for key in above:
            parent = parent[key]
        how = rng.random()
        if how < 0.7:
            parent[last] = copy.deepcopy(rng.choice(VALUES))
        elif how < 0.85:
            del parent[last]
        elif isinstance(parent, dict):
            parent[rng.choice(["x", "id", HOSTILE])] = copy.deepcopy(rng.choice(VALUES))
        else:
            parent.append(copy.deepcopy(rng.choice(VALUES)))
    return value


def damaged(rng: random.Random, data: bytes) -> bytes:
    """The bytes with some of them changed, gone or added."""
    found = bytearray(data)
    for _ in range(rng.choice([1, 1, 3])):
        at = rng.randrange(len(found) or 1)
        how = rng.random()
        if how < 0.3 and found:
            found[at] = rng.randrange(256)
        elif how < 0.5:
            del found[at : at + rng.randrange(1, 50)]
        elif how < 0.8:
            found[at:at] = rng.choice(BYTES)
        else:
            del found[at:]
    return bytes(found)


def lines_of(values: list[Any]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def crafted(rng: random.Random, value: Any) -> bytes:
    """A JSON file that should hold this value."""
    return json.dumps(changed(rng, value)).encode() if rng.random() < 0.75 else damaged(rng, json.dumps(value).encode())


def crafted_lines(rng: random.Random, values: list[Any]) -> bytes:
    """A file of JSON lines."""
    if rng.random() < 0.3:
        return damaged(rng, lines_of(values))
    at = rng.randrange(len(values))
    return lines_of([*values[:at], changed(rng, values[at]), *values[at + 1 :]])


@cache
def trials() -> list[dict[str, Any]]:
    found, domain = [], load_domain("mock")
    for task in load_tasks("mock")[:2]:
        for agent in ("oracle", "noop"):
            played = simulate(task, domain, agent=agent)
            record = TrialRecord(
                nodeid=f"tau/mock/{task.id}.json::test_task[trial1]",
                domain="mock",
                task_id=task.id,
                trial=1,
                outcome=Outcome.MISSED if agent == "noop" else Outcome.PASSED,
                reward=grade(task, played, domain),
                simulation=played,
            )
            found.append(json.loads(record.model_dump_json()))
    return found


def put(file: Path, data: bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def journal(rng: random.Random, folder: Path) -> None:
    for record in load_journal(put(folder / "journal.jsonl", crafted_lines(rng, trials()))):
        reason(record)
        record.model_dump_json()
        if record.simulation is not None:
            task = load_tasks("mock")[0]
            verdict(task, record.simulation, record.reward, trial=1, rerun="x", fault=record.fault)


def totals(rng: random.Random, folder: Path) -> None:
    found = tally(read_trials(put(folder / "journal.jsonl", crafted_lines(rng, trials()))), 1)
    for show in (summary_table, notes, task_table, markdown):
        show(found)


def graded_again(rng: random.Random, folder: Path) -> None:
    rescore(put(folder / "journal.jsonl", crafted_lines(rng, trials())))


def spool(rng: random.Random, folder: Path) -> None:
    first, second = trials()[:2]
    lines = [{"begun": first["nodeid"]}, first, {"begun": "x"}, {"dropped": "x"}, {**second, "graded": False}]
    found = read_spool(put(folder / "spool-main.jsonl", crafted_lines(rng, lines)))
    for nodeid in [*found.finished, *found.played]:
        found.conversation(nodeid)
    writer = JournalWriter(folder)
    try:
        writer.take_spools(set())
    finally:
        writer.close()
    read_open(writer.path)
    load_journal(folder)


MANIFEST = {
    "version": 1,
    "options": {"seed": 300},
    "content": {"a": "b"},
    "about": {"began": "2026", "shards": "1/2"},
    "k": 2,
    "shard": "1/2",
}


def manifest(rng: random.Random, folder: Path) -> None:
    put(folder / "manifest.json", crafted(rng, MANIFEST))
    found = load_manifest(folder)
    found.differences(Manifest())
    found.as_resumed(3).save(folder)


def merged(rng: random.Random, folder: Path) -> None:
    for number in (1, 2):
        run, lines = folder / str(number), trials()[2 * number - 2 : 2 * number]
        put(run / "journal.jsonl", crafted_lines(rng, lines) if rng.random() < 0.3 else lines_of(lines))
        about = {**MANIFEST, "shard": f"{number}/2"}
        put(run / "manifest.json", crafted(rng, about) if rng.random() < 0.3 else json.dumps(about).encode())
    merge([folder / "1", folder / "2"], folder / "all")


def baseline(rng: random.Random, folder: Path) -> None:
    sound = Baseline(created="2026-01-01", tasks={"mock/a": TaskCounts(successes=1, trials=2, hash="x")})
    found = load_baseline(put(folder / "b.json", crafted(rng, sound.model_dump(mode="json"))))
    stale(found, tasks={"mock/a": "y"}, parts={"x": "y"}, options={})
    save_baseline(found, folder / "again.json")


def prices(rng: random.Random, folder: Path) -> None:
    Prices.load(put(folder / "p.json", crafted(rng, {"openai/m": {"input": 1, "output": 2}}))).price("openai/m")


def tau2(rng: random.Random, folder: Path) -> None:
    task, played = load_tasks("mock")[0], trials()[0]["simulation"]
    run = {
        "id": "r",
        "task_id": task.id,
        "trial": 0,
        "termination_reason": "user_stop",
        "messages": played["messages"],
        "reward_info": {"reward": 1.0},
    }
    info = {"environment_info": {"domain_name": "mock"}, "agent_info": {"llm": "m"}, "user_info": {"llm": "u"}}
    content = {"info": info, "tasks": [task.model_dump(mode="json", exclude_none=True)], "simulations": [run]}
    rescore(put(folder / "r.json", crafted(rng, content)))


def tau1(rng: random.Random, folder: Path) -> None:
    call = {"id": "c", "function": {"name": "get_user_details", "arguments": '{"user_id": "mia_li_3668"}'}}
    said = [
        {"role": "system", "content": "policy"},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "{}"},
        {"role": "user", "content": "###STOP###"},
    ]
    action = {"name": "cancel_reservation", "kwargs": {"reservation_id": "X"}}
    task = {"instruction": "Cancel.", "actions": [action], "outputs": ["5"]}
    run = {"task_id": 1, "trial": 0, "reward": 1.0, "info": {"task": task, "user_cost": 0.1}, "traj": said}
    rescore(put(folder / "v1.json", crafted(rng, [run])))


def cassette(rng: random.Random, folder: Path) -> None:
    tape = Tape(folder / "cassettes", TrialKey("mock", "t", 1))
    chat = [{"role": "user", "content": "hello" * 200}]
    again = [{"role": "user", "content": "hello" * 200 + "!"}]
    reply = ModelReply("Hi.", None, 0.1, None, 1.0)
    tape.rewrite([RecordedCall(Request("agent", {"model": "m"}, asked), reply) for asked in (chat, again)])
    lines = [json.loads(line) for line in tape.path.read_bytes().splitlines()]
    put(tape.path, crafted_lines(rng, lines))
    tape.read()


def task_file(rng: random.Random, folder: Path) -> None:
    sound = rng.choice(load_tasks("mock")).model_dump(mode="json", exclude_none=True)
    file = put(folder / "t.json", crafted(rng, sound))
    for task in read_tasks(file):
        task.user_scenario.render()
    list(unknown_keys(file))


def transcripts(rng: random.Random, folder: Path) -> None:
    read_displays(put(folder / "s.jsonl", crafted_lines(rng, [{"messages": [{"role": "user", "content": "x"}]}])))


READERS: list[Callable[[random.Random, Path], None]] = [
    *(journal, totals, graded_again, spool, manifest, merged, baseline),
    *(prices, tau2, tau1, cassette, task_file, transcripts),
]


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_law_a_crafted_file_is_read_or_refused_in_one_sentence(
    tmp_path: Path, read: Callable[[random.Random, Path], None]
) -> None:
    refused = 0
    for number in range(EACH):
        folder = tmp_path / "one"
        folder.mkdir()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a broken line in the middle is named by a warning
                read(random.Random(f"{read.__name__} {number}"), folder)
        except TauError as error:
            refused += 1
            sentence = str(error)
            assert sentence == sentence.encode("utf-8", "replace").decode(), number
            assert "\n" not in sentence, number
            assert "\x1b" not in sentence, number
            assert "Traceback" not in sentence, number
            assert 10 < len(sentence) < 1500, number
        shutil.rmtree(folder)
    assert refused  # else nothing was wrong with any
