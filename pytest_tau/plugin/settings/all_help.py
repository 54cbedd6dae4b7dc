"""``--tau-help``: all options, as ``pytest -h`` shows those that one meets first."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from .options import topics


def all_help() -> str:
    """The help of every option, by topic, and how an ini twin is called."""
    parser = ArgumentParser(prog="pytest", usage="pytest [options]", add_help=False, description=_ABOUT)
    for topic, options in topics():
        group = parser.add_argument_group(f"tau: {topic}")
        for option in options:
            kind: dict[str, Any] = {"action": "store_true"} if option.switch else {"metavar": option.metavar}
            group.add_argument(option.flag, help=option.help.replace("%", "%%"), **kind)
    return parser.format_help()


_ABOUT = (
    "All options of pytest-tau. Each but --tau-bless and --tau-resume has an ini twin: tau_k = 4 stands for --tau-k 4. "
    "docs/pytest.md says more."
)
