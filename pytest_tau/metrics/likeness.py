"""How far simulated customers are from people: the form of what they write, beside 1,477 people at a service desk.

Only the form counts: how long, how many, which letters and marks. What is said depends on the task, how it is said does
not. A small classifier (logistic regression over these features) was trained to tell people from the customers of
recorded runs. Its AUC is the share of pairs, a customer of this run and a person, in which it takes the customer for
the machine: 0.5 is a person, 1.0 a machine. The figures are in ``likeness.json``; ``python -m tau_workshop.customers``
makes it, and docs/customers.md says how good it is on dialogues that were kept back.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import log1p
from pathlib import Path
from statistics import fmean, median, pstdev
from typing import Any

from ..printable import count_of
from ..schema.messages import USER_STOP_TOKENS
from .score import Measured, Score, TaskValues

FILE = Path(__file__).with_name("likeness.json")

_TOKENS = re.compile("|".join(map(re.escape, USER_STOP_TOKENS)))
_WORD = re.compile(r"\S+")
_SENTENCE = re.compile(r"[.!?]+(?:\s|$)|\n+")
_TYPESET = re.compile(r"[’‘“”—–…]")
_LONG_ENOUGH = 3  # turns

FEATURES: dict[str, str] = {
    "words": "words a turn, the median",
    "opening": "words of the first turn",
    "longest": "words of the longest turn",
    "spread": "how much the length of turns varies (standard deviation of log words)",
    "short": "turns of three words or fewer",
    "sentences": "sentences a turn",
    "small": "turns that begin with a small letter",
    "open_end": "turns that end without a mark",
    "question": "turns with a question mark",
    "exclamation": "turns with an exclamation mark",
    "commas": "commas a hundred words",
    "letters": "letters a word",
    "apostrophes": "apostrophes a hundred words",
    "digits": "words with a digit, a hundred words",
    "typeset": "turns with a dash or a quote that no keyboard has",
    "lines": "turns of several lines",
}
"""What is read off a conversation, and what it means."""


def turns_of_customer(texts: Sequence[str]) -> list[str]:
    """What a customer wrote, turn by turn, without the words that only end a conversation."""
    return [text for one in texts if (text := _TOKENS.sub("", one).strip())]


def features(texts: Sequence[str]) -> tuple[float, ...] | None:
    """The features of one conversation, in the order of ``FEATURES``; None for fewer than three turns.

    Args:
        texts: what the customer wrote, a turn each.
    """
    turns = turns_of_customer(texts)
    if len(turns) < _LONG_ENOUGH:
        return None
    words = [_WORD.findall(turn) for turn in turns]
    every = [word for turn in words for word in turn]
    lengths = [len(turn) for turn in words]
    hundred = 100 / len(every)

    def share(of: Any) -> float:
        return fmean(bool(of(turn)) for turn in turns)

    return (
        median(lengths),
        float(lengths[0]),
        float(max(lengths)),
        pstdev(map(log1p, lengths)),
        fmean(length <= 3 for length in lengths),
        fmean(max(1, len(_SENTENCE.findall(turn))) for turn in turns),
        share(lambda turn: turn[0].islower()),
        share(lambda turn: turn[-1].isalnum()),
        share(lambda turn: "?" in turn),
        share(lambda turn: "!" in turn),
        hundred * sum(word.count(",") for word in every),
        sum(map(str.isalpha, "".join(every))) / len(every),
        hundred * sum("'" in word or "’" in word for word in every),
        hundred * sum(any(map(str.isdigit, word)) for word in every if not word.isalpha()),
        share(_TYPESET.search),
        share(lambda turn: "\n" in turn),
    )


@dataclass(frozen=True)
class People:
    """The figures of people and of the classifier.

    Attributes:
        number: how many dialogues of people they rest on.
        quantiles: of each feature, its values at 0, 1, … 100 % of people.
        center, scale, weights, bias: the classifier's, in the order of ``FEATURES``.
        scores: the classifier's score at 0, 1, … 100 % of people.
    """

    number: int
    quantiles: Mapping[str, Sequence[float]]
    center: Sequence[float]
    scale: Sequence[float]
    weights: Sequence[float]
    bias: float
    scores: Sequence[float]

    def score(self, found: Sequence[float]) -> float:
        """The log odds, by the classifier, that a conversation's customer is a machine."""
        parts = zip(found, self.center, self.scale, self.weights, strict=True)
        return self.bias + sum(weight * max(-4.0, min(4.0, (x - mean) / size)) for x, mean, size, weight in parts)


@cache
def people() -> People:
    """The figures that come with the package."""
    return People(**json.loads(FILE.read_text(encoding="utf-8")))


def auc(scores: Sequence[float], of_people: Sequence[float]) -> float:
    """The share of pairs in which the first has the higher score; equal ones count half. (Mann and Whitney, 1947.)"""
    ranked = sorted(of_people)
    below = sum(bisect_left(ranked, one) + _same(ranked, one) / 2 for one in scores)
    return below / (len(scores) * len(ranked))


def _same(ranked: Sequence[float], value: float) -> int:
    first = bisect_left(ranked, value)
    last = first
    while last < len(ranked) and ranked[last] == value:
        last += 1
    return last - first


@dataclass(frozen=True)
class _ComparedFeature:
    """One feature of a run's customers beside people's: medians, and what lies between the quartiles.

    ``distance``: of the two distributions, from 0 (the same) to 1 (apart): the greatest difference of their
    distribution functions (Kolmogorov and Smirnov).
    """

    name: str
    median: float
    of_people: float
    quartiles_of_people: tuple[float, float]
    distance: float


@dataclass(frozen=True)
class Likeness:
    """A run's customers beside people.

    ``auc``: 0.5 is a person, 1.0 a machine. ``distance``: the mean distance over the features.
    """

    number: int
    auc: float
    distance: float
    features: tuple[_ComparedFeature, ...]


def compare_with_people(found: Sequence[Sequence[float]]) -> Likeness | None:
    """A run's customers beside people; None without any.

    Args:
        found: the features of each conversation.
    """
    if not found:
        return None
    known = people()
    beside = []
    for (name, _), values in zip(FEATURES.items(), zip(*found, strict=True), strict=True):
        of_people = known.quantiles[name]
        quartiles = (of_people[25], of_people[75])
        beside.append(_ComparedFeature(name, median(values), of_people[50], quartiles, ks(values, of_people)))
    scores = [known.score(one) for one in found]
    return Likeness(len(found), auc(scores, known.scores), fmean(one.distance for one in beside), tuple(beside))


def ks(one: Sequence[float], other: Sequence[float]) -> float:
    """The greatest difference of two samples' distribution functions."""
    first, second = sorted(one), sorted(other)
    return max(abs(_share_up_to(first, value) - _share_up_to(second, value)) for value in {*first, *second})


def _share_up_to(ranked: Sequence[float], value: float) -> float:
    at = bisect_left(ranked, value)
    return (at + _same(ranked, value)) / len(ranked)


def _read(content: Mapping[str, Any]) -> array[float] | None:
    """The features of a trial's customer as the journal has it."""
    messages = (content.get("simulation") or {}).get("messages") or []
    found = _cached_features(
        tuple(str(one["content"]) for one in messages if one.get("role") == "user" and one.get("content"))
    )
    return None if found is None else array("f", found)  # of each trial of the run, so as small as can be


@lru_cache(maxsize=64)
def _cached_features(texts: tuple[str, ...]) -> tuple[float, ...] | None:
    """The features of a conversation; a script says the same in every trial of a task."""
    return features(texts)


def _measure(tasks: Sequence[TaskValues], nothing: str) -> Measured | None:
    found = compare_with_people([one for task in tasks for one in task.values])
    return None if found is None else Measured(found.auc, count_of(found.number, "conversations"))


CUSTOMERS = Score("customers", _read, _measure, needs="three turns or more of a customer", worst=(None, None))
"""The AUC of the classifier; a gate may ask for ``customers <= 0.9``."""
