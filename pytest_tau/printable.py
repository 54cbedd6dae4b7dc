"""Texts from models, tasks and files as terminals and logs may have them: what these would obey is shown instead."""

from __future__ import annotations

import re

# Control characters but tab and newline; marks of direction, and characters that take no place or end a line unseen.
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    r"\ud800-\udfff\U000e0000-\U000e007f]"
)
# What continuous integration takes for a command of its own: "::error::" at the start of a line, "##[error]" anywhere.
_COMMAND = re.compile(r"(?m)(^\s*:(?=:)|#(?=#(?:\[|vso\[|teamcity\[)))")

LONGEST_QUOTE = 200
# What a file says, in quotes: long, or on several lines. An apostrophe within a word ends no quotation.
_QUOTE = re.compile(rf"(?<!\w)'((?:[^'\n]|(?<=\w)'(?=\w)){{{LONGEST_QUOTE},}}|[^'\n]*\n[^']*)'(?!\w)")
_WORD = re.compile(r"\S{1001,}")


def printable(text: str) -> str:
    """Text with what terminals and CI logs obey shown instead: escapes, direction marks, commands."""
    text = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    return _COMMAND.sub(r"\1\\", text)


def cut_quotes(text: str) -> str:
    """A sentence whose quotations are on one line and have 200 characters at most; nor is any other word longer."""
    if len(text) <= LONGEST_QUOTE and "\n" not in text:
        return text
    text = _QUOTE.sub(lambda found: f"'{_cut_quote(found[1])}'", text)
    return _WORD.sub(lambda found: _cut_quote(found[0]), text)


def _cut_quote(text: str) -> str:
    return cut(" ".join(text[: 2 * LONGEST_QUOTE].splitlines()), LONGEST_QUOTE)


def cut(text: str, most: int, mark: str = "…") -> str:
    """The first ``most`` characters of a text, with a mark where it has more."""
    return text if len(text) <= most else text[:most] + mark


def one_line(text: str) -> str:
    """Printable text on one line, whatever was in it."""
    return printable(" ".join(text.splitlines()) if "\n" in text else text)


def count_of(number: int, what: str) -> str:
    """A number of things that are named in the plural: "2 tasks", "1 task"."""
    return f"{number} {what.removesuffix('s') if number == 1 else what}"


def columns_of(text: str) -> int:
    """How many columns of a terminal a printable text takes: two for a wide letter, none for what joins another."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(
        0 if category(letter) in ("Mn", "Me", "Cf") else 2 if east_asian_width(letter) in "WF" else 1 for letter in text
    )


def padding(text: str, width: int) -> str:
    """The spaces that fill a printable text up to so many columns of a terminal."""
    return " " * (width - columns_of(text))
