"""SIGKILL, of the whole run and of a worker: what was over is kept, and the rest is resumed."""

import json
from collections import Counter
from pathlib import Path

import pytest

from pytest_tau import load_journal
from tests.plugin.inner import apart, journal, rows

AGENT = '''
import json
import os
import signal
from pathlib import Path

from pytest_tau import AssistantMessage, ToolCall


class Kills:
    """Does what complete_a_task wants on every other trial; on one of them, once, kills a process."""

    def __init__(self, context):
        self.context = context

    def reply(self, messages):
        if (self.context.task_id, self.context.trial) == ("count_my_tasks", 2) and not Path("killed").exists():
            over = [
                json.loads(line)["nodeid"]
                for spool in Path(".tau").glob("latest/spool-*.jsonl")
                for line in spool.read_bytes().split(b"\\n")[:-1]  # one more may be half written
                if line.startswith(b'{"version"') and b'"graded":false' not in line
            ]
            Path("killed").write_text(json.dumps(over))
            me, parent = os.getpid(), os.getppid()
            if os.environ["WHOM"] == "whole run" and "PYTEST_XDIST_WORKER" in os.environ:
                if b"forking" in Path(f"/proc/{parent}/cmdline").read_bytes():  # it is a copy of the fork server
                    parent = int(Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()[1])
                family = [Path(f"/proc/{one}/task/{one}/children").read_text() for one in (parent, os.getppid())]
                for process in (parent, *map(int, " ".join(family).split())):
                    if process != me:
                        os.kill(process, signal.SIGKILL)
            os.kill(me, signal.SIGKILL)
        with open("played.txt", "a") as file:
            file.write(f"{self.context.task_id} {self.context.trial}\\n")
        if len(messages) > 3 or self.context.trial == 3:
            return "Goodbye."
        call = ToolCall(id="1", name="update_task_status", arguments={"task_id": "task_1", "status": "completed"})
        return AssistantMessage(tool_calls=[call])
'''
OPTIONS = ("--tau-domain=mock", "--tau-k=3", "--tau-agent=kills:Kills", "--tau-concurrency=2", "-v")


@pytest.fixture(autouse=True)
def _agent(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    # These tests may be run by a worker themselves: the run that is killed must not take it for its own.
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    pytester.makepyfile(kills=AGENT)


def over_when_killed(root: Path) -> set[str]:
    found = json.loads((root / "killed").read_text(encoding="utf-8"))
    assert len(found) == len(set(found))
    return set(found)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["one process", "workers"])
def test_the_whole_run_is_killed_and_resumed(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: tuple[str, ...]
) -> None:
    monkeypatch.setenv("WHOM", "whole run")
    (pytester.path / "killed").touch()
    undisturbed = apart(pytester, *OPTIONS, "--tau-results=other", *workers)
    (pytester.path / "killed").unlink()
    (pytester.path / "played.txt").unlink()
    killed = apart(pytester, *OPTIONS, *workers)
    assert rows(killed) == {}
    over = over_when_killed(pytester.path)
    assert len(over) >= 3
    kept = {record.nodeid: record.simulation for record in journal(pytester.path)}
    graded = [record for record in journal(pytester.path) if record.graded]
    assert over <= {record.nodeid for record in graded} <= set(kept)
    # What some process was writing when all were killed is cut short.
    for spool in (pytester.path / ".tau/latest").glob("spool-*.jsonl"):
        with spool.open("ab") as file:
            file.write(b'{"version":1,"nodeid":"tau/mock/x')
    (pytester.path / "played.txt").unlink()

    resumed = apart(pytester, *OPTIONS, *workers, "--tau-resume")
    resumed.stdout.fnmatch_lines([f"tau: going on with *: {len(graded)} trials are done"])
    assert rows(resumed) == rows(undisturbed)
    assert rows(resumed, "task") == rows(undisturbed, "task")
    assert resumed.ret == undisturbed.ret == pytest.ExitCode.TESTS_FAILED
    played = set((pytester.path / "played.txt").read_text(encoding="utf-8").splitlines())
    assert len(played) == 18 - len(kept)
    found = {record.nodeid: record for record in journal(pytester.path)}
    assert {nodeid: found[nodeid].simulation for nodeid in kept} == kept  # none of them again
    assert_complete(pytester)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_is_killed(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    monkeypatch.setenv("WHOM", "worker")
    result = apart(pytester, *OPTIONS, f"-n{workers}")
    result.stdout.fnmatch_lines(["*replacing crashed worker*"])
    over = over_when_killed(pytester.path)
    assert over <= {record.nodeid for record in journal(pytester.path)}
    # The killer plays well the second time, if others were under way as well and nobody knew who it was.
    if rows(result)["mock"]["infra"] == "1":
        result = apart(pytester, *OPTIONS, f"-n{workers}", "--tau-resume")
        result.assert_outcomes(**{"passed" if result.ret == pytest.ExitCode.OK else "failed": 1})
    assert (rows(result)["mock"]["trials"], rows(result)["mock"]["infra"]) == ("18", "0")
    replies = Counter((pytester.path / "played.txt").read_text(encoding="utf-8").splitlines())
    for nodeid in over:
        task, trial = nodeid.rpartition("/")[2].partition(".json")[0], nodeid.rpartition("trial")[2].removesuffix("]")
        assert replies[f"{task} {trial}"] == (1 if trial == "3" else 2), f"{nodeid} was played again"
    assert_complete(pytester)


def assert_complete(pytester: pytest.Pytester) -> None:
    """All trials are in the journal with a grade, once, and nothing else is left.

    A conversation that was over when the run was killed, and not graded yet, stands before its grade.
    """
    run = pytester.path / ".tau" / "latest"
    lines = [json.loads(line) for line in (run / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
    graded = Counter(line["nodeid"] for line in lines if line.get("graded", True))
    assert max(graded.values()) == 1
    assert {line["nodeid"] for line in lines} == set(graded)
    assert len([record for record in load_journal(run) if record.graded]) == len(graded) == 18
    assert sorted(path.name for path in run.iterdir()) == ["journal.jsonl", "manifest.json", "order.json"]


LOOKS = """
import json
from pathlib import Path

class Looks:
    def __init__(self, context):
        self.context = context

    def reply(self, messages):
        if self.context.trial == 2 and not Path("ended").exists():
            # Were the run killed now, this is what there would be.
            known = json.loads(Path(".tau/latest/manifest.json").read_text())["content"]
            assert {"tasks in tau/mock/count_my_tasks.json", "list of files of mock"} <= set(known), sorted(known)
            Path("ended").touch()
            raise KeyboardInterrupt
        return "Goodbye."
"""


def test_a_run_by_path_can_be_resumed_from_its_first_trial_on(pytester: pytest.Pytester) -> None:
    """What the trials have in common is written before the first of them, also where no domain is named."""
    pytester.makepyfile(looks=LOOKS)
    options = ("tau/mock/count_my_tasks.json", "--tau-k=3", "--tau-agent=looks:Looks", "--tau-concurrency=1")
    pytester.runpytest_inprocess(*options, no_reraise_ctrlc=True)
    assert [record.trial for record in journal(pytester.path)] == [1]
    result = pytester.runpytest(*options, "--tau-resume")
    result.stdout.fnmatch_lines(["*2 failed, 1 deselected*"])
    assert sorted(record.trial for record in journal(pytester.path)) == [1, 2, 3]
