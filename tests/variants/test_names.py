"""Names by origin: groups that differ in nothing but their names."""

from collections import Counter

from pytest_tau.variants.names import ORIGINS


def test_every_origin_has_as_many_names_of_each_kind() -> None:
    assert len({tuple(map(len, names)) for names in ORIGINS.values()}) == 1


def test_no_name_stands_for_two() -> None:
    counts = Counter(name for groups in ORIGINS.values() for names in groups for name in names)
    assert [name for name, number in counts.items() if number > 1] == []


def test_names_can_be_typed_and_stand_in_addresses() -> None:
    for groups in ORIGINS.values():
        for name in (name for names in groups for name in names):
            assert name.isascii()
            assert name.isalpha()
            assert name == name.capitalize()
