"""Views of JSON data can be read and never changed."""

from typing import Any

import pytest

from pytest_tau.environment.views import ListView, RecordView

DATA: dict[str, Any] = {"id": "a", "tags": ["x", {"deep": [1]}], "at": {"city": "Bern"}}


def test_they_read_as_what_they_show() -> None:
    view = RecordView(DATA)
    assert (view["id"], view["at"]["city"], view["tags"][1]["deep"][0]) == ("a", "Bern", 1)
    assert (list(view), len(view), len(view["tags"])) == (["id", "tags", "at"], 3, 2)
    assert view == DATA
    assert view["tags"][1]["deep"] == [1]
    assert view["tags"][1]["deep"] == ListView([1])
    assert view["tags"][1]["deep"] != [2]
    assert "x" in view["tags"]
    assert [str(view), repr(view["tags"])] == [repr(DATA), repr(DATA["tags"])]


def test_nothing_in_them_can_be_changed() -> None:
    view: Any = RecordView(DATA)
    with pytest.raises(TypeError):
        view["id"] = "b"
    with pytest.raises(TypeError):
        view["at"]["city"] = "Basel"
    with pytest.raises(TypeError):
        view["tags"][0] = "y"
    for name in ("append", "sort", "pop"):
        assert not hasattr(view["tags"], name)
    with pytest.raises(TypeError, match="unhashable"):
        hash(view["tags"])


def test_a_copy_is_the_callers_to_change() -> None:
    copied = RecordView(DATA).to_dict()
    assert copied == DATA
    copied["tags"][1]["deep"].append(2)
    assert DATA["tags"][1]["deep"] == [1]
