"""The difference between two trajectories as a reviewer would tell it: what was added, removed, moved or changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff

from ..printable import printable

LIMIT = 200  # lines of the difference


@dataclass(frozen=True)
class _Block:
    """A head line and the indented lines under it; ``number`` counts from 1."""

    number: int
    head: str
    body: tuple[str, ...]

    @property
    def text(self) -> tuple[str, ...]:
        return (self.head, *self.body)


@dataclass(frozen=True)
class Review:
    """``summary`` is one line; ``lines`` say it block by block, then line by line."""

    summary: str
    lines: list[str]


def review(before: str, after: str) -> Review:
    """Tell two texts of :func:`~pytest_tau.reports.trajectory_text.trajectory_text` apart.

    Args:
        before: the text in the snapshot, which people may have edited.
        after: the text of this trial.
    """
    said = list(_difference_lines(_blocks(before), _blocks(after)))
    counts = Counter(line.partition(":")[0] for line in said)
    lines = list(unified_diff(_lines(before), _lines(after), "snapshot", "this trial", n=3, lineterm=""))
    if len(lines) > LIMIT:
        lines[LIMIT:] = [f"… ({len(lines) - LIMIT} more lines)"]
    summary = ", ".join(f"{number} {what}" for what, number in counts.items()) or "in blanks only"
    return Review(summary, [printable(line) for line in (*said, *lines)])


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")  # splitlines() would break lines where no editor does


def _blocks(text: str) -> list[_Block]:
    found: list[list[str]] = []
    for line in _lines(text):
        if found and (line[:1].isspace() or not line):
            found[-1] += [line] if line else []
        elif line and not line.startswith("("):  # such as "(no calls)"
            found.append([line])
    return [_Block(number, lines[0], tuple(lines[1:])) for number, lines in enumerate(found, 1)]


def _difference_lines(before: Sequence[_Block], after: Sequence[_Block]) -> Iterator[str]:
    """A line for each block that is not where and as it was, in the order of the trial."""
    gone, new = _unmatched_blocks(before, after)
    moved, changed = _pairs(gone, new, _same), _pairs(gone, new, _alike)
    told = [(now.number, f"moved: {now.head} (from {was.number} to {now.number})") for was, now in moved]
    told += [(now.number, f"changed: {now.head} ({_where(was, now)})") for was, now in changed]
    told += [(now.number, f"added: {now.head} (at {now.number})") for now in new]
    told += [(was.number, f"removed: {was.head} (was at {was.number})") for was in gone]
    return (line for _, line in sorted(told, key=lambda one: one[0]))


def _pairs(gone: list[_Block], new: list[_Block], fit: Callable[[_Block, _Block], bool]) -> list[tuple[_Block, _Block]]:
    """Blocks of both sides that fit, taken out of them."""
    pairs = []
    for now in list(new):
        if (was := next((was for was in gone if fit(was, now)), None)) is not None:
            gone.remove(was)
            new.remove(now)
            pairs.append((was, now))
    return pairs


def _same(old: _Block, new: _Block) -> bool:
    return old.text == new.text


def _unmatched_blocks(before: Sequence[_Block], after: Sequence[_Block]) -> tuple[list[_Block], list[_Block]]:
    matcher = SequenceMatcher(None, [block.text for block in before], [block.text for block in after], autojunk=False)
    gone: list[_Block] = []
    new: list[_Block] = []
    for what, a, b, c, d in matcher.get_opcodes():
        if what != "equal":
            gone += before[a:b]
            new += after[c:d]
    return gone, new


def _alike(old: _Block, new: _Block) -> bool:
    return _subject(old) == _subject(new)


def _subject(block: _Block) -> str:
    return block.head.removesuffix(" -> error")


def _where(old: _Block, new: _Block) -> str:
    """Which lines of a block differ, by their names; prose has none."""
    if old.body == new.body:
        return f"at {new.number}: was {old.head}"
    if new.head.endswith(" says"):
        return f"at {new.number}"
    names = dict.fromkeys(line.strip().partition(":")[0] for line in (*new.body, *old.body) if _once(line, old, new))
    return f"at {new.number}: {', '.join(names)}"


def _once(line: str, old: _Block, new: _Block) -> bool:
    return (line in old.body) != (line in new.body)
