"""Names that Python and the written modules take, and what a table says of itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tau_workshop.scaffold.world import Column, SourceTable, camel, distinct, plural, singular, snake
from tests.strategies import text


@given(text(max_size=30))
def test_every_text_becomes_a_name(text: str) -> None:
    assert snake(text).isidentifier()
    assert camel(text).isidentifier()


def test_names() -> None:
    assert [snake(text) for text in ("UnitPrice", "unit price", "XMLFile2", "2nd", "class", "")] == [
        "unit_price", "unit_price", "xml_file2", "n2nd", "class_", "value",
    ]  # fmt: skip
    assert [singular(text) for text in ("categories", "boxes", "addresses", "status", "dog", "dogs")] == [
        "category", "box", "address", "status", "dog", "dog",
    ]  # fmt: skip
    assert [plural(text) for text in ("category", "dog", "dogs", "day")] == ["categories", "dogs", "dogs", "days"]
    taken: set[str] = set()
    assert [distinct("a", taken) for _ in range(3)] == ["a", "a_2", "a_3"]


@pytest.mark.parametrize("name", [name for name in dir(BaseModel) if not name.startswith("_")])
def test_no_field_has_the_name_of_what_every_model_has(name: str) -> None:
    assert not hasattr(BaseModel, snake(name))


@pytest.mark.parametrize("name", ["table", "database", "any", "none", "base model", "toolkit"])
def test_no_model_has_a_name_that_the_written_modules_use(name: str) -> None:
    assert camel(name).endswith("Record")


@given(text(max_size=12))
def test_a_name_is_the_same_once_it_is_one(name: str) -> None:
    assert snake(snake(name).rstrip("_")).rstrip("_") == snake(name).rstrip("_")


@given(st.lists(st.sampled_from(["a", "a_2", "b"]), max_size=8))
def test_distinct_names_differ(names: list[str]) -> None:
    taken: set[str] = set()
    found = [distinct(name, taken) for name in names]
    assert len(set(found)) == len(found)
    assert taken == set(found)


def test_a_table_knows_its_columns_and_what_one_of_it_is_called() -> None:
    track = Column("track_id", "int")
    table = SourceTable("tracks", "MusicTrack", ("track_id",), (track, Column("name", "str")), {})
    assert (table.one, table.column("track_id")) == ("music_track", track)
