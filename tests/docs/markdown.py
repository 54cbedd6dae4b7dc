"""Reads the pages that the tests hold to their word: files, console sessions, links, options."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

_FILE = re.compile(r"^`(?P<path>[\w./]+)`\n\n```\w+\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:|#)(?P<target>[^)#\s]+)(?:#[^)]*)?\)")
_GAP = "…"


@dataclass(frozen=True)
class Session:
    """A command and the output that a page shows for it; ``…`` stands for anything, also for no line at all."""

    command: str
    output: str

    def missing(self, actual: str) -> str | None:
        """The first line shown that the actual output does not have (in this order); blanks at line ends count not."""
        lines = iter(actual.splitlines())
        for shown in self.output.splitlines():
            pattern = ".*".join(re.escape(part) for part in shown.strip().split(_GAP))
            if not any(re.fullmatch(pattern, line.strip()) for line in lines):
                return shown
        return None


def files(page: Path) -> dict[str, str]:
    """The files a page gives in full: its path alone on a line, then a block."""
    return {found["path"]: found["body"] for found in _FILE.finditer(page.read_text(encoding="utf-8"))}


def sessions(page: Path) -> list[Session]:
    """The console blocks of a page: one command after ``$``, then its output."""
    bodies = blocks(page.read_text(encoding="utf-8"), "console")
    split = [body.removeprefix("$ ").partition("\n") for body in bodies if body.startswith("$ ")]
    return [Session(command, output) for command, _, output in split]


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks in one language."""
    return [found["body"] for found in _BLOCK.finditer(text) if found["language"] == language]


def links(page: Path) -> list[Path]:
    """The files of this project that a page links to."""
    return [(page.parent / found["target"]).resolve() for found in _LINK.finditer(page.read_text(encoding="utf-8"))]


def table(page: Path, first_head: str) -> list[list[str]]:
    """The rows of the table whose first column has that heading, cell by cell."""
    lines = iter(page.read_text(encoding="utf-8").splitlines())
    for line in lines:
        if line.startswith(f"| {first_head} |"):
            break
    next(lines)
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))])
    return rows
