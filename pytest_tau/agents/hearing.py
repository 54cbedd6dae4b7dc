"""How far a customer has told what they want and know, for an agent that knows what that is.

Some customers open with a greeting and tell their wish in pieces. An agent that acts on the first piece does the wrong
thing, so the oracle asks on for as long as something is missing and each answer brings more of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ..evaluation.language.dialogue import answer
from ..schema.messages import AnyMessage, UserMessage
from ..schema.scenario import Instructions
from ..schema.task import Task
from ..users.pieces import sentences

_WORD = re.compile(r"\w{4,}")
_RUN = re.compile(r"[\w@.-]+")
_TELLING = re.compile(r"[\d@_]")
_ENOUGH = 0.5  # of a sentence's words
_MOSTLY = 0.75  # of an answer's words that are of the wish: what comes later has words of its own
_BARREN = 2  # answers in a row after the opening that bring nothing new: there is nothing more to be had
_OFTEN = 3


class Hearing:
    """What the customer of a task has told. ``messages``: the conversation as the agent sees it."""

    def __init__(self, task: Task) -> None:
        self.messages: Sequence[AnyMessage] = ()
        told = task.user_scenario.instructions
        texts = (told.reason_for_call, told.known_info or "") if isinstance(told, Instructions) else ()
        self._needed = _needed_of(texts)
        self._all = frozenset[str]().union(*self._needed)
        self._put_off = 0

    def expects_more(self) -> bool:
        """Whether something is missing, and the last answers brought something."""
        said = self._customer_texts()
        known, barren = _words(said[0]) if said else frozenset(), 0
        for words in map(_words, said[1:]):
            barren = 0 if (words & self._all) - known else barren + 1
            known |= words
        written = is_written("".join(said))
        needed = self._needed if written else filter(None, map(_in_words, self._needed))
        missing = any(len(words & known) / len(words) < _ENOUGH for words in needed)
        return bool(said) and barren < _BARREN and missing

    def put_off(self, new: int = 1) -> bool:
        """Whether the answer to a proposal was no yes but so many new words of what they want; a few times in all."""
        *before, last = self._customer_texts() or [""]
        known: set[str] = set().union(*map(_words, before))
        words = _words(last)
        of_the_wish = len(words & self._all) >= _MOSTLY * len(words) and len((words & self._all) - known) >= new
        if not of_the_wish or answer(last).yes or self._put_off == _OFTEN:
            return False
        self._put_off += 1
        return True

    def _customer_texts(self) -> list[str]:
        return [one.text for one in self.messages if isinstance(one, UserMessage) and one.text]


def is_written(text: str) -> bool:
    """Whether a customer writes: a transcriber of the telephone puts down no digits and no capitals."""
    return any(letter.isdigit() or letter.isupper() for letter in text)


def telling(text: str) -> list[str]:
    """The ids, addresses and numbers of a text: what has a digit, "@" or "_" before its last character."""
    if not _TELLING.search(text):
        return []
    runs = (run.rstrip("@.-") for run in _RUN.findall(text))
    return [run for run in runs if _TELLING.search(run[:-1])]


@lru_cache(maxsize=512)  # the trials of a task need the same
def _needed_of(texts: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """What must be told: the words of each sentence, and each id, address and number."""
    words = [_words(one) for text in texts for one in sentences(text)]
    return (*filter(None, words), *(frozenset({value}) for text in texts for value in telling(text.casefold())))


def _in_words(words: frozenset[str]) -> frozenset[str]:
    """Those of the words that are spoken as they are written."""
    return frozenset(word for word in words if word.isalpha())


@lru_cache(maxsize=512)  # each turn looks at all that the customer has said
def _words(text: str) -> frozenset[str]:
    return frozenset((*_WORD.findall(text.casefold()), *telling(text.casefold())))
