"""What the agent tells of the policy's groups: "you are a gold member", and of its tables: "that is 2 free bags".

A table has a number for each of a few groups and kinds. It is written as one, or as a list of lists: "If the user is a
gold member:", below it "3 free checked bags for each economy passenger".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ....patterns import lazy
from ....schema.messages import AnyMessage
from ....schema.transcript import records_in
from ..text import own_words, plain, sentences
from .records import UntrueSentence, telling

_IS_ONE = re.compile(r"\b(?:you(?:'re| are)|as) an? (?P<group>[a-z]+) (?P<of>[a-z]{5,})\b")
_ITEM = re.compile(r"^(\s*)[-*•]\s+(.*\S)\s*$")
_ROW = re.compile(r"^\s*\|(.*)\|\s*$")
_COMMENT = re.compile(r"<!--.*?-->")
_COUNTED = re.compile(r"^(\d{1,3}) (.+)$")
_FOR_EACH = re.compile(r"\b(?:for each|per|for every)\b")
_WORD = re.compile(r"[a-z]+")
_NUMBERS = {"no": 0, "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_ONE_BY_ONE = lazy(r"\b(?:per|each|every)\b(?! (?:flight|leg|segment|way))")
_DUE = lazy(r"\b(?:entitled|allow\w*|eligible|gets?|receives?|member\w*|status|tier|per|each)\b")
_REST_PAID = lazy(r"\b(?:paid|pay|charge[ds]?|extra|additional|fees?)\b")
_LEFT_OVER = lazy(r"\b(?:left|leaves?|remain\w*|still|un?used)\b")
_OF_OTHERS = lazy(
    r"'d\b|\b(?:friend|wife|husband|partner|spouse|companion|son|daughter|mother|father|colleague|s?he|they|their|his|her)\b",
    re.IGNORECASE,
)
_MOST = 6
"""So many people may share what a sentence counts."""


class _Table(NamedTuple):
    """Of what how many, by group and kind: ("gold", "basic economy") has 2 free checked bags."""

    unit: tuple[str, ...]
    cells: Mapping[tuple[str, str], int]
    groups: frozenset[str]
    kinds: frozenset[str]
    said: re.Pattern[str]


def told_of_allowances(messages: Sequence[AnyMessage], policy: str) -> Iterator[UntrueSentence]:
    """The sentences that name another number than the policy's table has for that group and kind."""
    tables = _tables_in(policy)
    for turn, message in enumerate(messages) if tables else ():
        if message.role == "assistant" and (text := message.text) and not message.tool_calls:
            for table in tables:
                for sentence, found in _counted(text, table.unit[-1], table.said):
                    if (why := _otherwise(sentence.casefold(), found, text, table, messages[:turn])) is not None:
                        yield UntrueSentence(turn, sentence, why)


def told_of_groups(messages: Sequence[AnyMessage], policy: str) -> Iterator[UntrueSentence]:
    """The sentences that say the customer is in one of the policy's groups, while their record has another one."""
    for turn, message in enumerate(messages):
        if message.role == "assistant" and (text := message.text) and not message.tool_calls:
            for sentence, group, of in _groups_in(text):
                if _is_group(group, of, policy):
                    records = _records_before(messages[:turn])
                    found = (value for one in records for key, value in one.items() if key.startswith(of))
                    shown = {value.casefold() for value in found if isinstance(value, str)}
                    other = shown.pop() if len(shown) == 1 else group
                    if other != group and _is_group(other, of, policy):
                        yield UntrueSentence(turn, sentence, f"the record shows {other!r}")


def _is_group(name: str, of: str, policy: str) -> bool:
    """Whether a policy has a group of such a name, in a table or beside the word for those in it."""
    return f"{name} {of}" in policy.casefold() or any(name in table.groups for table in _tables_in(policy))


@lru_cache(maxsize=4096)
def _groups_in(text: str) -> tuple[tuple[str, str, str], ...]:
    """The sentences of a message that say what the customer is: "gold", of "member"."""
    said = plain(text).casefold()
    if " are a" not in said and "'re a" not in said and "as a" not in said:
        return ()
    parts = ((one, _IS_ONE.search(one.casefold())) for one in sentences(own_words(text)) if "?" not in one)
    return tuple(
        (one, found["group"], found["of"])
        for one, found in parts
        if found and telling(one if found[0].startswith("as") else one[: found.end()]) and not _OF_OTHERS.search(one)
    )


@lru_cache(maxsize=4096)
def _counted(text: str, noun: str, words: re.Pattern[str]) -> tuple[tuple[str, re.Match[str]], ...]:
    """The sentences that count what a table does, with the words that do."""
    if noun not in text.casefold():
        return ()
    said = [(one, words.search(one.casefold())) for one in telling(text) if noun in one.casefold()]
    return tuple((one, found) for one, found in said if found)


def _otherwise(said: str, found: re.Match[str], text: str, table: _Table, before: Sequence[AnyMessage]) -> str | None:
    """Why a sentence is not what a table has."""
    whole = plain(text).casefold()
    if len(_named(table.groups, said)) > 1 or _LEFT_OVER.search(said):
        return None
    named, shown = _only(table.groups, said) or _only(table.groups, whole), _shown_group(table, before)
    if (named and shown and named != shown) or not (group := named or shown):
        return None
    kind = _only(table.kinds, said) or _only(table.kinds, whole)
    cells = [number for (one, of), number in table.cells.items() if one == group and kind in ("", of)]
    number = int(found["n"]) if found["n"].isdigit() else _NUMBERS[found["n"]]
    times = 1 if _ONE_BY_ONE.search(said) and "total" not in said else _MOST
    if any(number == cell * each for cell in cells for each in range(1, times + 1)):
        return None
    if number <= max(cells) * times and not (_DUE if found["direct"] else _REST_PAID).search(said):
        return None  # so many of them may be had, and the sentence does not say that this is all
    return f"the policy says {' or '.join(map(str, cells))} for {', '.join(filter(None, (group, kind)))}"


def _only(names: frozenset[str], text: str) -> str:
    """The one of some names that stands in a text, "" for none and for several."""
    found = _named(names, text)
    return found.pop() if len(found) == 1 else ""


def _named(names: frozenset[str], text: str) -> set[str]:
    """The names that stand in a text; "basic economy" is no "economy"."""
    found = set[str]()
    for name in sorted(names, key=len, reverse=True):
        words = re.compile(rf"\b{re.escape(name).replace(chr(92) + ' ', '[ _]')}\b")
        if words.search(text):
            found.add(name)
            text = words.sub(" ", text)
    return found


def _shown_group(table: _Table, messages: Sequence[AnyMessage]) -> str:
    """The group that is a value in the records seen; "" where none is, or several are."""
    records = _records_before(messages)
    found = table.groups.intersection(one for record in records for one in record.values() if isinstance(one, str))
    return next(iter(found)) if len(found) == 1 else ""


def _records_before(messages: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    """The records that results have shown."""
    results = [one.content or "" for one in messages if one.role == "tool" and one.requestor == "assistant"]
    return [record for one in results for record in records_in(one)]


# --- reading a policy ----------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _tables_in(policy: str) -> tuple[_Table, ...]:
    """The tables of a policy that count something."""
    lines = plain(policy).split("\n")
    return (*_lists_of_lists(lines), *_written_as_tables(lines))


def _lists_of_lists(lines: Sequence[str]) -> Iterator[_Table]:
    """Those whose groups are items that end with a colon, and whose numbers stand in the items below them."""
    block, depth = list[tuple[str, list[str]]](), -1
    for line in (*lines, ""):
        item = _ITEM.match(line)
        if block and item and len(item[1]) > depth and _COUNTED.match(item[2]):
            block[-1][1].append(item[2].casefold())
        elif item and item[2].endswith(":") and (depth in (-1, len(item[1]))):
            depth = len(item[1])
            block.append((item[2].casefold(), []))
        else:
            yield from _read_lists(block)
            block, depth = [], -1


def _read_lists(block: Sequence[tuple[str, Sequence[str]]]) -> Iterator[_Table]:
    """A list of lists as a table; nothing if its parts are not alike."""
    if len(block) < 2 or len(block[0][1]) < 2 or len({len(below) for _, below in block}) != 1:
        return
    groups = _apart([above for above, _ in block])
    counted = [[(int(one[1]), one[2]) for text in below if (one := _COUNTED.match(text))] for _, below in block]
    kinds = [_kinds([text for _, text in one]) for one in counted]
    if all(groups) and all(kinds[0]) and all(one == kinds[0] for one in kinds):
        yield from _table(
            counted[0][0][1],
            {
                (group, kind): number
                for group, below in zip(groups, counted, strict=True)
                for kind, (number, _) in zip(kinds[0], below, strict=True)
            },
        )


def _written_as_tables(lines: Sequence[str]) -> Iterator[_Table]:
    """Those with a head, a first column, and only numbers besides; what they count stands above."""
    above, rows = "", list[list[str]]()
    for line in (*lines, ""):
        if row := _ROW.match(_COMMENT.sub("", line)):
            rows.append([cell.strip().casefold() for cell in row[1].split("|")])
            continue
        body = [row for row in rows[1:] if set("".join(row)) - set("-: ")]
        if len(body) > 1 and all(
            len(row) == len(rows[0]) > 2 and all(cell.isdecimal() and len(cell) < 4 for cell in row[1:]) for row in body
        ):
            yield from _table(
                _COMMENT.sub("", above).casefold(),
                {(row[0], kind): int(cell) for row in body for kind, cell in zip(rows[0][1:], row[1:], strict=True)},
            )
        rows, above = [], line if line.strip() else above


def _table(counts: str, cells: Mapping[tuple[str, str], int]) -> Iterator[_Table]:
    """A table of what a text counts, in the words before "for each"; nothing if that is no noun with a word before."""
    unit = tuple(_stems(_FOR_EACH.split(counts, maxsplit=1)[0]))
    if 2 <= len(unit) <= 3:
        between = r"(?: (?!more\b|extra\b|additional\b)[a-z]+){0,2}?"
        said = rf"(?<![\w.$–-])(?P<n>\d{{1,3}}|{'|'.join(_NUMBERS)})(?:(?P<direct> )|{between} ){unit[0]}\b"
        groups, kinds = frozenset(group for group, _ in cells), frozenset(kind for _, kind in cells)
        yield _Table(unit, cells, groups, kinds, re.compile(said))


def _apart(texts: Sequence[str]) -> list[str]:
    """What tells texts apart: of each the words that not all of them have."""
    words = [_stems(one) for one in texts]
    shared = set[str].intersection(*map(set, words))
    return [" ".join(word for word in one if word not in shared) for one in words]


def _kinds(texts: Sequence[str]) -> list[str]:
    """What each text counts for, after "for each", without the last word if all have that: "basic economy"."""
    words = [_stems(([*_FOR_EACH.split(one, maxsplit=1), ""])[1]) for one in texts]
    shared = all(words) and len({one[-1] for one in words}) == 1
    return [" ".join(one[:-1] if shared else one) for one in words]


def _stems(text: str) -> list[str]:
    return [word if word.endswith("ss") else word.removesuffix("s") for word in _WORD.findall(text)]
