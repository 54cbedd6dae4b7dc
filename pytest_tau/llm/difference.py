"""What differs between a request and the recorded one, as a difference of texts that a person can read."""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..printable import cut
from .tape import Request

_LINES = 40
_WIDTH = 200
_SENTENCES = re.compile(r"(?<=[^\d\s][.!?]) +")


def nearest(request: Request, recorded: Sequence[Request], expand: Callable[[str], str]) -> Request:
    """The recorded request that has most lines in common with this one, the first of equals."""
    lines = Counter(render_lines(request, expand))

    def likeness(other: Request) -> float:
        theirs = Counter(render_lines(other, expand))
        return 2 * (lines & theirs).total() / (lines.total() + theirs.total())

    return max(recorded, key=likeness)


def difference(recorded: Request, request: Request, expand: Callable[[str], str]) -> str:
    """A unified difference of two requests, cut after ``_LINES`` lines; ``expand`` puts in what stands elsewhere."""
    before, after = render_lines(recorded, expand), render_lines(request, expand)
    lines = [_printable_line(line) for line in difflib.unified_diff(before, after, "recorded", "now", n=2, lineterm="")]
    if len(lines) > _LINES:
        lines = [*lines[:_LINES], f"… and {len(lines) - _LINES} lines more"]
    return "\n".join(lines)


def render_lines(request: Request, expand: Callable[[str], str]) -> list[str]:
    """A request as lines: what was asked with, then message by message; a sentence a line."""
    lines = []
    for name, value in request.options.items():
        entries = value.items() if isinstance(value, Mapping) else [(name, value)]
        for key, entry in entries:
            lines += _labelled_lines(str(key), entry, expand)
    for message in request.messages:
        fields = message if isinstance(message, Mapping) else {"message": message}
        lines.append(f"[{fields.get('role', '')}]")
        lines += _of_text(expand(fields["content"])) if isinstance(fields.get("content"), str) else []
        for key, entry in fields.items():
            if key != "role" and not (key == "content" and (entry is None or isinstance(entry, str))):
                lines += _labelled_lines(str(key), entry, expand)
    return lines


def _labelled_lines(key: str, value: Any, expand: Callable[[str], str]) -> list[str]:
    text = expand(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    first, *more = text.splitlines() or [""]
    return [f"{key}: {first}", *(f"  {line}" for line in more)]


def _of_text(text: str) -> list[str]:
    """A text as lines: JSON (what most tools return) entry by entry, anything else sentence by sentence."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.dumps(json.loads(text), ensure_ascii=False, indent=1).splitlines()
        except (ValueError, RecursionError):
            pass
    return [sentence for line in text.splitlines() for sentence in _SENTENCES.split(line)]


def _printable_line(line: str) -> str:
    """A line that does no harm to a terminal, and fits on it."""
    line = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in line)
    return cut(line, _WIDTH)
