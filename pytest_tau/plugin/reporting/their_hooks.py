"""Calls of hooks that others implement: an exception in one costs neither the run nor the trials of the next hours."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from ...errors import from_where
from ...printable import one_line
from ...scrub import scrub
from ..run import Run


class TheirHooks:
    """Calls them, and keeps what went wrong for the end of the run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._first: dict[str, str] = {}
        self._times: Counter[str] = Counter()

    @property
    def have_failed(self) -> bool:
        """Whether an exception came out of one."""
        return bool(self._times)

    def call(self, name: str, **given: Any) -> None:
        """Call a hook with the configuration and what else it takes; ``pytest.exit()`` in it ends the run."""
        try:
            getattr(self._run.config.hook, name)(config=self._run.config, **given)
        except pytest.exit.Exception:
            raise
        except (Exception, SystemExit, pytest.fail.Exception, pytest.skip.Exception) as error:
            self._first.setdefault(name, from_where(error))
            self._times[name] += 1

    def lines(self) -> list[str]:
        """A sentence for each hook that failed."""
        return [
            one_line(scrub(f"The hook {name} failed{_often(self._times[name])}: {self._first[name]}"))
            for name in self._first
        ]


def _often(times: int) -> str:
    return f" (the first of {times} times)" if times > 1 else ""
