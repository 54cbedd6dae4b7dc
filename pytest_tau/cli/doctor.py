"""``pytest-tau doctor``: looks a run's models over in a minute, before hours and dollars are spent on the run.

It takes the options of a run and hands them to pytest, which knows the ini file, the conftest.py and the suite.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
from typing import Any

from .arguments import say, whole

HELP = "are the models of a run set up as it needs them, and what will the run take? (with the options of a run)"
_MARK = "tau doctor: "
_WIDTH = 100
_SHOWN = {"ok": "ok     ", "warning": "warning", "failed": "FAILED "}
_INSIDE = "pytest_tau.plugin.doctoring"
_SILENT = 20.0  # seconds


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_argument(
        "--trials", type=whole, default=2, help="play so many trials for the forecast (default: 2; 0: guess)"
    )
    parser.set_defaults(others=[])  # what else is given goes to pytest


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns 0 where nothing failed, 1 where something did, 2 where the models could not be looked over."""
    from ..doctor.examination import report
    from ..doctor.findings import DoctorFinding, worst

    command = [sys.executable, "-m", "pytest", *arguments.others, "-p", _INSIDE, "--collect-only", "-q", "-s"]
    found: list[DoctorFinding] = []
    other: list[str] = []
    error, over = "", False
    heard = SignOfLife()
    with heard, subprocess.Popen(  # noqa: S603 (the caller's own options)
        [*command, f"--doctor-trials={max(0, arguments.trials)}"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace",
    ) as child:  # fmt: skip
        for line in child.stdout or ():
            heard.news()
            if not line.startswith(_MARK):
                other.append(line)
                continue
            data = json.loads(line.removeprefix(_MARK))
            if "doing" in data:
                heard.doing = data["doing"]
                continue
            if "over" in data:
                over = True
                continue
            if "error" in data:
                error = data["error"]
                continue
            finding = DoctorFinding(**data)
            if not arguments.json:
                _show(finding, found)
                sys.stdout.flush()  # in a pipe as well
            found.append(finding)
    if not over:  # also where something was found before that
        print(f"pytest-tau doctor: {error}" if error else _tail(other), file=sys.stderr)  # noqa: T201
        return 2
    if arguments.json:
        print(json.dumps({"status": worst(found), "findings": [one.data for one in found]}, indent=1))  # noqa: T201
    else:
        say(f"\n{report(found)}")
    return 1 if worst(found) == "failed" else 0


class SignOfLife:
    """Says on stderr what the doctor is at, where nothing has been heard of it for long; a context manager."""

    def __init__(self) -> None:
        self._news, self._over = threading.Event(), False
        self._seconds = 0.0
        self.doing = "the start of pytest"
        self._thread = threading.Thread(target=self._watch, name="tau-doctor", daemon=True)

    def news(self) -> None:
        """Something was heard."""
        self._seconds = 0.0
        self._news.set()

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *unused: object) -> None:
        self._over = True
        self._news.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over:
            if self._news.wait(_SILENT):
                self._news.clear()
                continue
            self._seconds += _SILENT
            at = f"pytest-tau doctor: still at {self.doing}"
            sys.stderr.write(f"{at}, and nothing new for {self._seconds:.0f} s\n")
            sys.stderr.flush()


def _show(finding: Any, before: list[Any]) -> None:
    if not before or before[-1].side != finding.side:
        say(f"\n{finding.side}")
    first, *more = _wrap(finding.text)
    say(f"  {_SHOWN[finding.status]}  {finding.check:<15} {first}")
    for line in more:
        say(f"{'':<27}{line}")
    for line in _wrap(f"-> {finding.advice}") if finding.advice else ():
        say(f"{'':<27}{line}")


def _wrap(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, _WIDTH - 27, break_long_words=False) or [""]


def _tail(lines: list[str]) -> str:
    """What pytest said last, where it came to no finding."""
    return "".join(lines[-20:]).rstrip() or "pytest said nothing; give the options of a run"
