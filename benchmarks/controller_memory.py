"""What the process that prints the report keeps of a long run: 9,140 trials of 100 kB, through the real report hook."""

from __future__ import annotations

import os
import resource
import sys
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pytest

from benchmarks.measuring import Result
from pytest_tau.journal import LATEST
from pytest_tau.schema.messages import AssistantMessage
from pytest_tau.schema.record import Outcome, TrialRecord
from pytest_tau.schema.reward import Reward
from pytest_tau.schema.simulation import Simulation, Termination

TASKS, K = 2285, 4
SIZE = 100_000
PHASES: tuple[Literal["setup", "call", "teardown"], ...] = ("setup", "call", "teardown")
WARM_UP = 100
LIMIT_MB = 30.0
VERDICT = "What kept this trial from its reward. " * 50


class Feeder:
    """Plays the workers: hands the reports of finished trials to the session instead of running tests."""

    def __init__(self, results: Path) -> None:
        self.growth: float | None = None
        self._journal = results / LATEST / "journal.jsonl"

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Feed all reports; the first ones are there to fill caches before the measuring begins."""
        session.config.hook.pytest_xdist_node_collection_finished(
            node=_Node(session.config), ids=[_nodeid(number) for number in range(TASKS * K)]
        )
        before = 0.0
        for number in range(TASKS * K):
            if number == WARM_UP:
                before = peak_mb()
            self._finish(session.config, number)
        if not self._journal.exists():
            return True  # nobody took the reports
        self.growth = peak_mb() - before
        return True

    def _finish(self, config: pytest.Config, number: int) -> None:
        missed = number % 3 == 0
        for when in PHASES:
            report = pytest.TestReport(
                _nodeid(number),
                ("tau/mock/base.json", 0, "test_task"),
                {},
                "failed" if missed and when == "call" else "passed",
                VERDICT if missed and when == "call" else None,
                when,
            )
            if when == "call":
                setattr(report, "tau", record(number, missed=missed))  # noqa: B010 (what a worker's report carries)
            config.hook.pytest_runtest_logreport(report=report)
        if number % WARM_UP == 0 and self._journal.exists():
            os.truncate(self._journal, 0)  # a gigabyte on disk would show nothing about memory


class _Node:
    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def sendcommand(self, name: str, **kwargs: object) -> None:
        """Nobody is there."""


def record(number: int, *, missed: bool) -> str:
    """A trial of about 100 kB, as it travels on its report."""
    task_id, trial = _task(number)
    line = _line(missed).replace(_task(0)[0], task_id, 2)  # in its node ID and in its own field
    return line.replace('"trial":1', f'"trial":{trial}').replace("xxxx", f"{number:04}")


@cache
def _line(missed: bool) -> str:
    messages = [AssistantMessage(content="x" * 1000, cost=0.0) for _ in range(SIZE // 1050)]
    return TrialRecord(
        nodeid=_nodeid(0),
        domain="mock",
        task_id=_task(0)[0],
        trial=1,
        outcome=Outcome.MISSED if missed else Outcome.PASSED,
        reward=Reward(value=0.0 if missed else 1.0),
        simulation=Simulation(
            id="0",
            domain="mock",
            task_id=_task(0)[0],
            agent="an_agent",
            messages=list(messages),
            steps=len(messages),
            termination_reason=Termination.USER_STOP,
        ),
    ).model_dump_json(exclude_none=True)


def _task(number: int) -> tuple[str, int]:
    return f"task_{number // K:04}", number % K + 1


def _nodeid(number: int) -> str:
    task_id, trial = _task(number)
    return f"tau/mock/base.json::test_task[{task_id}-trial{trial}]"


def peak_mb() -> float:
    """The largest size this process has had, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def main() -> None:
    """Print the line."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        feeder = Feeder(folder / ".tau")
        with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
            pytest.main(["-q", "--rootdir", name, "--tau-k", str(K), "-p", "no:cacheprovider", name], plugins=[feeder])
    if feeder.growth is None:
        raise SystemExit("the session broke before all trials were fed to it")
    size = len(record(0, missed=True)) / 1000
    print(Result("controller, growth of memory", feeder.growth, LIMIT_MB, "MB", f"{TASKS * K} trials of {size:.0f} kB"))


if __name__ == "__main__":
    main()
