"""How much is done, counted: what grows faster than its input is told from what does not, without a clock."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def calls_during(do: Callable[[], object]) -> int:
    """How many functions are called, those of Python itself among them."""
    number = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal number
        number += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        do()
    finally:
        sys.setprofile(before)
    return number
