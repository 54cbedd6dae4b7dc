"""``pytest-tau demo``: a red gate and its report in a few seconds, without a key, a network or a model.

Two versions of a scripted agent play a dozen tasks of the built-in shop, each as a run of pytest like any other. The
second has one weakness, and the gate finds it. The folder that is made holds what the runs wrote, and the commands that
are printed work in it.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import webbrowser
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from ..errors import TauError, reason

if TYPE_CHECKING:
    from ..schema.messages import AnyMessage
    from ..schema.record import TrialRecord

HELP = "see a red gate and its report in seconds: no key, no network, no model"

_RUN = ["--tau-domain=retail", "--tau-tasks=12", "--tau-k=4", "--tau-baseline=baseline.json"]
_BEFORE = [*_RUN, "--tau-agent=oracle", "--tau-bless"]
_AFTER = [*_RUN, "--tau-agent=faulty:kind=unasked,rate=0.4", "--tau-gate=no regression", "--tau-html=report.html"]
_INI = "; Written by pytest-tau demo, so that pytest takes this folder for its root.\n[pytest]\n"
# What would make these runs others than those that are printed.
_FOREIGN = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "GITHUB_STEP_SUMMARY", "PYTEST_XDIST_WORKER")
_SHOWN = 5
_WIDTH = 110

_ABOUT = """\
A shop's customer service agent, yesterday's version and today's: 12 customers, 4 conversations with each.
Both are scripted and know the answers, so this needs no model. Today's has one weakness, built in for this demo: in
four of ten conversations it does not ask the customer before it changes an order. The shop's policy says that it must.
"""
_READ = """
That is a red build (exit status 1): fewer conversations succeed than yesterday, by more than chance explains. pass^1
is how often a conversation succeeds, and pass^4 how often all four with the same customer do.
"""
_OWN = """\
The same with your own agent, an object with reply(messages) (README, "Your agent"):

  pytest --tau-domain retail --tau-agent my_module:MyAgent --tau-k 4
  pytest --tau-domain retail --tau-agent my_module:MyAgent --tau-k 4 --tau-baseline baseline.json --tau-bless
  pytest --tau-domain retail --tau-agent my_module:MyAgent --tau-k 4 --tau-baseline baseline.json \\
         --tau-gate "no regression" --tau-html report.html

The first plays it, the second makes the result the baseline, and the third is for every later version.
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path("tau-demo"), help="where to write it (default: tau-demo)"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open the report")


def run(arguments: argparse.Namespace) -> int:
    """Show it; returns 0. Raises TauError where a run does not end as a demo must."""
    folder = arguments.folder.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ini = folder / "pytest.ini"
        if any(folder.iterdir()) and not (ini.is_file() and ini.read_text(encoding="utf-8", errors="replace") == _INI):
            raise TauError(f"{folder} is not empty, and no demo's folder; name another one: pytest-tau demo FOLDER")
        ini.write_text(_INI, encoding="utf-8")
    except OSError as error:
        raise TauError(f"{folder}: {reason(error)}; name another folder: pytest-tau demo FOLDER") from None
    _say(_ABOUT)
    _say("Yesterday's version becomes the baseline:")
    _say(f"  {_command_line(_BEFORE)}")
    passed = _summary(_pytest(folder, _BEFORE, expected=0))
    _say(f"  {passed}\n")
    _say("Today's version, held against it:")
    _say(f"  {_command_line(_AFTER)}")
    lines = _pytest(folder, _AFTER, expected=1)
    for line in lines:
        if line.startswith("|"):
            _say(f"  {line}")
    _say("")
    for line in lines:
        if line.startswith("gate "):
            _say(fill(line, _WIDTH, initial_indent="  ", subsequent_indent="    "), red=True)
    report = folder / "report.html"
    if not report.is_file() or not any("FAILED: worse:" in line for line in lines):
        raise TauError(f"the demo's second run came to no verdict: {_end_of(lines)}")
    _say(_READ)
    _quote(folder)
    opened = not arguments.no_browser and _open(report)
    _say(f"\nThe report{', opened in your browser' if opened else ''}: {report}\n")
    _say(_OWN)
    return 0


def _command_line(options: list[str]) -> str:
    return shlex.join(["pytest", *options])


def _pytest(folder: Path, options: list[str], *, expected: int) -> list[str]:
    """Run pytest in the folder, with this plugin alone; returns what it printed."""
    environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONIOENCODING": "utf-8", "COLUMNS": "120"}
    own = ["-p", "pytest_tau.plugin", "-p", "no:cacheprovider", "-q", "--color=no"]
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "pytest", *own, *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != expected:
        raise TauError(f"the demo's run ended with {done.returncode}: {(done.stderr or done.stdout)[-500:].strip()}")
    return done.stdout.splitlines()


def _end_of(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())[-500:]


def _summary(lines: list[str]) -> str:
    """pytest's last line: how many passed, in which time."""
    return next((line for line in reversed(lines) if line.strip()), "")


def _quote(folder: Path) -> None:
    """Print one missed trial around the turn that it was lost in."""
    from ..journal import load_journal

    missed = [record for record in load_journal(folder / ".tau") if record.outcome == "missed" and record.fault]
    clear = [record for record in missed if record.fault is not None and record.fault.turn is not None]
    if not clear:
        return
    record = min(clear, key=lambda one: len(one.simulation.messages) if one.simulation else 0)
    messages = record.simulation.messages if record.simulation is not None else []
    turn = record.fault.turn if record.fault is not None and record.fault.turn is not None else 0
    why = next((text for text in _reasons(record) if text), "")
    _say(f"One of the {len(missed)} that missed: {record.domain}/{record.task_id}, conversation {record.trial}.\n")
    before = [at for at in range(turn) if messages[at].role != "tool"]
    for at in (*before[-_SHOWN:], *([turn] if turn < len(messages) else ())):
        for line in _lines(messages[at]):
            _say(f"{'>' if at == turn else ' '} {at:3} {line}", red=at == turn)
    _say(f"      here it went wrong: {why}")


def _reasons(record: TrialRecord) -> list[str]:
    results = record.reward.results if record.reward is not None else []
    return [check.explanation or "" for result in results for check in result.checks if check.met is False]


def _lines(message: AnyMessage) -> list[str]:
    from ..schema.calls import render_call

    who = {"assistant": "agent", "user": "customer", "tool": "tool"}[message.role]
    said = [f"{who}: {_short(message.content)}"] if message.content else []
    calls = getattr(message, "tool_calls", None) or []
    return [*said, *(f"{who} calls {_short(render_call(call.name, call.arguments))}" for call in calls)]


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _WIDTH else f"{flat[: _WIDTH - 2]} …"


def _open(report: Path) -> bool:
    """Open the report where there is a browser with a window; returns whether there is."""
    windows = sys.platform in ("darwin", "win32") or any(os.environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY"))
    if os.environ.get("CI") or not (windows or os.environ.get("BROWSER")):
        return False
    try:
        return webbrowser.open(report.as_uri())
    except (webbrowser.Error, OSError):
        return False


def _say(text: str, *, red: bool = False) -> None:
    from ..printable import printable

    shown = printable(text)
    coloured = red and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    print(f"\033[31m{shown}\033[0m" if coloured else shown, flush=True)  # noqa: T201
