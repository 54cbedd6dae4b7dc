"""Writes a report's file whole or not at all: a run that is interrupted leaves the last good one in place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: str | Path) -> Iterator[IO[str]]:
    """A UTF-8 text file that takes the place of ``path`` when the block ends well. Makes missing folders.

    Lone surrogates, which no file can hold, are written as character references.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with fresh.open("w", encoding="utf-8", errors="xmlcharrefreplace", newline="\n") as file:
            yield file
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
