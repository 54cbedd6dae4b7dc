"""What pydantic found wrong, in a clause of ours."""

from typing import Any

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from pytest_tau.schema.problems import first_problem, unread_keys


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    number: int = 0


class Outer(BaseModel):
    inner: list[Inner] = []
    table: dict[str, int] = {}
    either: Inner | str = ""


def told(value: Any, most: int = 1) -> str:
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(value)
    return first_problem(caught.value, most)


def test_the_path_and_the_problem() -> None:
    assert told({"inner": [{}, {"number": []}]}) == "inner.1.number: Input should be a valid integer"


def test_how_many_more_there_are() -> None:
    assert told({"inner": [{"number": []}, {"number": []}, {"x": 1}]}).endswith("valid integer (and 2 more)")


@pytest.mark.parametrize(("value", "path"), [([], ""), ({"inner": [5]}, "inner.0: "), ({"table": 5}, "table: ")])
def test_an_object_is_called_so_and_not_in_words_of_python(value: Any, path: str) -> None:
    assert told(value) == f"{path}Input should be an object"


def test_of_an_object_or_a_text_what_is_wrong_in_the_object() -> None:
    assert told({"either": {"number": []}}) == "either.number: Input should be a valid integer"
    assert told({"either": {"number": [], "x": 1}}) == "either.number: Input should be a valid integer (and 1 more)"
    assert "valid integer; either.x: Extra" in told({"either": {"number": [], "x": 1}}, most=5)
    assert told({"inner": 5, "either": {"x": 1}}).endswith("valid list (and 1 more)")
    assert told({"either": 5}) == "either.Inner: Input should be an object (and 1 more)"


def test_names_from_a_file_are_harmless_and_short() -> None:
    shown = told({"inner": [{"\x1b[31m\n" + "x" * 1000: 1}]})
    assert shown.startswith("inner.0.\\x1b[31m ")
    assert len(shown) < 400


class Small(BaseModel):
    number: int = 0


class Loose(BaseModel):
    old: int = Field(0, validation_alias=AliasChoices("old", "older"))
    new: int = Field(0, alias="newer")
    inside: list[Small | str] = []
    by_name: dict[str, Small] = {}


class Open(Loose):
    model_config = ConfigDict(extra="allow")


def test_keys_that_pydantic_ignores() -> None:
    written = {
        "older": 1,
        "newer": 2,
        "nwer": 3,
        "inside": ["x", {"number": 1, "nmber": 2}],
        "by_name": {"a": {"numbr": 1}},
    }
    assert [(place + key) for place, key, _ in unread_keys(written, Loose.model_validate(written))] == [
        "nwer",
        "inside[1].nmber",
        "by_name.a.numbr",
    ]
    assert [*unread_keys({"any": 1}, Open.model_validate({"any": 1}))] == []
