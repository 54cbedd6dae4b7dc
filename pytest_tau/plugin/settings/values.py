"""From the text of an option to its value: each function raises ArgumentTypeError with what the text must be."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any


def parse(kind: str, text: str) -> Any:
    """The value of a text. Its kind is the name of a function below and what else that takes: ``whole 1 99``."""
    name, *others = kind.split()
    return _KINDS[name](text, *others)


def names(text: str) -> tuple[str, ...]:
    """What stands between commas, or on lines of their own, as in an ini file."""
    found = tuple(part.strip() for line in text.splitlines() for part in line.split(",") if part.strip())
    if not found:
        raise argparse.ArgumentTypeError("must name at least one")
    return found


def tasks(text: str) -> tuple[str, ...]:
    """Ids and globs between commas, or how many tasks."""
    found = names(text)
    if len(found) == 1 and found[0].isdecimal() and not (len(found[0]) < 10 and int(found[0])):
        raise argparse.ArgumentTypeError(f"a number says how many tasks, from 1 up; the id {found[0]} is id:{found[0]}")
    return found


def whole(text: str, low: str, high: str = "inf") -> int:
    """A whole number, from ``low`` to ``high`` or up."""
    return int(_number(int, "a whole number", text, float(low), float(high)))


def whole_or_off(text: str, low: str) -> int:
    """A whole number from ``low`` up; 0 for "off"."""
    return 0 if text.strip() == "off" else whole(text, low)


def decimal(text: str, low: str, high: str = "inf") -> float:
    """A number, from ``low`` to ``high`` or up."""
    return float(_number(float, "a number", text, float(low), float(high)))


def _number(kind: Callable[[str], float], what: str, text: str, low: float, high: float) -> float:
    try:
        value = kind(text)
    except ValueError:
        value = float("nan")
    if not low <= value <= high or value == float("inf"):  # of which the first is False for nan
        upto = " up" if high == float("inf") else f" to {high:g}"
        raise argparse.ArgumentTypeError(f"must be {what} from {low:g}{upto}, not '{text}'")
    return value


def rate(text: str) -> int | str:
    """A number a minute; "500 shared" stands as it is, in one spelling."""
    what, *others = text.split() or [""]
    try:
        asked = whole(what, "1")
    except argparse.ArgumentTypeError:
        others = ["?"]
    if others not in ([], ["shared"]):
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 up, or such as '500 shared', not '{text}'")
    return f"{asked} shared" if others else asked


def one_of(text: str, *words: str) -> str:
    """One of these words."""
    if text not in words:
        raise argparse.ArgumentTypeError(f"must be one of {', '.join(words)}, not '{text}'")
    return text


def switch(text: str) -> bool:
    """On or off."""
    return one_of(text, "on", "off") == "on"


def shard(text: str) -> tuple[int, int]:
    """Which part of how many."""
    part, _, parts = text.partition("/")
    sound = part.isdecimal() and parts.isdecimal() and len(text) < 100  # int() refuses what has thousands of digits
    if not (sound and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError(f"must be a part of a number of parts, as 2/5, not '{text}'")
    return int(part), int(parts)


def text(given: str) -> str:
    """Any text but an empty one."""
    if not given.strip():
        raise argparse.ArgumentTypeError("must not be empty")
    return given


def path(given: str) -> str:
    """A file or folder, there or not; no system has one with such names as are refused here."""
    if len(given) > 2000 or any(len(part.encode(errors="replace")) > 255 for part in given.split("/")):
        raise argparse.ArgumentTypeError(f"must be a file or folder, and this name is too long: '{given[:50]}…'")
    if "\0" in given:
        raise argparse.ArgumentTypeError("must be a file or folder, and no name holds a null character")
    return text(given)


def json_object(text: str) -> str:
    """The text of a JSON object, as files and requests can hold it: Python also reads NaN."""
    from ...files import loads

    try:
        value = loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        # The text may have a key in it.
        raise argparse.ArgumentTypeError("must be a JSON object, such as '{\"temperature\": 0}'")
    return text


def budget(text: str) -> str:
    """An amount of USD or of tokens, as it was written."""
    # int() refuses what has thousands of digits.
    if not re.fullmatch(r"\$?[0-9]{1,15}(\.[0-9]+)?|[0-9]{1,15} ?tokens", text.strip()) or not re.search("[1-9]", text):
        raise argparse.ArgumentTypeError(
            f"must be more than 0: USD such as 5 or $5, or tokens such as '200000 tokens', not '{text}'"
        )
    return text.strip()


def lines(given: str) -> tuple[str, ...]:
    """The lines of a text that are not empty."""
    return tuple(line.strip() for line in text(given).splitlines() if line.strip())


# Those of schema.task, which is too heavy to be imported here.
CRITERIA = ("DB", "ENV_ASSERTION", "NL_ASSERTION", "ACTION", "COMMUNICATE", "TRAJECTORY")


def criteria(text: str) -> str:
    """The names in one order, as they stand in manifests and headers."""
    chosen = names(text.upper())
    for name in chosen:
        if name not in CRITERIA:
            raise argparse.ArgumentTypeError(f"must be of {', '.join(CRITERIA)}, not '{name}'")
    return ", ".join(name for name in CRITERIA if name in chosen)


EXPORTS = ("tau2", "leaderboard", "sft", "preferences", "stats", "csv", "parquet", "latex", "svg", "png")


def exports(text: str) -> tuple[tuple[str, str], ...]:
    """(kind, file) of each line; a file alone is a τ² results file."""
    found = []
    for line in lines(text):
        kind, colon, file = line.partition(":")
        if not colon or len(kind) == 1:  # a drive's letter
            kind, file = "tau2", line
        if kind not in EXPORTS or not file.strip():
            shapes = ", ".join(f"{name}:FILE" for name in EXPORTS)
            raise argparse.ArgumentTypeError(f"must be FILE or one of {shapes}, not '{line}'")
        found.append((kind, path(file.strip())))
    return tuple(found)


_KINDS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        *(names, tasks, whole, whole_or_off, decimal, rate, one_of, switch, shard, text, path),
        *(json_object, budget, lines, criteria, exports),
    )
}
