"""What fits an annotation, and dataclasses that take nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest

from pytest_tau.environment.fitting import Fitting, fits


@pytest.mark.parametrize(
    ("value", "hint", "fitting"),
    [
        (object(), Any, True),
        ("x", str, True),
        (1, str, False),
        (1, float, True),
        (None, str | None, True),
        (1, str | None, False),
        (int, type[int], True),
        (bool, type[int], True),
        (str, type[int], False),
        (1, type[int], False),
        (len, Callable[[str], int], True),
        ("len", Callable[[str], int], False),
        ({"a": 1}, Mapping[str, int], True),
        ({"a": "1"}, Mapping[str, int], False),
        ([1], Mapping[str, int], False),
        (["a"], Sequence[str], True),
        ("a", Sequence[str], False),
        ([1], Sequence[str], False),
        ({"a": ["b"]}, Mapping[str, Sequence[str]], True),
        ({"a": "b"}, Mapping[str, Sequence[str]], False),
    ],
)
def test_a_value_is_what_its_annotation_says(value: Any, hint: Any, fitting: bool) -> None:
    assert fits(value, hint) is fitting


@dataclass(frozen=True)
class Opening(Fitting):
    day: datetime
    desks: Mapping[str, int] = field(default_factory=dict)


def test_a_part_of_another_type_is_named_with_what_it_is() -> None:
    assert Opening(datetime(2026, 5, 4), {"front": 2}).desks == {"front": 2}
    with pytest.raises(TypeError, match=r"^Opening: desks must be Mapping\[str, int\], and is \['front'\]$"):
        Opening(datetime(2026, 5, 4), ["front"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^Opening: day must be datetime, and is '2026-05-04'$"):
        Opening("2026-05-04")  # type: ignore[arg-type]
