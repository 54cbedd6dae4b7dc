"""The scheduler of a tau run: deep queues, every test once, and what becomes of the trials of a worker that dies."""

import json
import random
from collections.abc import Iterator
from fnmatch import fnmatch
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdist.scheduler import EachScheduling, LoadScheduling, LoadScopeScheduling  # type: ignore[import-untyped]

from pytest_tau.plugin.workers.scheduling import DeepLoadScheduling, can_run_again, scheduler
from tests.plugin.inner import AGENTS, apart, journal, rows, workers
from tests.plugin.players import begun, make_players, noted

DEEP = "scheduling tests via DeepLoadScheduling"


class Node:
    """A worker: runs its tests in order, and as xdist's only when it knows what follows, or that nothing does."""

    def __init__(self, name: str) -> None:
        self.gateway = SimpleNamespace(id=name)
        self.queue: list[int] = []
        self.shutting_down = False

    def send_runtest_some(self, places: list[int]) -> None:
        assert not self.shutting_down, "a test after the end"
        self.queue += places

    def shutdown(self) -> None:
        self.shutting_down = True

    @property
    def can_run(self) -> bool:
        return len(self.queue) >= 2 or (bool(self.queue) and self.shutting_down)


class Run:
    """A run of so many tests by workers of which some die."""

    def __init__(self, tests: int, workers: int, depth: int) -> None:
        config: Any = SimpleNamespace(getoption=lambda name: None, option=SimpleNamespace(), hook=None)
        config.getvalue = lambda name: ["popen"] * workers if name == "tx" else None
        self.sched = DeepLoadScheduling(config, None, depth)
        self.ids = [f"test[{number}]" for number in range(tests)]
        self.ran: list[int] = []
        self.blamed: list[str] = []
        self.names = iter(range(10_000))
        for _ in range(workers):
            self.join()
        self.sched.schedule()

    def join(self) -> Node:
        node = Node(f"gw{next(self.names)}")
        self.sched.add_node(node)
        self.sched.add_node_collection(node, self.ids)
        return node

    def nodes(self) -> Iterator[Node]:
        return (node for node in self.sched.nodes if node.can_run)

    def step(self, node: Node) -> None:
        place = node.queue.pop(0)
        self.ran.append(place)
        self.sched.mark_test_complete(node, place, duration=1.0)

    def kill(self, node: Node) -> None:
        crashed = self.sched.remove_node(node)
        if crashed is not None:
            self.blamed.append(crashed)
        self.join()
        self.sched.schedule()


@given(
    tests=st.integers(0, 60),
    workers=st.integers(1, 6),
    concurrency=st.integers(2, 9),
    deaths=st.integers(0, 3),
    seed=st.integers(0, 10**6),
)
def test_every_test_runs_once(tests: int, workers: int, concurrency: int, deaths: int, seed: int) -> None:
    run = Run(tests, workers, 2 * concurrency + 2)
    chance = random.Random(seed)
    while ready := list(run.nodes()):
        node = chance.choice(ready)
        if deaths and chance.random() < 0.2:
            deaths -= 1
            run.kill(node)
        else:
            run.step(node)
        assert all(len(queue) <= 2 * concurrency + 2 for queue in run.sched.node2pending.values())
    assert sorted([*run.ran, *(run.ids.index(each) for each in run.blamed)]) == list(range(tests))


@given(workers=st.integers(1, 5), concurrency=st.integers(2, 8), more=st.integers(0, 100))
def test_a_worker_knows_twice_as_many_tests_as_it_plays(workers: int, concurrency: int, more: int) -> None:
    depth = 2 * concurrency + 2
    run = Run(workers * depth + more, workers, depth)
    assert {len(node.queue) for node in run.sched.nodes} == {depth}
    node = next(run.nodes())
    run.step(node)
    assert len(node.queue) == min(depth, depth - 1 + more)


@given(workers=st.integers(2, 5), tests=st.integers(4, 30))
def test_few_tests_are_shared_out(workers: int, tests: int) -> None:
    run = Run(tests, workers, 50)
    shares = [len(node.queue) for node in run.sched.nodes]
    assert sum(shares) == tests
    assert max(shares) - min(shares) <= 2


@pytest.fixture
def _players(pytester: pytest.Pytester) -> None:
    make_players(pytester)
    pytester.makepyfile(agents=AGENTS)


@pytest.mark.usefixtures("_players")
@pytest.mark.parametrize(
    ("args", "deep"),
    [
        (("--tau-domain=mock", "--tau-k=5", "--tau-agent=players:Agent"), True),
        (("--tau-domain=mock", "--tau-agent=players:Agent", "--dist=loadfile"), False),
        (("--tau-domain=mock", "--tau-agent=players:Agent", "--tau-concurrency=1"), False),
        (("test_other.py",), False),
    ],
)
@pytest.mark.slow
def test_in_a_tau_run_and_only_there(pytester: pytest.Pytester, args: tuple[str, ...], deep: bool) -> None:
    pytester.makepyfile(test_other="def test_one(): pass\ndef test_two(): pass")
    result = workers(pytester, "-v", *args, number=2)
    assert (DEEP in result.outlines) == deep
    if "test_other.py" in args:
        result.assert_outcomes(passed=2)
    else:
        assert len(begun(pytester)) == (30 if "--tau-k=5" in args else 6)  # each once


@pytest.mark.usefixtures("_players")
def test_the_trial_that_kills_is_blamed_and_no_other(pytester: pytest.Pytester) -> None:
    with (pytester.path / "players.py").open("a", encoding="utf-8") as file:
        file.write(KILLS)
    options = ("--tau-domain=mock", "--tau-agent=players:Kills", "--tau-k=2", "--tau-concurrency=2")
    (pytester.path / "kills").touch()
    result = workers(pytester, *options, "-rf", "-v", number=2)
    assert DEEP in result.outlines
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    row = rows(result)["mock"]
    assert (row["tasks"], row["trials"], row["infra"]) == ("6", "12 (!)", "1")
    found = {record.nodeid: record for record in journal(pytester.path)}
    assert len(found) == 12
    killer = found.pop("tau/mock/count_my_tasks.json::test_task[trial1]")
    assert (killer.domain, killer.outcome.value, list(killer.hashes)) == ("mock", "infra_error", ["task"])
    assert fnmatch(killer.note or "", "worker 'gw?' crashed while running '*count_my_tasks*'")
    assert {record.outcome for record in found.values()} == {"missed"}
    crashed = [line for line in result.outlines if line.startswith("FAILED") and "missed" not in line]
    assert len(crashed) == 1
    assert "count_my_tasks.json::test_task[trial1]" in crashed[0]
    # What was over when the worker died was not played again.
    replied = noted(pytester, "replied.txt")
    for line in noted(pytester, "kept.txt"):
        number, _, nodeid = line.partition(" ")
        assert nodeid in found
        assert replied.count(nodeid) == int(number), nodeid
    # A run that goes on plays the one that killed, and no other.
    (pytester.path / "kills").unlink()
    resumed = pytester.runpytest(*options, "--tau-resume")
    resumed.assert_outcomes(failed=1, deselected=11)
    assert (rows(resumed)["mock"]["trials"], rows(resumed)["mock"]["infra"]) == ("12", "0")
    resumed.stdout.fnmatch_lines(["1 replay: *"])
    lines = (pytester.path / ".tau/latest/journal.jsonl").read_text(encoding="utf-8").splitlines()
    assert sorted(json.loads(line)["nodeid"] for line in lines) == sorted([killer.nodeid, killer.nodeid, *found])


@pytest.mark.usefixtures("_players")
def test_of_two_trials_that_kill_neither_takes_another_with_it(pytester: pytest.Pytester) -> None:
    with (pytester.path / "players.py").open("a", encoding="utf-8") as file:
        file.write(KILLS_EACH)
    options = ("--tau-domain=mock", "--tau-agent=players:KillsEach", "--tau-k=2", "--tau-concurrency=4")
    result = workers(pytester, *options, "-rf", "-v", number=2)
    assert rows(result)["mock"]["infra"] == "2"
    crashed = [line for line in result.outlines if line.startswith("worker 'gw")]
    assert [line.partition("running ")[2] for line in sorted(crashed)] == [
        f"'tau/mock/count_my_tasks.json::test_task[trial{trial}]'" for trial in (1, 2)
    ]


KILLS_EACH = """

class KillsEach(Agent):
    def reply(self, messages):
        if self.task == "count_my_tasks":
            os.kill(os.getpid(), signal.SIGKILL)
        return "Goodbye."
"""
KILLS = '''

import json
from pathlib import Path


class Kills(Agent):
    """Takes its process down in one trial, and notes what was over by then, and how often it had been played."""

    def __init__(self, context):
        self.context = context

    def reply(self, messages):
        if self.task == "count_my_tasks" and self.context.trial == 1 and Path("kills").exists():
            for spool in Path(".tau").glob(f"latest/spool-{os.environ['PYTEST_XDIST_WORKER']}.jsonl"):
                for line in map(json.loads, spool.read_bytes().split(b"\\n")[:-1]):  # one more may be half written
                    if "nodeid" in line:
                        replied = Path("replied.txt").read_text().splitlines()
                        note("kept.txt", f"{replied.count(line['nodeid'])} {line['nodeid']}")
            os.kill(os.getpid(), signal.SIGKILL)
        note("replied.txt", f"tau/mock/{self.task}.json::test_task[trial{self.context.trial}]")
        return "Goodbye."
'''


@pytest.mark.slow
@pytest.mark.usefixtures("_players")
def test_a_worker_that_dies_where_tests_are_stolen(pytester: pytest.Pytester) -> None:
    result = apart(
        pytester, "--tau-domain=mock", "--tau-agent=agents:Dies", "-n2", "--dist=worksteal", "--tau-concurrency=3"
    )
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    found = {record.nodeid: record.outcome.value for record in journal(pytester.path)}
    assert len(found) == 6
    assert found["tau/mock/count_my_tasks.json::test_task[trial1]"] == "infra_error"


DIES_EARLY = """
import os
import signal

from pytest import hookimpl

ready = []

@hookimpl(trylast=True)
def pytest_xdist_node_collection_finished(node):
    ready.append(node)
    if len(ready) == 2:  # now both get their first tests, and nothing reaches the one …
        os.kill(ready[0].gateway._rinfo().pid, signal.SIGSTOP)
        ready[0].gateway._io.close_write()

def pytest_runtest_logstart():
    while len(ready) > 1:  # … whose end xdist hears of when the other has begun
        os.kill(ready.pop(0).gateway._rinfo().pid, signal.SIGKILL)
        ready.clear()
"""


@pytest.mark.usefixtures("_players")
@pytest.mark.slow
@pytest.mark.parametrize("args", [("--tau-concurrency=3",), ("--tau-concurrency=1",), ("--dist=worksteal",)])
def test_a_worker_that_dies_before_it_gets_a_test(pytester: pytest.Pytester, args: tuple[str, ...]) -> None:
    pytester.makeconftest(DIES_EARLY)
    result = apart(pytester, "--tau-domain=mock", "-n2", *args)
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    result.stdout.fnmatch_lines(["replacing crashed worker gw*"])
    assert rows(result)["mock"]["trials"] == "6"
    assert len(journal(pytester.path)) == 6
    assert result.ret == pytest.ExitCode.OK


@pytest.mark.parametrize(
    ("dist", "at_once", "depth"), [("load", 3, 8), ("load", 1, None), ("loadfile", 3, None), ("worksteal", 3, None)]
)
def test_deep_where_tests_are_shared_out_and_trials_run_ahead(
    monkeypatch: pytest.MonkeyPatch, dist: str, at_once: int, depth: int | None
) -> None:
    """What xdist's own scheduling does better is left to it; whole runs of each are slow tests."""
    monkeypatch.setattr("pytest_tau.plugin.workers.scheduling.conversations_at_once", lambda run: at_once)
    config: Any = SimpleNamespace(getoption=lambda name: None, option=SimpleNamespace())
    config.getvalue = lambda name: {"dist": dist, "tx": ["popen"]}.get(name)
    run: Any = SimpleNamespace(config=config)
    made = scheduler(run, None)
    assert (None if made is None else made._depth) == depth


def test_only_some_schedulers_take_a_test_back() -> None:
    """Those that keep tests together raise NotImplementedError, which would end the run."""
    config: Any = SimpleNamespace(getoption=lambda name: None, option=SimpleNamespace())
    config.getvalue = lambda name: ["popen"] if name == "tx" else None
    assert can_run_again(DeepLoadScheduling(config, None, 4))
    assert can_run_again(LoadScheduling(config))
    assert not can_run_again(LoadScopeScheduling(config))
    assert not can_run_again(EachScheduling(config))
