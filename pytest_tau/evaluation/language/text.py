"""A line as text: plain, in sentences, its words, and whether it is in English."""

from __future__ import annotations

import re
from functools import lru_cache

_ENGLISH = frozenset(
    """the a an to of and i you it is my me for in on that this be have with do can are not please yes no your was at if
    as or so would like want need know what when how there all just from will am by but we he she they our get i'm i'd
    i'll it's don't that's thanks thank hi hello ok okay sure go ahead correct right which one book cancel order change
    return here has been could should about any too up out now then than them both only good great fine also""".split()  # noqa: SIM905
)
_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")

NUMBER_WORDS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
"""The numbers from one on, as words."""


def foreign(texts: list[str]) -> bool:
    """Whether texts are in another language than English: hardly any of its commonest words are among theirs."""
    found = [_words(text) for text in texts]
    words, known = sum(len(own) for own, _ in found), sum(common for _, common in found)
    if not words:
        return any(character.isalpha() for text in texts for character in text)
    first = next(own[0] for own, _ in found if own)
    if not first.isascii() and words < 3:
        return True
    return words >= 3 and known / words < 0.2


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[tuple[str, ...], int]:
    """The words of a text, and how many of them are among the commonest English ones."""
    words = tuple(_TOKEN.findall(plain(text).casefold()))
    return words, sum(word in _ENGLISH for word in words)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text, in small letters."""
    return _words(text)[0]


def common_words(text: str) -> int:
    """How many words of a text are among the commonest English ones."""
    return _words(text)[1]


def is_common(word: str) -> bool:
    """Whether a word is among the commonest English ones."""
    return word.casefold() in _ENGLISH


def content_words(text: str) -> frozenset[str]:
    """The words of a text but for the commonest and the shortest ones, such as "bag"."""
    return frozenset(word for word in _words(text)[0] if len(word) > 2 and word not in _ENGLISH)


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """Without typography and markup, amounts as in English; some agents speak JSON, whose line ends are two letters."""
    text = text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"')
    return english_amounts(text.replace("\\n", "\n").replace("*", "").replace("…", "... ").replace('\\"', '"'))


def english_amounts(text: str) -> str:
    """A text with amounts of money as in English: "1.443,88 $" is "1443.88 $"; only where a currency stands beside."""
    text = _COMMA.sub(_with_point, text) if _ANY_COMMA.search(text) else text
    text = _THOUSANDS.sub(lambda found: found[0].replace(".", ""), text) if _ANY_THOUSANDS.search(text) else text
    return _CENTS.sub(lambda found: f"{found[1]}.{found[3]:0>2} {found[2]}", text) if " cent" in text else text


def _with_point(found: re.Match[str]) -> str:
    return f"{re.sub('[^0-9]', '', found[0][:-3])}.{found[0][-2:]}"


# Most texts have neither, which a pattern that begins with a sign tells at once.
_ANY_COMMA, _ANY_THOUSANDS = re.compile(r",\d\d(?!\d)"), re.compile(r"\.\d{3}")
_CURRENCY = r"(?:[$€£]|(?:US-?)?Dollars?\b|d[oó]lar(?:es)?\b|USD\b|EUR\b|euros?\b)"
_WITH_COMMA = r"(?<![\d.,])(?:\d{1,3}(?:[.\s]\d{3})+|\d+),\d\d(?!\d|[.,]\d)"
_THOUSANDS = re.compile(r"(?<![\d.,$£])[1-9]\d{0,2}(?:\.\d{3})+(?=\s?(?:€|EUR\b|euros?\b))", re.IGNORECASE)
_CENTS = re.compile(r"(?<![\d.,])(\d+) (dollars?|euros?) (?:and )?(\d\d?) cents?\b", re.IGNORECASE)
_COMMA = re.compile(rf"(?:(?<=[$€£])|(?<=[$€£]\s)){_WITH_COMMA}|{_WITH_COMMA}(?=[*_]*\s?{_CURRENCY})", re.IGNORECASE)


@lru_cache(maxsize=8192)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a line, and what stands on both sides of a "but" or a semicolon."""
    parts = _BETWEEN.split(plain(text))
    return tuple(part.strip() for part in parts if part.strip(" -–—\"'"))


def is_item(line: str) -> bool:
    """Whether a line is an item of a list: "- a lamp", "2) a lamp"."""
    return _ITEM.match(line) is not None


def own_words(text: str) -> str:
    """A line without what it quotes: three words and more in quotation marks are somebody else's, but for JSON."""
    if '"' not in plain(text) or text.lstrip().startswith("{"):
        return text
    return _QUOTED.sub(lambda found: '""' if len(found[0].split()) > 2 else found[0], plain(text))


# A pair of any length, so that what closes one opens no other: in '"a", b c ("d")' nothing long is quoted.
_QUOTED = re.compile(r'"[^"\s](?:[^"]*[^"\s])?"')
_BETWEEN = re.compile(r"(?<=[.!?;])[\"')]*\s+(?!\d+[.)]?\s*$)|\n+|,? but |\s[–—]\s|,? however,? ")
_ITEM = re.compile(r"\s*(?:[-•*–]|\d+[.)])\s")
