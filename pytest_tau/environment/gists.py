"""What people call a task's wish in few words: read from ``openings.toml`` of a domain, by the task's tags."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..errors import DomainError, reason
from ..schema.task import Task
from .values import file_of

FILE = "openings.toml"


@dataclass(frozen=True)
class Gists:
    """``wish``: of the task's first wish. ``any``: of whatever one can want of this domain. Both may be empty."""

    wish: tuple[str, ...] = ()
    any: tuple[str, ...] = ()


def gists_of(folder: Path, tags: Sequence[str]) -> Gists:
    """What people call the first wish of a task, and a wish of this domain.

    Args:
        folder: of the domain.
        tags: the task's (:func:`tags_of_wish`); the first that the file knows is the wish, and "return" stands for
            "return_several" as well.

    Raises:
        DomainError: the file is not as it should be.
    """
    anything, wishes = read_gists(folder)
    return Gists(_first_known(wishes, tags), anything)


def tags_of_wish(task: Task) -> tuple[str, ...]:
    """The tags that say what a task's customer wishes first; none where they wish several things one after another."""
    return () if task.episodes else tuple(task.tags)


@cache
def read_gists(folder: Path) -> tuple[tuple[str, ...], Mapping[str, tuple[str, ...]]]:
    """What people call any wish of a domain, and each kind of wish; nothing where no file says it.

    Raises:
        DomainError: the file is not as it should be.
    """
    file = file_of(folder, FILE)
    if not file.is_file():
        return (), {}
    try:
        told = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DomainError(f"{file}: cannot be read ({reason(error)})") from None
    wishes = told.pop("wishes", {})
    lists = {"any": told.pop("any", []), **(wishes if isinstance(wishes, dict) else {"wishes": wishes})}
    wrong = next((key for key, texts in lists.items() if not _are_texts(texts)), next(iter(told), None))
    if wrong is not None:
        has = "the file has 'any', and a list for each tag under [wishes]"
        raise DomainError(f"{file}: '{wrong}' should be a list of texts; {has}")
    return tuple(lists.pop("any")), {key: tuple(texts) for key, texts in lists.items()}


def _first_known(wishes: Mapping[str, tuple[str, ...]], tags: Sequence[str]) -> tuple[str, ...]:
    for tag in tags:
        parts = tag.split("_")
        for size in range(len(parts), 0, -1):
            if found := wishes.get("_".join(parts[:size])):
                return found
    return ()


def _are_texts(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(one, str) and one.strip() for one in found)
