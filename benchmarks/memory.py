"""What a trial adds to the memory of the process that prints and of a worker, beyond what a test of pytest's does.

pytest keeps a report and an item of every test, and each worker collects all of them. So as many empty tests are played
beside the trials, and both in two sizes: what grows with the number is what one takes. Beside missed trials, the empty
tests fail.
"""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import COMPILED, Result, bare

SMALL, LARGE = 600, 1800
TASKS = 6  # of the suite mock
LIMIT_KB = 3.0
MISSED_KB = 6.5  # in one process: pytest keeps the text of each failure, and ours has the conversation's last turns
PROCESSES = {"ma": "printing", "gw": "a worker"}
EMPTY = "import pytest\n\n\n@pytest.mark.parametrize('n', range({number}))\ndef test_empty(n):\n    assert {passes}\n"
WATCH = """
import os
def pytest_sessionfinish():
    pages = int(open("/proc/self/statm").read().split()[1])
    with open("sizes", "a") as file:
        print(os.environ.get("PYTEST_XDIST_WORKER", "main"), pages * os.sysconf("SC_PAGE_SIZE"), file=file)
"""


def sizes(folder: Path, *arguments: str) -> dict[str, float]:
    """The size of each process at the end of a run, in kB; of several workers the largest."""
    (folder / "sizes").unlink(missing_ok=True)
    common = [sys.executable, "-m", "pytest", *bare(), "-p", "watch", "-p", "no:cacheprovider", "-q", "--tb=no"]
    environment = {**COMPILED, "PYTHONPATH": str(folder)}
    run = subprocess.run([*common, *arguments], cwd=folder, env=environment, check=False, stdout=subprocess.DEVNULL)
    if run.returncode > 1:
        raise SystemExit(f"the run ended with {run.returncode}")
    found: dict[str, float] = {}
    for line in (folder / "sizes").read_text(encoding="utf-8").splitlines():
        name, size = line.split()
        found[name[:2]] = max(found.get(name[:2], 0.0), int(size) / 1000)
    return found


def growth(folder: Path, *, trials: bool, passes: bool, workers: int) -> dict[str, float]:
    """What one trial, or one empty test, adds to each kind of process, in kB."""
    found = []
    for number in (SMALL, LARGE):
        (folder / "test_empty.py").write_text(EMPTY.format(number=number, passes=passes), encoding="utf-8")
        agent = ["--tau-agent", "oracle" if passes else "noop", "--tau-k", str(number // TASKS)]
        chosen = ["--tau-domain", "mock", *agent] if trials else ["test_empty.py"]
        found.append(sizes(folder, "--rootdir", str(folder), "-n", str(workers), *chosen))
    return {name: (found[1][name] - found[0][name]) / (LARGE - SMALL) for name in found[0]}


def main() -> None:
    """Print a line for each kind of process."""
    if not os.path.exists("/proc/self/statm"):
        raise SystemExit("the size of a process is read from /proc, which this system does not have")
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        (folder / "watch.py").write_text(WATCH, encoding="utf-8")
        for passes, workers in product((True, False), (0, 2)):
            ours, theirs = (growth(folder, trials=of, passes=passes, workers=workers) for of in (True, False))
            for process in sorted(ours, reverse=True):
                test = "an empty test" if passes else "a failing test"
                note = f"{ours[process]:.1f} kB, where {test} takes {theirs[process]:.1f}"
                what = f"memory a {'passed' if passes else 'missed'} trial, -n {workers}, {PROCESSES[process]}"
                limit = LIMIT_KB if passes or workers else MISSED_KB
                print(Result(what, max(0.0, ours[process] - theirs[process]), limit, "kB", note), flush=True)


if __name__ == "__main__":
    main()
