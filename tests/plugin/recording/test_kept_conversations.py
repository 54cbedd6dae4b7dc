"""A conversation is kept the moment it is over, whatever becomes of what follows it."""

from collections import Counter
from pathlib import Path

import pytest

from tests.plugin.inner import apart, journal, mock_run, rows
from tests.plugin.parts import mock_play

AGENT = """
class Noted:
    def __init__(self, context):
        self.context = context

    def reply(self, messages):
        with open("played.txt", "a") as file:
            file.write(f"{self.context.task_id} {self.context.trial}\\n")
        return "Goodbye."
"""
# What comes after the conversation: once it does as the environment says, later nothing.
HOOK = """
import os, signal
from pathlib import Path

def pytest_tau_grade(task, simulation, domain):
    if os.environ["AFTERWARDS"] == "raise":
        raise ValueError("no grade today")
    if os.environ["AFTERWARDS"] == "kill" and len(list(Path().glob("graded*"))) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    Path(f"graded-{task.id}-{simulation.trial}").touch()
    return []
"""
OPTIONS = ("--tau-domain=mock", "--tau-k=2", "--tau-agent=noted:Noted", "--tau-concurrency=2")


@pytest.fixture(autouse=True)
def _project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    pytester.makepyfile(noted=AGENT)
    pytester.makeconftest(HOOK)


def played(root: Path) -> Counter[str]:
    return Counter((root / "played.txt").read_text(encoding="utf-8").splitlines())


def test_a_hook_that_raises_costs_no_conversation(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFTERWARDS", "raise")
    options = [one for one in OPTIONS if one != "--tau-k=2"]
    result = mock_run(pytester, *options)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    kept = journal(pytester.path)
    assert [(record.outcome, record.graded, record.note) for record in kept] == [
        ("error", False, "ValueError: no grade today")
    ] * 6
    conversations = {record.nodeid: record.simulation for record in kept}
    assert None not in conversations.values()
    before = played(pytester.path)

    monkeypatch.setenv("AFTERWARDS", "nothing")
    again = mock_play(pytester, *options, "--tau-resume")
    assert rows(again)["mock"]["trials"] == "6"
    assert played(pytester.path) == before
    assert {record.nodeid: record.simulation for record in journal(pytester.path)} == conversations
    assert all(record.graded and record.reward for record in journal(pytester.path))
    assert mock_play(pytester, *options, "--tau-resume").parseoutcomes()["deselected"] == 6


@pytest.mark.parametrize(
    "workers", [(), pytest.param(("-n2",), marks=pytest.mark.slow)], ids=["one process", "workers"]
)
def test_killed_while_it_grades_a_run_pays_for_nothing_again(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: tuple[str, ...]
) -> None:
    monkeypatch.setenv("AFTERWARDS", "kill")
    apart(pytester, *OPTIONS, *workers)
    over = {record.nodeid for record in journal(pytester.path) if record.simulation is not None}
    assert len(over) >= 4  # three that were graded, and the one that was not
    monkeypatch.setenv("AFTERWARDS", "nothing")
    result = pytester.runpytest(*OPTIONS, *workers, "--tau-resume")
    assert rows(result)["mock"]["trials"] == "12"
    replies = played(pytester.path)
    for nodeid in over:
        task = nodeid.rpartition("/")[2].partition(".json")[0]
        trial = nodeid.rpartition("trial")[2].removesuffix("]")
        assert replies[f"{task} {trial}"] <= 2, f"{nodeid} was played again"
    assert {record.graded for record in journal(pytester.path)} == {True}


LIMITED = """
import resource, signal, sys
sys.dont_write_bytecode = True
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
"""


@pytest.mark.usefixtures("temporary")
def test_on_a_full_disk_no_trial_starts_and_no_gate_holds(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process whose files cannot grow beyond a size: a disk that is full for good."""
    monkeypatch.setenv("AFTERWARDS", "nothing")
    pytester.makepyfile(limited=LIMITED)
    gate = ("--tau-gate=pass^1 >= 0", "--tau-min-coverage=0.01", "--tau-concurrency=1")
    result = apart(pytester, "-p", "limited", "-p", "no:cacheprovider", *OPTIONS[:3], *gate)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    number = sum(played(pytester.path).values())
    assert 0 < number < 12
    result.stdout.fnmatch_lines(["*results cannot be kept any more: *"])
    result.stdout.fnmatch_lines(["gate pass^1 >= 0: *its results could not be kept*"])
    result.stdout.no_fnmatch_line("*HELD*")
    for output in (result.stdout, result.stderr):
        output.no_fnmatch_line("*INTERNALERROR*")


@pytest.mark.usefixtures("temporary")
def test_a_folder_that_is_removed_stops_the_run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFTERWARDS", "nothing")
    agent = AGENT.replace(
        "        return",
        "        if self.context.trial == 2:\n            import shutil; shutil.rmtree('.tau', True)\n        return",
    )
    pytester.makepyfile(noted=agent)
    result = pytester.runpytest(*OPTIONS[:3], "--tau-concurrency=1")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert sum(played(pytester.path).values()) == 2
    result.stdout.fnmatch_lines(["*results cannot be kept any more: *the file was removed while the run wrote to it*"])
    result.stdout.fnmatch_lines(
        ["*The journal could not be written: *What it lacks (1 line) is in *.jsonl; *--tau-resume puts it back."]
    )
