"""A policy read as numbered rules: its sentences, list items and rows of tables, each with an id that stays.

A mark names what follows it, to the next mark or the end of the paragraph, item or row. What has no name is called by
its own words, so that an id does not change when other rules do. A name that stands twice is one rule, said twice.

    <!-- rule: cancel-whole --> Only as a whole. Single items cannot be taken out.
    <!-- unguarded: tells of the world and demands nothing -->

The second mark says why no task can guard what follows; on a line of its own a mark is about the whole next block.
Marks are for authors: an agent reads the policy without them (:func:`without_marks`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..errors import DomainError
from ..patterns import lazy

_MARK = lazy(r"<!--[ \t]*(rule|unguarded):[ \t]*(.+?)[ \t]*-->")
_NAME = lazy(r"[a-z0-9][a-z0-9-]*")
_ALONE = lazy(rf"^[ \t]*{_MARK.pattern}[ \t]*(?:\n|\Z)", re.MULTILINE)
_INLINE = lazy(rf"{_MARK.pattern} ?")
_LEAD = lazy(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+")
_SKIP = lazy(r"[ \t]*(?:</?\w+>|[-*_]{3,})?[ \t]*$")  # blank, a tag that wraps a section, a ruler
_DIVIDER = lazy(r"[ \t]*\|[-:| \t]+\|[ \t]*$")
_END = lazy(r"[.!?][*_\"”’)`]*\s+(?=[*_`\"“(\[]*[A-Z0-9])")
_ABBREVIATED = lazy(r"\b(?:Mr|Mrs|Ms|Dr|St|No|vs|etc|e\.g|i\.e|U\.S|a\.m|p\.m)\.$")


@dataclass(frozen=True)
class PolicyRule:
    """One rule.

    Attributes:
        id: its name, or one made of its words.
        number: its place among the rules, from 1.
        text: what it says, on one line.
        section: the heading that it stands under; "" before the first.
        spans: where it stands in the policy without marks.
        named: whether a mark names it.
        unguarded: why no task can guard it; None where tasks should.
    """

    id: str
    number: int
    text: str
    section: str
    spans: tuple[tuple[int, int], ...]
    named: bool = False
    unguarded: str | None = None


@dataclass(frozen=True)
class PolicyText:
    """A policy as an agent reads it, and its rules in their order."""

    text: str
    rules: tuple[PolicyRule, ...]

    @property
    def by_id(self) -> dict[str, PolicyRule]:
        """The rules by their ids."""
        return {rule.id: rule for rule in self.rules}

    def parts(self, rule: PolicyRule) -> list[str]:
        """The words of a rule as they stand in the policy, for each place where it stands."""
        return [self.text[start:end] for start, end in rule.spans]


@dataclass(frozen=True)
class _Mark:
    at: int
    kind: str
    said: str
    alone: bool


@dataclass(frozen=True)
class _Piece:
    """A stretch of text that one rule, or a part of one, stands in."""

    start: int
    end: int
    section: str
    name: str | None
    unguarded: str | None


def without_marks(text: str) -> str:
    """A policy as an agent reads it."""
    return _read_marks(text)[0] if "<!--" in text else text


def read_rules(text: str) -> PolicyText:
    """The rules of a policy, with or without marks.

    Raises:
        DomainError: a name is not made of small letters, digits and hyphens.
    """
    clean, marks = _read_marks(text)
    found: dict[str, list[_Piece]] = {}
    for piece in _pieces(clean, marks):
        found.setdefault(piece.name or _id_of(clean[piece.start : piece.end], found), []).append(piece)
    return PolicyText(
        clean,
        tuple(
            PolicyRule(
                id=id,
                number=number,
                text=" … ".join(" ".join(clean[one.start : one.end].split()) for one in pieces),
                section=pieces[0].section,
                spans=tuple((one.start, one.end) for one in pieces),
                named=pieces[0].name is not None,
                unguarded=next((one.unguarded for one in pieces if one.unguarded), None),
            )
            for number, (id, pieces) in enumerate(found.items(), 1)
        ),
    )


def _read_marks(text: str) -> tuple[str, list[_Mark]]:
    """The text without its marks, and each mark with its place in that text."""
    clean, marks, last, length = [], [], 0, 0
    while (found := _next_mark(text, last)) is not None:
        before, mark_end, alone, kind, said = found
        clean.append(text[last:before])
        length += before - last
        if kind == "rule" and not _NAME.fullmatch(said):
            raise DomainError(f"the mark <!-- rule: {said} -->: write a name in small letters, digits and hyphens")
        marks.append(_Mark(length, kind, said, alone))
        last = mark_end
    return "".join([*clean, text[last:]]), marks


def _next_mark(text: str, start: int) -> tuple[int, int, bool, str, str] | None:
    alone, inline = _ALONE.search(text, start), _INLINE.search(text, start)
    if inline is None:
        return None
    if alone is not None and alone.start() <= inline.start() and (alone.start() == 0 or alone.start() >= start):
        return alone.start(), alone.end(), True, alone[1], alone[2]
    return inline.start(), inline.end(), False, inline[1], inline[2]


def _pieces(text: str, marks: Sequence[_Mark]) -> Iterator[_Piece]:
    section, about, waiting = "", dict[str, str](), list(marks)
    after_blank = True
    for start, end, kind in _blocks(text):
        if kind == "blank":
            after_blank = True
            continue
        if after_blank:
            about = {}
        due = [mark for mark in waiting if mark.at <= start and mark.alone]
        if due:
            about = {mark.kind: mark.said for mark in due}
        here = [mark for mark in waiting if mark not in due and mark.at < end]
        waiting = [mark for mark in waiting if mark.at >= end and mark not in due]
        after_blank = False
        if kind == "heading":
            section, after_blank = text[start:end].lstrip("# \t").strip(), True
        else:
            yield from _in_block(text, start, end, section, about, here, whole=kind == "row")


def _in_block(
    text: str, start: int, end: int, section: str, about: dict[str, str], marks: Sequence[_Mark], *, whole: bool
) -> Iterator[_Piece]:
    """The rules in a paragraph, an item or a row: what marks name, and else sentence by sentence."""
    cuts = [start] if whole else sorted({start, *(mark.at for mark in marks if mark.at > start)})
    for begin, stop in zip(cuts, [*cuts[1:], end], strict=True):
        here = [mark for mark in marks if whole or mark.at == begin or mark.at <= start == begin]
        said = {**about, **{mark.kind: mark.said for mark in here}}
        name = said.get("rule")
        spans = [(begin, stop)] if name or whole else _sentences(text, begin, stop)
        for first, last in spans:
            words = text[first:last]
            first += len(words) - len(words.lstrip())
            last -= len(words) - len(words.rstrip())
            if re.search(r"\w", text[first:last]):
                yield _Piece(first, last, section, name, said.get("unguarded"))


def _blocks(text: str) -> Iterator[tuple[int, int, str]]:
    """The lines of a text put together into blocks: (start, end, kind), without the sign that begins an item."""
    at, open_block, fenced = 0, None, False
    lines = text.splitlines(keepends=True)
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        start, at = at, at + len(line)
        bare = line.rstrip()
        end = start + len(bare)
        if bare.lstrip().startswith("```"):
            fenced = not fenced
        kind = "text" if fenced else _kind_of(bare, following.rstrip())
        if kind == "more" or (fenced and open_block is not None):
            open_block = (open_block[0] if open_block else start, end)
            continue
        if open_block is not None:
            yield (*open_block, "text")
            open_block = None
        if kind == "text":
            lead = _LEAD.match(bare)
            open_block = (start + (lead.end() if lead else 0), end)
        elif kind != "skip":
            yield start, end, kind
    if open_block is not None:
        yield (*open_block, "text")


def _kind_of(line: str, following: str) -> str:
    if _SKIP.match(line):
        return "blank"
    if line.lstrip().startswith("#"):
        return "heading"
    if line.lstrip().startswith("|"):
        head = _DIVIDER.match(following) is not None
        return "skip" if head or _DIVIDER.match(line) else "row"
    return "text" if _LEAD.match(line) else "more"


def _sentences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    cuts = [start]
    for found in _END.finditer(text, start, end):
        quoted = text.count("`", start, found.start() + 1) % 2  # a sentence that is quoted ends none
        if not quoted and not _ABBREVIATED.search(text, start, found.start() + 1):
            cuts.append(found.end())
    return list(zip(cuts, [*cuts[1:], end], strict=True))


def _id_of(words: str, taken: dict[str, list[_Piece]]) -> str:
    """An id made of a rule's own words."""
    flat = " ".join(words.split())
    slug = "-".join(re.findall(r"[a-z0-9]+", flat.casefold())[:4])
    digest = hashlib.sha256(flat.encode()).hexdigest()[:4]
    id, number = f"{slug}-{digest}", 2
    while id in taken:
        id, number = f"{slug}-{digest}-{number}", number + 1
    return id
