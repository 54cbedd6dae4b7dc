"""What a model reads of a tool's return value."""

from datetime import date, datetime
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any

import pytest
from pydantic import BaseModel

from pytest_tau.environment import results
from pytest_tau.environment.results import to_content
from pytest_tau.environment.views import RecordView


class Color(StrEnum):
    RED = "red"


class Size(Enum):
    SMALL = "small"


class Level(int, Enum):
    HIGH = 2


class Model(BaseModel):
    x: int = 1
    f: float = 2.0
    b: bool = True
    n: Any = None


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ('as it is "é"', 'as it is "é"'),
        (Color.RED, "red"),
        ([Level.HIGH], '["2"]'),
        (None, "null"),
        (5, '"5"'),
        (5.0, '"5.0"'),
        (True, '"True"'),
        ([1, 2.5, False, None, "x"], '["1", "2.5", "False", null, "x"]'),
        ((1, "x"), '["1", "x"]'),
        ({"c": {"d": 2.0}, 1: None}, '{"c": {"d": "2.0"}, "1": null}'),
        ({True: "yes"}, '{"true": "yes"}'),
        ("é", "é"),
        (["é"], '["\\u00e9"]'),
        (Model(), '{"x": 1, "f": 2.0, "b": true, "n": null}'),
        ([Model(n=[1, 2.0])], '[{"x": 1, "f": 2.0, "b": true, "n": [1, 2.0]}]'),
        ({"b": 1, "a": 2}, '{"b": "1", "a": "2"}'),
        (datetime(2024, 5, 15, 1, 2, 3), '"2024-05-15T01:02:03"'),
        (date(2024, 5, 15), '"2024-05-15"'),
        (Model(n={"b", "a", "c"}), '{"x": 1, "f": 2.0, "b": true, "n": ["a", "b", "c"]}'),
        (Model(n=datetime(2024, 5, 15, 1, 2, 3)), '{"x": 1, "f": 2.0, "b": true, "n": "2024-05-15 01:02:03"}'),
        (Model(n=date(2024, 5, 15)), '{"x": 1, "f": 2.0, "b": true, "n": "2024-05-15"}'),
        ([Color.RED, Model(n=Color.RED)], '["red", {"x": 1, "f": 2.0, "b": true, "n": "red"}]'),
        # As a call has to name it.
        ([Size.SMALL, Model(n=Size.SMALL)], '["small", {"x": 1, "f": 2.0, "b": true, "n": "small"}]'),
        (Model(n=float("nan")), '{"x": 1, "f": 2.0, "b": true, "n": NaN}'),
    ],
)
def test_content(value: Any, content: str) -> None:
    assert to_content(value) == content


@pytest.mark.parametrize("value", [{1, 2}, b"x", Decimal("1"), [object()], {"a": Model}])
def test_what_has_no_json_form(value: Any) -> None:
    with pytest.raises(ValueError, match=r"Unsupported type: <class '"):
        to_content(value)


_VIEW = RecordView({"id": "a", "tags": ["x"]})


@pytest.mark.parametrize("value", [_VIEW, [_VIEW], _VIEW["tags"], Model(n=_VIEW), Model(n=_VIEW["tags"])])
def test_of_a_view_of_a_search_it_is_told_what_to_call(value: Any) -> None:
    with pytest.raises(ValueError, match=r"a read-only view of a record: call \.to_dict\(\) on it"):
        to_content(value)


def test_what_is_written_before_is_told_apart_by_types_order_and_what_has_changed_since(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(results, "_known", {})
    model = Model(n={"a": 1, "b": [True]})
    assert to_content(model) == to_content(model) == '{"x": 1, "f": 2.0, "b": true, "n": {"a": 1, "b": [true]}}'
    model.n["b"] = [1]
    assert to_content(model).endswith('"n": {"a": 1, "b": [1]}}')
    assert to_content(Model(n={"b": [1], "a": 1.0})).endswith('"n": {"b": [1], "a": 1.0}}')


def test_no_more_than_so_much_of_what_was_written_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[bytes, str] = {}
    monkeypatch.setattr(results, "_known", kept)
    monkeypatch.setattr(results, "_MOST_KNOWN", 3)
    assert [to_content([str(number)]) for number in range(7)] == [f'["{number}"]' for number in range(7)]
    to_content(["long" * 2000])
    assert list(kept.values()) == ['["6"]']
