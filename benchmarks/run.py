"""Runs benchmarks, each in a process of its own and prints a line for each number: measured, limit, share of the limit.

python benchmarks/run.py [--tau-data DIR] [NAME ...]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = (
    "idle",
    "start_up",
    "collecting",
    "environments",
    "documents",
    "simulating",
    "episodes",
    "datasets",
    "controller_memory",
    "memory",
    "look_ahead",
    "limits",
    "model_calls",
    "prefixes",
    "many_at_once",
    "isolation",
    "kill",
    "regression_gate",
    "user_audit",
    "trust",
    "consent",
    "judge_coverage",
)
LONG = ("rpm", "bad_day", "intervals", "planning", "stopping", "peeking", "sql_world", "long_episodes", "training")
USING_DATA = ("environments", "prefixes", "documents", "simulating", "user_audit", "trust", "consent", "long_episodes")


def main() -> int:
    """Run those named, or the quick ones; the exit status says whether they ran, not whether they were fast."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"of {', '.join(NAMES)}, which are the default, and {', '.join(LONG)}, which take minutes",
    )
    parser.add_argument("--tau-data", type=Path, help="root of the public data (default: what PYTEST_TAU_SHARED holds)")
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - {*NAMES, *LONG}:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}: use {', '.join((*NAMES, *LONG))}")
    broken = 0
    for name in chosen.names or NAMES:
        data = ["--tau-data", str(chosen.tau_data.resolve())] if chosen.tau_data and name in USING_DATA else []
        broken += (
            subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *data], cwd=ROOT, check=False).returncode != 0
        )
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
