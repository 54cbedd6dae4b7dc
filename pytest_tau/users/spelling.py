"""Ids and numbers as people say them on the telephone, and what was meant by what was said.

"#W65" is said "w six five", spelled "W as in whiskey, six, five", and read again from either. :func:`sounds` turns any
such text into letters and digits, in which an id is looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ..patterns import TOKEN

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = (
    "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo "
    "sierra tango uniform victor whiskey x-ray yankee zulu"
)
NATO = {word[0]: word for word in _WORDS.split()}
SIGNS = {"@": "at", ".": "dot", "_": "underscore", "-": "dash", "#": "", "/": "slash"}
# The word decides: a letter is easily heard as another one.
_SPELLED = re.compile(r"\b[a-z],? (?:as in|for|like) ([a-z])[a-z-]+", re.IGNORECASE)
_VALUES = {word: str(value) for value, word in enumerate(DIGITS)} | {"oh": "0", "double-u": "w"}
_DROPPED = {"at", "dot", "underscore", "dash", "hyphen", "slash", "number", "hash", "pound"}


def ids_in(text: str) -> list[str]:
    """The ids, addresses and long numbers of a written text, in their order."""
    return [token for token in TOKEN.findall(text) if is_id(token)]


def is_id(word: str) -> bool:
    """Whether a word is an id, an e-mail address, a phone number or a zip code, and no amount, date or year."""
    digits = sum(map(str.isdigit, word))
    if "@" in word:
        return True
    code = digits and len(word) > 4 and word.isupper() and word.isalnum()
    return bool(code or digits > 3) and not re.fullmatch(r"(?:19|20)\d\d(?:-\d\d-\d\d.*)?|\d+\.\d+|[$€£].*", word)


def say_number(number: int) -> str:
    """A whole number below a million in words."""
    if number < 10:
        return DIGITS[number]
    if number < 20:
        return _TEENS[number - 10]
    if number < 100:
        return " ".join(filter(None, (_TENS[number // 10], say_number(number % 10) if number % 10 else "")))
    unit, size = ("hundred", 100) if number < 1000 else ("thousand", 1000)
    rest = say_number(number % size) if number % size else ""
    return " ".join(filter(None, (say_number(number // size), unit, rest)))


def parts_of(value: str) -> Iterator[str]:
    """The parts in which an id is said: a digit, a letter of a code, a word of an address, a sign."""
    for found in re.finditer(r"[A-Za-z]{2,}|\w|[^\w\s]", value.replace("_", " _ ")):
        part = found[0]
        if len(part) > 1 and part.isupper():
            yield from part
        else:
            yield part


def say_id(value: str) -> str:
    """An id as one says it: "w six five", "nadir dot dragan at example dot com"."""
    return " ".join(filter(None, map(_say_part, parts_of(value))))


def _say_part(part: str) -> str:
    return DIGITS[int(part)] if part.isdecimal() and part.isascii() else SIGNS.get(part, part.lower())


def spell(value: str) -> str:
    """An id letter by letter: "W as in whiskey, six, five"."""
    said = []
    for part in parts_of(value):
        for one in part if part.isalpha() else [part]:
            known = NATO.get(one.lower())
            said.append(f"{one} as in {known}" if known else _say_part(one))
    return ", ".join(filter(None, said))


def normal(value: str) -> str:
    """The letters and digits of an id."""
    return re.sub(r"[^a-z0-9]", "", value.casefold())


@lru_cache(maxsize=1024)
def sounds(text: str) -> tuple[str, ...]:
    """A text, written or said, as the letters and digits that it may be meant for, word by word."""
    text = _SPELLED.sub(r" \1 ", text)
    words = re.findall(r"[a-z0-9]+(?:-[a-z]+)?", text.casefold().replace("@", " ").replace("_", " "))
    return tuple(_VALUES.get(word, normal(word)) for word in words if word not in _DROPPED)


def best_match(value: str, text: str, most: int = 2, others: Sequence[str] = ()) -> str | None:
    """What of a text is as long as an id and most like it, as letters and digits; None where more than so many differ.

    What is more like one of ``others`` is none.
    """
    wanted, words, apart = normal(value), sounds(text), [normal(one) for one in others if one != value]
    found = []
    for begin in range(len(words)):
        joined = ""
        for word in words[begin:]:
            joined += word
            if len(joined) >= len(wanted):
                break
        if len(joined) == len(wanted) and (far := distance(joined, wanted)) <= most:
            found.append((far, joined))
    near = (one for far, one in sorted(found) if all(distance(one, other) > far for other in apart))
    return next(near, None)


def distance(one: str, other: str) -> int:
    """How many letters have to be changed, added or left out to make one of the other. (Levenshtein, 1966.)"""
    before = list(range(len(other) + 1))
    for row, mine in enumerate(one, start=1):
        line = [row]
        for column, theirs in enumerate(other, start=1):
            line.append(min(before[column] + 1, line[-1] + 1, before[column - 1] + (mine != theirs)))
        before = line
    return before[-1]


def shaped_like(heard: str, value: str) -> str:
    """Letters and digits written as an id of as many is: its signs, and capitals where it has them."""
    left = iter(heard)
    return "".join((next(left).upper() if one.isupper() else next(left)) if one.isalnum() else one for one in value)
