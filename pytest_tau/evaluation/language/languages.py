"""Languages beside English, each a file ``CODE.toml``: what answers mean, what an agent asks, what a script says.

An answer is read only where all of it is known: it must fall into sentences and words of the file, ``…`` standing for
any end. So "ja, bitte" is a yes, "Ja, aber nehmen Sie Visa" nothing that a rule would decide, and whoever adds a
sentence can break no other. A new language is a new file with the same keys.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from .text import common_words, plain, sentences, words_of

Meaning = Literal["yes", "no", "wait", "condition", ""]

_FOLDER = Path(__file__).parent
_DECIDING: tuple[Meaning, ...] = ("yes", "no", "wait", "condition")
_MEANINGS = (*_DECIDING, "beside")
_WORD = re.compile(r"[^\W_]+")
_LONGEST_ANSWER = 40  # words
_LEAST_COMMON = 0.15
"""Of the words of a text, so many are its language's commonest; a name ("de la Cruz") is none of these."""


@dataclass(frozen=True, eq=False)
class Language:
    """A language as its file has it.

    ``code``: "de"; ``common``: its commonest words, by which it is told; ``answers``: what sentences mean, by their
    words without accents; ``begun``: the same of beginnings, with accents; ``agent``: patterns of what an agent's line
    does; ``lines``: what the scripted customer says, by the English line.
    """

    code: str
    name: str
    common: frozenset[str]
    answers: Mapping[tuple[str, ...], str]
    begun: Mapping[tuple[str, ...], str]
    agent: Mapping[str, re.Pattern[str]]
    lines: Mapping[str, str]

    def meaning(self, text: str) -> Meaning:
        """What an answer means as a whole; "" where a word of it is unknown, it asks, or it says two things."""
        said = _words(text)
        if "?" in text or len(said) > _LONGEST_ANSWER:
            return ""
        found = self._parts(tuple(said), tuple(map(_bare, said))) or frozenset()
        meant = found - {"beside"}
        if "wait" in meant and "condition" not in meant:
            return "wait"
        if meant == {"yes", "condition"}:
            return "condition"
        return next((one for one in _DECIDING if meant == {one}), "")

    def _parts(self, said: tuple[str, ...], bare: tuple[str, ...]) -> frozenset[str] | None:
        """What the sentences mean into which words fall, with the longest first; None where they do not."""
        if not said:
            return frozenset()
        for number in range(len(said), 0, -1):
            known = self.answers.get(bare[:number])
            if known is not None and (rest := self._parts(said[number:], bare[number:])) is not None:
                return rest | {known}
        begun = (self.begun.get(said[:number]) for number in range(len(said), 0, -1))
        meant = next(filter(None, begun), None)
        return None if meant is None else frozenset([meant])

    def does(self, what: str, text: str) -> bool:
        """Whether a line of an agent does something: "leave", "identity", "closing", "hands_over", "wants"."""
        return self.agent[what].search(text) is not None

    def asks_leave(self, text: str) -> bool:
        """Whether a line asks for a yes to something that the agent would do."""
        return any(
            self.does("leave", one) and not (self.does("identity", one) or self.does("closing", one))
            for one in sentences(text)
        )

    def say(self, text: str) -> str:
        """A line of the script in this language; what follows it, a mark or a result, stays, and so does any other."""
        line = next((line for line in self.lines if text.startswith(line)), None)
        return text if line is None else self.lines[line] + text[len(line) :]


@cache
def languages() -> Mapping[str, Language]:
    """The languages that there are beside English, by their codes."""
    return {file.stem: _read(file) for file in sorted(_FOLDER.glob("*.toml"))}


def language_named(code: str | None) -> Language | None:
    """The language of a code; None for English and for what there is no file of."""
    return languages().get(code) if code else None


def _read(file: Path) -> Language:
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    told = [(one, kind) for kind in _MEANINGS for one in content["answers"][kind]]
    closed = [(tuple(map(_bare, _words(one))), kind) for one, kind in told if not one.endswith("…")]
    return Language(
        code=file.stem,
        name=content["name"],
        common=frozenset(content["common"].split()),
        answers=dict(reversed(closed)),  # of two meanings the first stands
        begun={tuple(_words(one)): kind for one, kind in told if one.endswith("…")},
        agent={what: re.compile("|".join(rules), re.IGNORECASE) for what, rules in content["agent"].items()},
        lines=dict(sorted(content["lines"].items(), key=lambda line: -len(line[0]))),
    )


def language_of(texts: Sequence[str]) -> Language | None:
    """The language that texts are in, where it is one of these: more of its commonest words than of English ones."""
    english, number = sum(map(common_words, texts)), sum(len(words_of(text)) for text in texts)
    if not number or english / number > 0.35:
        return None
    words = [word for text in texts for word in words_of(text)]
    best = max(languages().values(), key=lambda language: _count_known(language, words))
    known = _count_known(best, words)
    return best if known > english and known / len(words) >= _LEAST_COMMON else None


def _count_known(language: Language, words: Sequence[str]) -> int:
    return sum(word in language.common for word in words)


@lru_cache(maxsize=4096)
def _words(text: str) -> list[str]:
    return _WORD.findall(plain(text).casefold())


@lru_cache(maxsize=4096)
def _bare(word: str) -> str:
    """A word without accents, as many type."""
    return "".join(one for one in unicodedata.normalize("NFD", word) if not unicodedata.combining(one))
