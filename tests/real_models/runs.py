"""Runs of pytest against a real model, in processes of their own: what they print and when, and what they leave."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_tau import load_journal
from pytest_tau.llm.tape import RecordedCall, Tape, TrialKey
from pytest_tau.schema.messages import ToolMessage
from pytest_tau.schema.record import TrialRecord
from pytest_tau.schema.spending import Usage

NOBODY = "http://127.0.0.1:9/v1"
MODEL = "openai/smol"
# Short answers in few turns: what is looked at holds for any conversation.
SHORT = '{"max_tokens": 24, "timeout": 600}'
FEW = ("--tau-domain=mock", "--tau-max-steps=6", "--tau-timeout=1800", "--tau-progress=10", "-pno:cacheprovider")


@dataclass
class Outcome:
    """What came of a run: its lines, the longest time in seconds without one, and its exit status."""

    lines: list[str] = field(default_factory=list)
    silence: float = 0.0
    status: int = 0

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True)
class Project:
    """A folder whose runs ask the model at an address."""

    path: Path
    address: str

    def environment(self, address: str | None = None) -> dict[str, str]:
        plugins = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "pytest_tau.plugin,xdist.plugin"}
        models = {"OPENAI_API_BASE": address or self.address, "OPENAI_API_KEY": "none"}
        return {**os.environ, **plugins, **models, "PYTHONUNBUFFERED": "1"}

    def start(self, *arguments: str, address: str | None = None) -> subprocess.Popen[str]:
        """Begin a run; what it prints can be read from its stdout."""
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", *FEW, *arguments],
            cwd=self.path, env=self.environment(address), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def run(self, *arguments: str, address: str | None = None) -> Outcome:
        """Run to the end."""
        outcome, heard = Outcome(), time.monotonic()
        with self.start(*arguments, address=address) as process:
            assert process.stdout is not None
            for line in process.stdout:
                outcome.silence = max(outcome.silence, time.monotonic() - heard)
                heard = time.monotonic()
                outcome.lines.append(line.rstrip("\n"))
        outcome.status = process.returncode
        return outcome

    def doctor(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        """What the doctor says."""
        run = subprocess.run(
            [sys.executable, "-m", "pytest_tau.cli", "doctor", "--json", *FEW, *arguments],
            cwd=self.path, env=self.environment(), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert run.stdout, run.stderr
        return run.returncode, json.loads(run.stdout)

    def journal(self, results: str) -> list[TrialRecord]:
        """The trials of the latest run."""
        return load_journal(self.path / results)

    def exchanges(self, record: TrialRecord) -> list[RecordedCall]:
        """What the models of a trial were asked, as its cassette has it."""
        key = TrialKey(record.domain, record.task_id, record.trial)
        return Tape(self.path / "cassettes", key).read() or []


def spent(record: TrialRecord) -> Usage:
    """The tokens that stand on a trial's messages, with those of customers that were played again."""
    assert record.simulation is not None
    played = [record.simulation, *(record.simulation.discarded or [])]
    messages = [message for one in played for message in one.messages]
    used = [m.usage for m in messages if not isinstance(m, ToolMessage) and m.usage is not None]
    return Usage(
        prompt_tokens=sum(one.prompt_tokens for one in used),
        completion_tokens=sum(one.completion_tokens for one in used),
    )
