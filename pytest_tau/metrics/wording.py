"""Numbers and names as sentences about gates put them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import floor, log10
from typing import Any

from ..printable import one_line

EDGE = 1e-9
"""How far apart two rates are that differ by more than rounding."""


def some(names: Sequence[str], most: int = 3) -> str:
    """The first names of many, on one line, and how many more there are."""
    rest = len(names) - most
    return ", ".join(map(one_line, names[:most])) + (f" and {rest} more" if rest > 0 else "")


def setting(value: Any) -> str:
    """A setting's value as JSON, or that it has none."""
    return "unset" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def percent(value: float, digits: int = 1) -> str:
    """A proportion as a percentage."""
    return f"{100 * value:.{digits}f} %"


def p_value(value: float) -> str:
    """A p-value; none is zero, however small."""
    return f"p {value:.3f}" if value >= 0.0005 else "p below 0.001"


def beside(value: float, other: float) -> str:
    """A percentage with as many digits as it takes to tell it from another number."""
    digits = 1
    while abs(value - other) > EDGE and digits < 4 and percent(value, digits) == percent(other, digits):
        digits += 1
    return percent(value, digits)


def requirement(operator: str, number: str, end: str = "") -> str:
    """What a gate asks for, in words.

    Args:
        operator: how it compares.
        number: with what, as it is to be read.
        end: "lower" or "upper" end of an interval, where that is compared.
    """
    words = {">=": "{} required", ">": "more than {} required", "<=": "at most {} allowed", "<": "less than {} allowed"}
    return words[operator].format(number) + (f" of its {end} end" if end else "")


def dollars(value: float) -> str:
    """USD with two decimals, and three figures where it is less than ten cents."""
    if not 0 < value < 0.1:
        return f"${value:.2f}"
    text = f"{value:.{2 - floor(log10(value))}f}".rstrip("0")
    return f"${text}" if len(text) >= 4 else f"${value:.2f}"
