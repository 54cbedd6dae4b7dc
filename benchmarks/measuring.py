"""What the benchmarks share: CPU time of child processes, where the public data lies, and how a result is printed."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile

# Users' modules are compiled once and kept, so ours are too.
COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Result:
    """One measured number beside the limit for it; smaller is better."""

    what: str
    measured: float
    limit: float
    unit: str
    note: str = ""

    def __str__(self) -> str:
        share = self.measured / self.limit
        verdict = "ok  " if share <= 1 else "OVER"
        line = f"{self.what:<42} {self.measured:>8.2f} {self.unit:<2} limit {self.limit:>6g} {self.unit:<2}"
        return f"{line} {share:>5.2f} of it  {verdict}  {self.note}".rstrip()


def public_data() -> Path | None:
    """The root of the public data: ``--tau-data DIR``, else ``tau2`` in the folder PYTEST_TAU_SHARED names."""
    parser = argparse.ArgumentParser()
    shared = os.environ.get("PYTEST_TAU_SHARED")
    parser.add_argument("--tau-data", type=Path, default=Path(shared) / "tau2" if shared else None)
    found: Path | None = parser.parse_args().tau_data
    return found


def bare() -> list[str]:
    """Options of a pytest that loads no installed plugin but ours and xdist, which comes with it."""
    others = [
        entry.name for entry in entry_points(group="pytest11") if not entry.value.startswith(("pytest_tau", "xdist"))
    ]
    return [part for name in others for part in ("-p", f"no:{name}")]


def child_cpu(arguments: Sequence[str], folder: Path) -> float:
    """Seconds of CPU that ``python arguments`` takes in ``folder``; raises CalledProcessError when it fails."""
    with TemporaryFile() as output:
        child = subprocess.Popen([sys.executable, *arguments], cwd=folder, stdout=output, stderr=output, env=COMPILED)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            output.seek(0)
            sys.stderr.buffer.write(output.read())
            raise subprocess.CalledProcessError(child.returncode, child.args)
    return usage.ru_utime + usage.ru_stime


def interleaved(first: Sequence[str], second: Sequence[str], folder: Path, pairs: int) -> list[tuple[float, float]]:
    """CPU seconds of two commands, run in turns so that both meet the same machine; the order changes each time."""
    for arguments in (first, second):  # compiles what is not yet compiled
        child_cpu(arguments, folder)
    found = []
    for number in range(pairs):
        if number % 2:
            later = child_cpu(second, folder)
            found.append((child_cpu(first, folder), later))
        else:
            earlier = child_cpu(first, folder)
            found.append((earlier, child_cpu(second, folder)))
    return found


def median_cpu(work: Callable[[], object], rounds: int, repeat: int = 1) -> float:
    """The median over rounds of the CPU seconds that one call of ``work`` takes."""
    times = []
    for _ in range(rounds):
        began = time.process_time()
        for _ in range(repeat):
            work()
        times.append((time.process_time() - began) / repeat)
    return median(times)
