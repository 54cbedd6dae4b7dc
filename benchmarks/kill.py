"""SIGKILL at random moments: whether every conversation that was over is kept, and a resumed run completes the set.

Half of the rounds kill a worker, the others the whole run: the process that prints the report, and its workers too.
The moment is the n-th time that some agent is asked, which a seed decides. The number is the share of the rounds in
which all of this holds, and 1 is the only good one:

- what stood in a spool when the signal came is in the journal, the same conversation;
- the resumed run plays the rest, and no trial stands in the journal twice with a grade;
- tables and exit status are those of a run that nobody disturbed, with the same seed.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import bare

ROUNDS = 20
SEED = 6
K = 4
TRIALS = 6 * K

AGENT = '''
import fcntl
import json
import os
import signal
from pathlib import Path

from pytest_tau import AssistantMessage, ToolCall


def next_number():
    """How often an agent was asked in this run, over all its processes."""
    with open("asked", "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(".")
        file.flush()
        return file.tell()


def kill(whom):
    over = {}
    for spool in Path(".tau").glob("latest/spool-*.jsonl"):
        for line in spool.read_bytes().splitlines():
            try:
                trial = json.loads(line)
            except ValueError:
                continue  # being written
            if "nodeid" in trial:
                over[trial["nodeid"]] = trial["simulation"]["id"]
    Path("over.json").write_text(json.dumps(over))
    me, parent = os.getpid(), os.getppid()
    if whom == "whole run":
        if b"forking" in Path(f"/proc/{parent}/cmdline").read_bytes():  # it is a copy of the fork server
            parent = int(Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()[1])
        family = [Path(f"/proc/{one}/task/{one}/children").read_text() for one in (parent, os.getppid())]
        for process in (parent, *map(int, " ".join(family).split())):
            if process != me:
                os.kill(process, signal.SIGKILL)
    os.kill(me, signal.SIGKILL)


class Agent:
    """Passes, or does nothing, as the trial's seed has it."""

    def __init__(self, context):
        self.passes = context.seed % 3 > 0

    def reply(self, messages):
        if next_number() == int(os.environ["AT"]):
            kill(os.environ["WHOM"])
        if len(messages) > 3 or not self.passes:
            return "Goodbye."
        call = ToolCall(id="1", name="update_task_status", arguments={"task_id": "task_1", "status": "completed"})
        return AssistantMessage(tool_calls=[call])
'''


@dataclass(frozen=True)
class Run:
    """What a run of pytest left: its exit status and tables."""

    status: int
    tables: list[str]


def main() -> int:
    """Kill, resume and compare, so many times."""
    chance = random.Random(SEED)
    held = 0
    with TemporaryDirectory() as name:
        undisturbed = _run(Path(name), at=0, whom="nobody")
        asked = len((Path(name) / "asked").read_text(encoding="utf-8"))
    for number in range(ROUNDS):
        whom, at = ("worker", "whole run")[number % 2], chance.randint(1, asked)
        with TemporaryDirectory() as name:
            problems = _problems(Path(name), undisturbed, whom=whom, at=at)
        held += not problems
        for problem in problems:
            print(f"round {number}, {whom} killed at reply {at}: {problem}")
    share = held / ROUNDS
    verdict = "ok  " if share == 1 else "LOST"
    print(f"{'killed at random moments and resumed':<42} {share:>8.2f}    limit      1    {verdict}  {ROUNDS} rounds")
    return int(share < 1)


def _problems(folder: Path, undisturbed: Run, *, whom: str, at: int) -> list[str]:
    """What of the conditions did not hold."""
    last = _run(folder, at=at, whom=whom)
    over = json.loads((folder / "over.json").read_text(encoding="utf-8"))
    kept = _conversations(folder)
    problems = [f"{nodeid} was over and is not kept" for nodeid in over if kept.get(nodeid) != over[nodeid]]
    if whom == "whole run" or last != undisturbed:  # a worker's trial that was being played may be an infra error
        last = _run(folder, "--tau-resume", at=0, whom="nobody")
    after = _conversations(folder)
    problems += [f"{nodeid} was played again" for nodeid in over if after.get(nodeid) != over[nodeid]]
    lines = (folder / ".tau/latest/journal.jsonl").read_text(encoding="utf-8").splitlines()
    # A conversation that was over and not graded yet when all were killed stands before its grade.
    graded = Counter(trial["nodeid"] for line in lines if (trial := json.loads(line)).get("graded", True))
    problems += [f"{nodeid} stands in the journal twice" for nodeid, number in graded.items() if number > 1]
    if len(graded) != TRIALS:
        problems.append(f"{len(graded)} trials in the journal, not {TRIALS}")
    if last != undisturbed:
        problems.append(f"not the result of an undisturbed run: {last} instead of {undisturbed}")
    return problems


def _run(folder: Path, *options: str, at: int, whom: str) -> Run:
    (folder / "mortal.py").write_text(AGENT, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", *bare(), "-p", "no:cacheprovider", "--tau-domain=mock", "-n2", "-v"]
    command += [f"--tau-k={K}", "--tau-agent=mortal:Agent", "--tau-concurrency=3", "--tb=no", *options]
    environment = {**os.environ, "AT": str(at), "WHOM": whom}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return Run(done.returncode, sorted(line for line in done.stdout.splitlines() if line.startswith("| ")))


def _conversations(folder: Path) -> dict[str, str | None]:
    """The id of each trial's conversation, as the journal and the spools have it."""
    from pytest_tau import load_journal

    records = load_journal(folder / ".tau")
    return {record.nodeid: record.simulation.id if record.simulation else None for record in records}


if __name__ == "__main__":
    sys.exit(main())
