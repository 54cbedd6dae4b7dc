"""The process that forks for an isolated agent, as whoever starts it sees it: what it has, begins, ends and leaves."""

import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.adapters.nursery import Nursery, environment, how_it_ended
from pytest_tau.errors import InfraError, SettingsError

CODE = """
import os, sys


class Agent:
    def __init__(self, context):
        self.context = context

    def reply(self, messages):
        if messages[-1].content == "exit":
            os._exit(7)
        print("in Python", flush=True)
        return f"{os.getpid()} {sorted(name for name in os.environ if 'KEY' in name)} {os.environ['TMPDIR']}"
"""
CONTEXT: dict[str, Any] = {
    "task_id": "t",
    "trial": 1,
    "seed": 1,
    "policy": "",
    "memory": {},
    "roles": {},
    "tools": [],
}


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an agent that a nursery can import."""
    (tmp_path / "nursed_agent.py").write_text(CODE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return "nursed_agent:Agent"


@pytest.fixture
def nursery(agent: str) -> Iterator[Nursery]:
    made = Nursery(agent, environment([]), [])
    yield made
    made.close()


class Trial:
    """A process of a trial, and the ends of what it was given."""

    def __init__(self, nursery: Nursery) -> None:
        line, theirs = socket.socketpair()
        self.out, out = os.pipe()
        with theirs:
            self.pid = nursery.begin([theirs.fileno(), out, out])
        os.close(out)
        line.settimeout(60)
        self._line, self._lines = line, line.makefile("rwb")
        self._write({"folder": str(nursery.home), "context": CONTEXT})

    def ask(self, text: str = "Hi") -> str:
        """What the agent says; "" where its process has ended."""
        told = b""
        with suppress(BrokenPipeError, ConnectionResetError):
            self._write({"anew": True, "messages": [{"role": "user", "content": text}]})
            told = self._lines.readline()
        return json.loads(told)["reply"]["content"] if told else ""

    def printed(self) -> str:
        """All that it has printed; it has ended."""
        with suppress(BrokenPipeError):
            self._lines.close()
        self._line.close()
        with os.fdopen(self.out) as stream:
            return stream.read()

    def _write(self, message: Any) -> None:
        self._lines.write(json.dumps(message).encode() + b"\n")
        self._lines.flush()


def test_each_trial_has_a_process_of_its_own_that_ends_alone_or_with_the_nursery(nursery: Nursery) -> None:
    assert nursery.forks
    first, second = Trial(nursery), Trial(nursery)
    assert first.ask() == f"{first.pid} [] {nursery.home}"
    assert second.ask().startswith(f"{second.pid} ")
    assert len({first.pid, second.pid, nursery.process_id, os.getpid()}) == 4
    assert nursery.end(first.pid) == -signal.SIGKILL
    assert first.printed() == "in Python\n"
    assert second.ask() != ""
    assert second.ask("exit") == ""
    assert nursery.end(second.pid, dies=True) == 7
    assert second.printed() == "in Python\n" * 2
    assert nursery.is_alive
    third = Trial(nursery)
    third.ask()
    nursery.close()
    assert (nursery.is_alive, nursery.home.exists(), third.ask()) == (False, False, "")
    third.printed()


def test_one_that_has_died_begins_nothing_and_its_trials_can_still_be_ended(nursery: Nursery) -> None:
    trial = Trial(nursery)
    trial.ask()
    os.kill(nursery.process_id, signal.SIGKILL)
    told = "the agent 'nursed_agent:Agent' cannot be started: "
    with Path(os.devnull).open() as nothing, pytest.raises(InfraError, match=told):
        nursery.begin([nothing.fileno()] * 3)
    assert nursery.end(trial.pid) is None
    assert trial.ask() == ""
    trial.printed()


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (None, "the agent 'nursed_agent:No' cannot be imported: AttributeError"),
        (
            "import os; os._exit(3)",
            "the agent 'nursed_agent:No' cannot be imported: its process has ended with exit status 3",
        ),
    ],
    ids=["refused", "ended"],
)
def test_what_cannot_be_imported_is_refused_and_leaves_no_folder(
    agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str | None, told: str
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    if code is not None:
        (tmp_path / "nursed_agent.py").write_text(code, encoding="utf-8")
    with pytest.raises(SettingsError, match=told):
        Nursery("nursed_agent:No", environment([]), [])
    assert list(tmp_path.glob("tau-isolated-*")) == []
    assert "nursed_agent" not in sys.modules


class TestTheEnvironment:
    def test_keys_stay_here_unless_they_are_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("PLANTED_API_KEY", "KEPT_API_KEY", "LC_PAPER"):
            monkeypatch.setenv(name, "x")
        monkeypatch.setenv("PATH", "/bin")
        found = environment(["KEPT_API_KEY"])
        assert {name: found[name] for name in ("KEPT_API_KEY", "LC_PAPER", "PATH")} == {
            "KEPT_API_KEY": "x",
            "LC_PAPER": "x",
            "PATH": "/bin",
        }
        assert not found.keys() & {"PLANTED_API_KEY", "PYTHONPATH", "PYTEST_CURRENT_TEST"}

    def test_it_says_that_the_agent_is_isolated(self) -> None:
        assert environment([])["TAU_ISOLATED"] == "1"

    def test_a_name_that_is_not_there_is_refused(self) -> None:
        with pytest.raises(
            SettingsError, match="--tau-isolate-env: there is no variable NO_SUCH_KEY in the environment"
        ):
            environment(["PATH", "NO_SUCH_KEY"])


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (None, "with its nursery"),
        (0, "with exit status 0"),
        (3, "with exit status 3"),
        (-9, "by the signal SIGKILL"),
        (-250, "by the signal 250"),
    ],
)
def test_how_a_process_has_ended(status: int | None, words: str) -> None:
    assert how_it_ended(status) == words
