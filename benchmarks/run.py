"""Runs benchmarks, each in a process of its own, and prints a table: what was measured, its limit, its share of that.

    python -m benchmarks [--tau-data DIR] [NAME ...]

Without names these are the limits of speed and size, in a few minutes on a quiet machine. They are processor times and
counts, not durations; where other programs run, processor time grows as well, so how fast the machine is at the moment
stands above the table. To compare another program, play the same tasks by both in turns, with models on loopback that
answer alike (the server of ``many_at_once``), and compare medians of ``ru_utime + ru_stime``; nothing of another
program is kept here.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
LIMITS = (
    "idle",
    "start_up",
    "scripted_runs",
    "collecting",
    "environments",
    "simulating",
    "episodes",
    "controller_memory",
    "memory",
    "limits",
    "model_calls",
    "prefixes",
    "many_at_once",
)
OTHERS = (
    "documents",
    "datasets",
    "look_ahead",
    "isolation",
    "kill",
    "regression_gate",
    "user_audit",
    "trust",
    "consent",
    "plays",
    "judge_coverage",
)
LONG = (
    "rpm",
    "bad_day",
    "intervals",
    "planning",
    "stopping",
    "policy_mutants",
    "peeking",
    "sql_world",
    "long_episodes",
    "training",
)
USING_DATA = ("environments", "prefixes", "documents", "simulating", "user_audit", "trust", "consent", "long_episodes")
_OVER = "  OVER"
_STEPS = 200_000
_QUIET_MS = 11.0  # what these steps take on a quiet machine that the limits were chosen on


def pace() -> float:
    """How much longer plain Python takes now than on a quiet machine: the median of a few looks."""
    looks = []
    for _ in range(9):
        began, total = time.process_time(), 0
        for number in range(_STEPS):
            total += number * number % 7
        looks.append(1000 * (time.process_time() - began))
    return median(looks) / _QUIET_MS


def main() -> int:
    """Run those named, or those of the limits; the exit status says whether they ran, not whether they were fast."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"of {', '.join(LIMITS)}, which are the default, {', '.join(OTHERS)}, and {', '.join(LONG)}, which take "
        "minutes each",
    )
    parser.add_argument("--tau-data", type=Path, help="root of the public data (default: what PYTEST_TAU_SHARED holds)")
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - {*LIMITS, *OTHERS, *LONG}:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}: use {', '.join((*LIMITS, *OTHERS, *LONG))}")
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "load unknown"
    print(f"plain Python takes {pace():.1f} times its time on a quiet machine; {load}", flush=True)
    began, broken, lines = time.monotonic(), 0, list[str]()
    for name in chosen.names or LIMITS:
        data = ["--tau-data", str(chosen.tau_data.resolve())] if chosen.tau_data and name in USING_DATA else []
        command = [sys.executable, "-m", f"benchmarks.{name}", *data]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
            for line in child.stdout or ():
                print(line, end="", flush=True)
                lines.append(line)
        broken += child.returncode != 0
    measured = [line for line in lines if " limit " in line]
    over = sum(_OVER in line for line in measured)
    print(f"{len(measured) - over} of {len(measured)} within their limits, in {time.monotonic() - began:.0f} s")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
