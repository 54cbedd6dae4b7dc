"""What a run of scripted trials takes in one process: processor time, the journal, and the report.

python benchmarks/run.py scripted_runs
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import Result, bare, child_cpu

TASKS = 30  # of the suite retail
MAIN_JOB, MANY = 4, 40  # trials of each
LIMIT_S, LIMIT_MS, LIMIT_KB, LIMIT_MB = 1.5, 6.0, 8.0, 4.0


def played(folder: Path, k: int, more: Sequence[str] = ()) -> float:
    """Seconds of CPU that a run with ``k`` trials of each task takes; its results are in ``folder/k``."""
    run = ["-m", "pytest", *bare(), "-p", "no:cacheprovider", "-q", "-n", "0", "--rootdir", str(folder)]
    return child_cpu([*run, "--tau-domain", "retail", "--tau-k", str(k), "--tau-results", str(k), *more], folder)


def main() -> None:
    """Print the lines."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        played(folder, 1)  # compiles what is not yet compiled
        few, many = played(folder, MAIN_JOB), played(folder, MANY)
        [journal] = (folder / str(MAIN_JOB)).glob("2*/journal.jsonl")
        size = journal.stat().st_size
        played(folder, MANY, ("--tau-resume", "--tau-html", "report.html"))
        page = (folder / "report.html").stat().st_size
    trials, most = TASKS * MAIN_JOB, TASKS * MANY
    each = (many - few) / (most - trials)
    print(Result(f"{trials} scripted trials, -n 0, CPU of all", few, LIMIT_S, "s"))
    print(Result("a further scripted trial, CPU", 1000 * each, LIMIT_MS, "ms", f"up to {most}"))
    print(Result("journal, a scripted trial", size / trials / 1000, LIMIT_KB, "kB", f"{trials} trials"))
    print(Result(f"the report of {most} trials", page / 1e6, LIMIT_MB, "MB"))


if __name__ == "__main__":
    main()
