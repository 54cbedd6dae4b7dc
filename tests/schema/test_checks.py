"""The checks of the criterion TRAJECTORY: what they must say, and that each is known by its word."""

from typing import Any, get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from pytest_tau.schema.checks import Called, TrajectoryCheck

CHECK: TypeAdapter[Any] = TypeAdapter(TrajectoryCheck)
LEAST: dict[str, dict[str, Any]] = {
    "called": {"name": "f"},
    "not_called": {"name": "f"},
    "evidence": {"name": "f"},
    "reason": {"any_of": ["x"]},
    "false_reason": {"any_of": ["x"]},
    "order": {"calls": [{"name": "f"}, {"name": "g"}]},
    "confirmed": {},
    "identified": {},
    "not_said": {"texts": ["x"]},
    "not_promised": {"any_of": ["x"]},
    "read_before": {},
    "claims": {},
    "own_records": {},
    "no_needless_writes": {},
    "asked_once": {},
    "own_role": {},
}


def test_each_is_known_by_its_word() -> None:
    kinds = {
        get_args(kind.model_fields["check"].annotation)[0]: kind for kind in get_args(get_args(TrajectoryCheck)[0])
    }
    assert kinds.keys() == LEAST.keys()
    for word, fields in LEAST.items():
        read = CHECK.validate_python({"check": word, **fields})
        assert type(read) is kinds[word]
        assert CHECK.validate_json(CHECK.dump_json(read)) == read


@pytest.mark.parametrize("word", [word for word, fields in LEAST.items() if fields])
def test_none_is_about_nothing(word: str) -> None:
    (name,) = LEAST[word]
    with pytest.raises(ValidationError):
        CHECK.validate_python({"check": word})
    if name != "name":
        with pytest.raises(ValidationError):
            CHECK.validate_python({"check": word, name: []})


@pytest.mark.parametrize("word", ["reason", "false_reason", "not_promised"])
@pytest.mark.parametrize("phrasing", ["", " ", "\n", [], ["x", ""], [" "]])
def test_a_phrasing_that_every_message_would_hold_is_refused(word: str, phrasing: str | list[str]) -> None:
    with pytest.raises(ValidationError, match="a phrasing is empty, so every message would hold it"):
        CHECK.validate_python({"check": word, "any_of": ["fine", phrasing]})


@pytest.mark.parametrize(
    "fields",
    [
        {"check": "order", "calls": [{"name": "f"}]},
        {"check": "confirmed", "names": []},
        {"check": "identified", "by": [""]},
        {"check": "not_said", "texts": [""]},
        {"check": "read_before", "documents": []},
        {"check": "called", "name": "f", "requestor": "nobody"},
        {"check": "called", "name": "f", "severity": 0.7},
        {"check": "dreamt"},
        {"name": "f"},
    ],
)
def test_what_is_no_check(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CHECK.validate_python(fields)


def test_what_is_left_out() -> None:
    assert CHECK.validate_python({"check": "called", "name": "f"}) == Called(
        check="called", name="f", arguments={}, requestor="assistant", author=None, dimension=None, severity=None
    )
