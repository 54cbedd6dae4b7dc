"""The tools and wishes that any table gives."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_workshop.scaffold.tables import _alter, change, children, key_arguments, look_up, wishes
from tau_workshop.scaffold.world import Column, SourceTable


def songs(
    columns: tuple[Column, ...] = (), rows: dict[str, dict[str, Any]] | None = None, **fields: Any
) -> SourceTable:
    """Songs by their ids."""
    every = (Column("id", "int"), *columns)
    return SourceTable("songs", "Song", fields.pop("key", ("id",)), every, rows or {}, **fields)


NAME, PRICE, TAGS = Column("name", "str"), Column("price", "float", about="In euros."), Column("tags", "Any")


def test_a_record_is_looked_up_by_its_key_with_an_example() -> None:
    method = look_up(songs(rows={"7": {"id": 7}}))
    assert (method.name, method.returns, method.writes) == ("get_song", "Song", False)
    assert method.body == ("return self._song(id)",)
    assert [(one.name, one.type, one.about) for one in method.arguments] == [("id", "int", 'Which song, such as "7".')]
    assert [one.about for one in key_arguments(songs((NAME,), key=("id", "name")))] == ["Which song."] * 2


def test_only_plain_fields_that_are_no_key_and_no_relation_can_be_set() -> None:
    album = Column("album_id", "int")
    method = change(songs((NAME, PRICE, TAGS, album), parents={"album_id": "albums"}))
    assert method is not None
    assert [(one.name, one.type, one.default) for one in method.arguments] == [
        ("id", "int", None),
        ("name", "str | None", "None"),
        ("price", "float | None", "None"),
    ]
    assert [one.about for one in method.arguments[1:]] == ["The new name.", "In euros."]
    assert method.writes
    assert change(songs((TAGS, album), parents={"album_id": "albums"})) is None


def test_children_are_listed_of_parents_that_are_there() -> None:
    album = SourceTable("albums", "Album", ("id",), (Column("id", "int"),), {})
    song = songs((Column("album_id", "int"), Column("by", "int")), parents={"album_id": "albums", "by": "people"})
    (method,) = children(song, [song, album])
    assert (method.name, method.returns) == ("list_songs_by_album_id", "list[Song]")
    assert [(one.name, one.type, one.about) for one in method.arguments] == [("album_id", "int", "Which album.")]


ROWS: dict[str, dict[str, Any]] = {
    "1": {"id": 1, "name": "x"},
    "2": {"id": 2, "name": "A long one"},
    "3": {"id": 3, "name": None},
    "4": {"id": 4, "name": "Alone"},
    "5": {"id": 5, "name": "Not needed"},
}


def test_wishes_are_about_the_first_two_records_with_a_text_and_the_second_asks() -> None:
    table = songs((NAME,), ROWS)
    method = change(table)
    assert method is not None
    found = wishes([table], [look_up(table), method])
    assert [(one.key, one.column, one.new, one.asks) for one in found] == [
        ("2", "name", "A new name", False),
        ("4", "name", "Lind", True),
    ]
    assert wishes([table], [look_up(table)]) == ()  # nothing could change it


@pytest.mark.parametrize("row", [{"name": "abc"}, {"name": 5}, {"name": "  ab "}, {"name": "song-1"}])
def test_what_is_no_text_to_ask_for(row: dict[str, Any]) -> None:
    table = songs((NAME,), {"song-1": {"id": 1, **row}})
    method = change(table)
    assert method is not None
    assert wishes([table], [look_up(table), method]) == ()


@given(st.lists(st.sampled_from(["a", "b", "cd"]), min_size=1, max_size=4).map(" ".join))
def test_the_new_text_is_another(value: str) -> None:
    assert _alter(value, [value], "note") != value


@pytest.mark.parametrize(
    ("value", "new"),
    [
        ("The lamp flickers", "A new note"),
        ("Mara Veld", "Mara Lind"),
        ("mara@veld.example", "new.address@example.com"),
        ("2026-01-04", "2026-01-04 B"),
        ("Lind", "Lind B"),
    ],
)
def test_the_new_text_is_of_the_same_kind(value: str, new: str) -> None:
    assert _alter(value, [value], "note") == new
