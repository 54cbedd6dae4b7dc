"""One task for many calls about the same thing, and none for a call that is a task already."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

from pytest_tau.environment.domain import Domain
from pytest_tau.environment.tasks import read_tasks, task_files_in
from pytest_tau.errors import TaskError
from pytest_tau.recordings.logged import LoggedConversation
from pytest_tau.schema.messages import UserMessage
from pytest_tau.schema.transcript import calls_done

from .domains import ANSWERS

_HASHES = re.compile(r"\bHashes ((?:[0-9a-f]{16}(?:, )?)+)")
_WORD = re.compile(r"[^\W\d_]{3,}")
# More than three words, or as much in a script that writes words in one.
_LONG = re.compile(r"(?:\S+\s+){3}\S|[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]{5}")
_COMMON = frozenset(
    [
        "the",
        "and",
        "you",
        "for",
        "that",
        "this",
        "with",
        "have",
        "has",
        "was",
        "are",
        "can",
        "could",
        "would",
        "like",
        "want",
        "need",
        "please",
        "hello",
        "help",
        "thanks",
        "thank",
        "your",
        "from",
        "but",
        "not",
        "just",
        "get",
        "got",
        "been",
        "about",
        "there",
        "will",
        "some",
        "any",
    ]
)
_ALIKE = 0.4  # the share of words that two openings have in common


@dataclass
class Group:
    """Conversations about the same thing; the first stands for them."""

    first: LoggedConversation
    others: list[LoggedConversation] = field(default_factory=list)

    @property
    def weight(self) -> int:
        """How many conversations it stands for."""
        return 1 + len(self.others)

    @property
    def hashes(self) -> list[str]:
        """Of all of them."""
        return [self.first.hash, *(one.hash for one in self.others)]


def known_hashes(folder: Path) -> dict[str, Path]:
    """The hashes of the conversations that are tasks in a folder already, with the file of the task."""
    found: dict[str, Path] = {}
    for file in task_files_in(folder) if folder.is_dir() else ():
        try:
            tasks = read_tasks(file)
        except TaskError:
            continue  # a task of the author's that is broken is said when it is played
        for task in tasks:
            notes = task.description.notes if task.description else None
            if (hashes := _HASHES.search(notes or "")) is not None:
                found |= dict.fromkeys(hashes[1].split(", "), file)
    return found


def own_keys(domain: Domain) -> set[str]:
    """The keys of a domain's own records: they are its author's, and no person's.

    Of a domain that was inferred from a log they are stand-ins, and a customer may well have such a one: none stays.
    """
    if domain.base is not None and ANSWERS.name in domain.base.tables:
        return set()
    bases = [base for base in (domain.base, domain.user_base) if base is not None]
    return {key for base in bases for table in base.tables.values() for key in table.raw}


def without_duplicates(
    conversations: Iterable[LoggedConversation], known: Container[str]
) -> tuple[list[LoggedConversation], int]:
    """Those that are new, each once, and how many were not."""
    fresh: dict[str, LoggedConversation] = {}
    number = 0
    for one in conversations:
        number += 1
        if one.hash not in known:
            fresh.setdefault(one.hash, one)
    return list(fresh.values()), number - len(fresh)


def group_alike(conversations: Sequence[LoggedConversation]) -> list[Group]:
    """Near-duplicates together: the same tools succeeded, it ended as well, and the customers opened alike."""
    openings = [opening_words(one) for one in conversations]
    often = Counter(word for words in openings for word in words)
    groups: list[tuple[frozenset[str], Group]] = []
    by_word: dict[object, list[int]] = {}
    for one, words in zip(conversations, openings, strict=True):
        kind = (_tools(one), one.meta.get("reward"))
        # Openings that are alike have one of these in common, so not each has to be compared with each.
        shared = ceil(_ALIKE * len(words) - 1e-9)
        rare = sorted(words, key=lambda word: (often[word], word))[: len(words) - shared + 1]
        places = [(kind, word) for word in rare or [""]]
        near = sorted({number for place in places for number in by_word.get(place, ())})
        alike = next((groups[number][1] for number in near if _share(groups[number][0], words) >= _ALIKE), None)
        if alike is not None:
            alike.others.append(one)
            continue
        for place in places:
            by_word.setdefault(place, []).append(len(groups))
        groups.append((words, Group(one)))
    return [group for _, group in groups]


def _tools(one: LoggedConversation) -> frozenset[str]:
    return frozenset(call.name for _, call, _ in calls_done(one.messages))


def opening_words(one: LoggedConversation) -> frozenset[str]:
    """The words of what a customer said up to their first long line, without values and the most common."""
    said = [m.text for m in one.messages if isinstance(m, UserMessage)]
    long = next((number for number, text in enumerate(said, start=1) if _LONG.search(text)), None)
    text = " ".join(said[:long])
    return frozenset(word for word in _WORD.findall(text.lower()) if word not in _COMMON)


def _share(first: frozenset[str], second: frozenset[str]) -> float:
    union = first | second
    return len(first & second) / len(union) if union else 1.0
