"""What people call a task's wish in few words: read from ``openings.toml`` of a domain, by the task's tags."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..errors import DomainError, reason
from ..schema.task import Task
from .spec import COMPOSED_TAG
from .values import file_of

FILE = "openings.toml"


@dataclass(frozen=True)
class Gists:
    """What people call a wish. ``wish``: the task's first; ``any``: any wish of the domain. Both may be empty."""

    wish: tuple[str, ...] = ()
    any: tuple[str, ...] = ()


def gists_of(folder: Path, wish: str) -> Gists:
    """What people call a task's wish, and any wish of its domain.

    Args:
        folder: of the domain.
        wish: the tag of the wish (:func:`wish_of`); "return" in the file stands for "return_several" as well.

    Raises:
        DomainError: the file is not as it should be.
    """
    anything, wishes = read_gists(folder)
    parts = wish.split("_")
    names = ("_".join(parts[:size]) for size in range(len(parts), 0, -1))
    return Gists(next((wishes[name] for name in names if name in wishes), ()), anything)


def wish_of(task: Task) -> str:
    """The tag of what a task's customer wishes first: the first one, or that behind "composed".

    Later tags may be of later wishes, or of what is refused. With several episodes there is no first wish.
    """
    tags = [tag for tag in task.tags if tag != COMPOSED_TAG]
    return "" if task.episodes or not tags else tags[0]


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
        told = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise DomainError(f"{file}: cannot be read ({reason(error)})") from None
    anything, wishes = told.pop("any", []), told.pop("wishes", {})
    lists = [("any", anything), *(wishes.items() if isinstance(wishes, dict) else [("wishes", None)])]
    wrong = next((key for key, texts in lists if not _are_texts(texts)), next(iter(told), None))
    if wrong is not None:
        has = "the file has 'any', and a list for each tag under [wishes]"
        raise DomainError(f"{file}: '{wrong}' should be a list of texts; {has}")
    return tuple(anything), {key: tuple(texts) for key, texts in wishes.items()}


def _are_texts(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(one, str) and one.strip() for one in found)
