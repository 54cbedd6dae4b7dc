"""Why a model of the run fails every call, as any process of the run has found out: then no more trials are begun."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from math import inf
from pathlib import Path
from time import monotonic

from ...files import write_whole

# In the run's folder, while it lasts: the sentence, and whether a trial has shown it.
REFUSED, _SHOWN = ".refused", ".refused-shown"
# Seconds until the file is looked for again: hundreds of trials that begin at once would each do so.
_LOOK_AGAIN = 0.05


class Refusals:
    """What the processes of a run tell each other of models that refuse for good."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._looked = -inf
        self._heard: str | None = None  # of another process; no run takes it back

    def first(self, found: Iterable[str | None]) -> str | None:
        """The first sentence of those ``found`` in this process, which others are told; else that of another one."""
        told = self._folder / REFUSED
        sentence = next(filter(None, found), None)
        with suppress(OSError):
            if sentence is None:
                if self._heard is None and self._may_look():
                    self._heard = told.read_text(encoding="utf-8")
            elif not told.exists():
                write_whole(told, sentence)
        return sentence or self._heard

    def _may_look(self) -> bool:
        now = monotonic()
        if now - self._looked < _LOOK_AGAIN:
            return False
        self._looked = now
        return True

    def is_first_to_show(self) -> bool:
        """Whether this trial is the first of the run to show it."""
        try:
            (self._folder / _SHOWN).touch(exist_ok=False)
        except FileExistsError:
            return False
        except OSError:
            pass  # twice is better than never
        return True


def forget_refusals(folder: Path) -> None:
    """A run begins, or is over: nothing is known of what its models answer."""
    for name in (REFUSED, _SHOWN):
        (folder / name).unlink(missing_ok=True)
