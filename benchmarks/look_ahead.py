"""Look-ahead: how near a run of slow players comes to the time that its slots allow.

Twice each: with turns of half a second, and with turns of none, whose time is pytest's own and is taken off.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.measuring import COMPILED, Result, bare
from pytest_tau import load_journal, load_tasks

TURN = 0.5
MOST_TURNS = 3
TRIALS = 200
TASKS = 5

# An agent that takes one to three slow turns, depending on the trial.
AGENT = f"""
import os
import time
import zlib

TURN = float(os.environ["TURN"])


def turns(task_id, trial):
    return 1 + zlib.crc32(f"{{task_id}}/{{trial}}".encode()) % {MOST_TURNS}


class Slow:
    def __init__(self, context):
        self.left = turns(context.task_id, context.trial)

    def reply(self, messages):
        time.sleep(TURN)
        self.left -= 1
        return "One moment." if self.left else "###TRANSFER###"
"""

USER = """
class Quick:
    def __init__(self, context):
        pass

    def reply(self, messages):
        return "###STOP###" if messages[-1].content == "###TRANSFER###" else "Yes?"
"""


@dataclass(frozen=True)
class Case:
    """How many conversations at once, in how many processes, and what share of the ideal that may take."""

    workers: int
    concurrency: int
    limit: float

    @property
    def options(self) -> list[str]:
        """As the command line has it."""
        return [f"--tau-concurrency={self.concurrency}", *([f"-n{self.workers}"] if self.workers > 1 else [])]

    @property
    def slots(self) -> int:
        """Conversations at once in all."""
        return self.workers * self.concurrency

    def __str__(self) -> str:
        where = "one process" if self.workers == 1 else f"-n {self.workers}"
        return f"look-ahead, {where}, {self.concurrency} at once"


CASES = (Case(1, 64, 1.05), Case(2, 16, 1.25))


def main() -> None:
    """Print a line for each case: wall time less that of instant turns, over the least the slots allow."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "slow.py").write_text(AGENT, encoding="utf-8")
        (folder / "quick.py").write_text(USER, encoding="utf-8")
        lengths = _lengths(folder)
        for case in CASES:
            seconds = [_wall(folder, case, turn) for turn in (TURN, 0.0)]
            ideal = TURN * max(sum(lengths) / case.slots, max(lengths))
            note = f"{TRIALS} trials, {seconds[0]:.1f} s, {seconds[1]:.1f} s with instant turns, ideal {ideal:.1f} s"
            print(Result(str(case), (seconds[0] - seconds[1]) / ideal, case.limit, "x", note))


def _wall(folder: Path, case: Case, turn: float) -> float:
    command = [sys.executable, "-m", "pytest", *bare(), "-q", "-p", "no:cacheprovider", "--tau-domain=mock"]
    command += [f"--tau-tasks={TASKS}", f"--tau-k={TRIALS // TASKS}", *case.options]
    command += ["--tau-agent=slow:Slow", "--tau-user=quick:Quick", "--tb=no", "--tau-miss-as=xfail"]
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, env={**COMPILED, "TURN": str(turn)}, capture_output=True, check=False)
    took = time.perf_counter() - began
    if (played := len(load_journal(folder / ".tau"))) != TRIALS:
        raise SystemExit(f"{shlex.join(command)}: played {played} of {TRIALS} trials")
    return took


def _lengths(folder: Path) -> list[int]:
    """Turns of each trial."""
    scope: dict[str, Any] = {}
    os.environ.setdefault("TURN", "0")
    exec(compile((folder / "slow.py").read_text(encoding="utf-8"), "slow.py", "exec"), scope)  # noqa: S102  (ours)
    tasks = load_tasks("mock")[:TASKS]
    return [scope["turns"](task.id, trial) for task in tasks for trial in range(1, TRIALS // TASKS + 1)]


if __name__ == "__main__":
    main()
