"""Keeps splits apart: what two tasks have in common, and what of them stands in other tasks.

Two tasks are of one kin when they share a customer, a record of a customer, or a wording. A wording is a sentence that
the customer says, without its facts: names, numbers, ids and what is quoted. A catalogue belongs to nobody, so products
and flights may be shared. Everything is compared by hashes.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_tau.environment.domain import Domain
from pytest_tau.printable import count_of
from pytest_tau.schema.scenario import Instructions
from pytest_tau.schema.task import Task

_TOKEN = re.compile(r"[#\w][\w@.#+-]*\w|\w")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_FACT = re.compile(r"\S*[\d@#_]\S*|\"[^\"]*\"|(?<![.!?] )(?<!^)\b[A-Z][\w'’-]*")
_LEAST = 4  # words of a sentence; shorter ones ("Yes, please.") belong to everybody
GRAM = 8


@dataclass(frozen=True)
class Kin:
    """What must not be in two splits: hashes of customers and records, and of wordings."""

    records: frozenset[str]
    words: frozenset[str]

    def shares(self, other: Kin) -> bool:
        """Whether two have anything in common."""
        return not (self.records.isdisjoint(other.records) and self.words.isdisjoint(other.words))

    def __or__(self, other: Kin) -> Kin:
        return Kin(self.records | other.records, self.words | other.words)


NOBODY = Kin(frozenset(), frozenset())


def kin_of(task: Task, domain: Domain) -> Kin:
    """What a task is about and how it is told."""
    return Kin(frozenset(map(_hash, records_of(task, domain))), frozenset(_hash(one) for one in wordings(task) if one))


def records_of(task: Task, domain: Domain) -> set[str]:
    """The customers and the records of customers that a task names, in its words or in its gold path."""
    named = {token for text in customer_texts(task) for token in _TOKEN.findall(text)}
    for action in task.gold_actions:
        named |= set(_leaves(action.arguments))
    owners = {**domain.base.owners, **(domain.user_base.owners if domain.user_base else {})}
    return {key for one in named if one in owners for key in (one, owners[one])}


def customer_texts(task: Task) -> list[str]:
    """All that the customer may say."""
    instructions = task.user_scenario.instructions
    if not isinstance(instructions, Instructions):
        return [instructions]
    later = [moment.say for moment in instructions.later or []]
    return [text for text in (instructions.reason_for_call, instructions.known_info, *later) if text]


def wordings(task: Task) -> Iterator[str]:
    """The sentences that the customer says, without their facts; short ones are left out."""
    for text in customer_texts(task):
        for sentence in _SENTENCE.split(text):
            plain = _FACT.sub("_", sentence).casefold()
            words = re.findall(r"[^\W\d_]+", plain)
            if len(words) >= _LEAST:
                yield " ".join(words)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Contamination:
    """How much of a set of tasks stands in others: shared word n-grams.

    ``tasks``: how many of ours have at least one n-gram in common with theirs. ``share``: of our n-grams that theirs
    have. ``worst``: the task with the most, and its share. ``examples``: some of the n-grams.
    """

    gram: int
    ours: int
    theirs: int
    tasks: int
    share: float
    worst: tuple[str, float]
    examples: tuple[str, ...]

    def render(self, what: str) -> str:
        """One sentence."""
        ours, theirs = count_of(self.ours, "tasks"), count_of(self.theirs, "tasks")
        begin = f"{self.tasks} of {ours} share a {self.gram}-gram of words with {what} ({theirs})"
        if not self.tasks:
            return f"{begin}."
        return f"{begin}: {self.share:.2%} of their n-grams, at most {self.worst[1]:.0%} ({self.worst[0]})."


def contamination(ours: Sequence[Task], theirs: Iterable[Task], gram: int = GRAM) -> Contamination:
    """Compare the words of tasks with those of others, facts included."""
    others = list(theirs)
    known = {one for task in others for one in grams(task, gram)}
    found: Counter[str] = Counter()
    hit, total, worst = 0, 0, ("", 0.0)
    for task in ours:
        own = set(grams(task, gram))
        common = own & known
        total += len(own)
        found.update(common)
        hit += bool(common)
        if own and len(common) / len(own) > worst[1]:
            worst = (task.id, len(common) / len(own))
    share = sum(found.values()) / total if total else 0.0
    examples = tuple(text for text, _ in sorted(found.items(), key=lambda one: (-one[1], one[0]))[:5])
    return Contamination(gram, len(ours), len(others), hit, share, worst, examples)


def grams(task: Task, size: int) -> Iterator[str]:
    """The n-grams of words of what the customer may say."""
    for text in customer_texts(task):
        words = re.findall(r"\w+", text.casefold())
        yield from (" ".join(words[at : at + size]) for at in range(len(words) - size + 1))
