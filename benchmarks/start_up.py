"""The README's main job against as many empty tests with as many workers: processor time of all processes together.

Both run in an empty folder: what the conftest.py files of a project import is paid by its empty tests as well.

python benchmarks/run.py start_up
"""

from __future__ import annotations

from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.measuring import Result, bare, child_cpu

PAIRS = 3
LIMIT = 1.4
WORKERS, TRIALS = 8, 120
EMPTY = f"import pytest\n\n\n@pytest.mark.parametrize('n', range({TRIALS}))\ndef test_empty(n):\n    pass\n"


def main() -> None:
    """Print the line."""
    pairs = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_empty.py").write_text(EMPTY, encoding="utf-8")
        common = ["-m", "pytest", *bare(), "-p", "no:cacheprovider", "-q", "-n", str(WORKERS)]
        job = [*common, "--rootdir", name, "--tau-domain", "retail", "--tau-k", "4"]
        empty = [*common, "--rootdir", name, "test_empty.py"]
        for number in range(PAIRS + 1):
            pair = child_cpu(job, folder), child_cpu(empty, folder)
            pairs += [pair] if number else []  # the first compiles what is not yet compiled
    ours, theirs = (median(times) for times in zip(*pairs, strict=True))
    ratio = median(one / other for one, other in pairs)
    note = f"{ours:.1f} s ÷ {theirs:.1f} s, {TRIALS} trials, -n {WORKERS}"
    print(Result("main job ÷ empty tests, CPU of all processes", ratio, LIMIT, "×", note))


if __name__ == "__main__":
    main()
