"""What takes the place of personal values: of the same form, each another, and with a key always the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_tau.errors import SettingsError
from tau_workshop.import_.personal import Kind
from tau_workshop.import_.stand_ins import StandIns, read_key

KEY = bytes(range(32))


@pytest.mark.parametrize("length", [1, 2, 3])
def test_no_two_numbers_of_a_form_become_one_and_none_stays(length: int) -> None:
    numbers = [str(number).zfill(length) for number in range(10**length)]
    made = [StandIns(KEY).make(f"O{number}", "order", 1) for number in numbers]
    assert len(set(made)) == len(made)
    assert [one for one, number in zip(made, numbers, strict=True) if one == f"O{number}"] == []
    assert {one[0] for one in made} == {"O"}


@pytest.mark.parametrize(
    ("value", "again", "kind"),
    [
        ("+1 555-123-4567", "15551234567", "phone"),
        ("4000 1234 1234 1234", "4000123412341234", "card"),
        ("#W2586676", "w2586676", "order"),
    ],
)
def test_the_same_number_however_it_is_written(value: str, again: str, kind: Kind) -> None:
    def bare(text: str) -> str:
        return "".join(one for one in text.casefold() if one.isalnum())

    stand_ins = StandIns(KEY)
    assert bare(stand_ins.make(value, kind, 1)) == bare(stand_ins.make(again, kind, 2)) != bare(value)


@pytest.mark.parametrize("key", [None, KEY])
def test_a_booking_code_is_another_code(key: bytes | None) -> None:
    made = StandIns(key).make("XEHM4B", "order", 12)
    assert len(made) == 6
    assert made[1:].isdigit()
    assert StandIns(key).make("ORDER-2024-17", "order", 12).startswith("ORDER-")


def test_a_key_is_made_once_and_read_by_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "redaction.key"
    key = read_key(file)
    assert read_key(file) == key != read_key(tmp_path / "other.key")
    assert file.stat().st_mode & 0o077 == 0


def test_keys_that_are_refused(tmp_path: Path) -> None:
    (tmp_path / "no.key").write_text("secret", encoding="utf-8")
    with pytest.raises(SettingsError, match="holds no key; name a file that does not exist"):
        read_key(tmp_path / "no.key")
    with pytest.raises(SettingsError, match="cannot be read or written"):
        read_key(tmp_path)
    with pytest.raises(SettingsError, match="lies in the folder of the tasks"):
        read_key(tmp_path / "shop" / "a.key", apart_from=tmp_path / "shop")
    assert not (tmp_path / "shop").exists()
