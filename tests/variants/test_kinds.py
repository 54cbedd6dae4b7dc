import pytest

from pytest_tau.errors import SettingsError
from pytest_tau.variants import Dose, Kind, Kinds, builtin_kinds, joined_doses, read_doses
from pytest_tau.variants.names import ORIGINS

KINDS = builtin_kinds()


@pytest.mark.parametrize(
    ("text", "doses"),
    [
        ("typos", [Dose("typos")]),
        ("typos:0.3", [Dose("typos", 0.3)]),
        ("typos:0.5", [Dose("typos")]),
        ("typos:0", [Dose("typos", 0.0)]),
        (" rude , typos,rude", [Dose("rude"), Dose("typos")]),
        ("typos:0.2,typos:1", [Dose("typos", 0.2), Dose("typos", 1.0)]),
        ("dialect:indian", [Dose("dialect", choice="indian")]),
        ("dialect:indian:0.8", [Dose("dialect", 0.8, "indian")]),
        ("identity:arabic", [Dose("identity", choice="arabic")]),
        ("identity", [Dose("identity", choice=origin) for origin in ORIGINS]),
    ],
)
def test_doses_are_read(text: str, doses: list[Dose]) -> None:
    assert read_doses(text, KINDS) == doses


@pytest.mark.parametrize(("text", "strength"), [("identity", 0.5), ("identity:0.3", 0.3)])
def test_one_of_many_is_any_of_its_variants_where_one_telling_is_meant(text: str, strength: float) -> None:
    assert joined_doses(text) == [Dose("identity", strength)]
    with pytest.raises(SettingsError, match="are several perturbations"):
        joined_doses("typos,rude")


def test_the_name_of_a_dose_reads_as_the_dose() -> None:
    for dose in read_doses("all,all:0.25,all:1", KINDS):
        assert read_doses(str(dose), KINDS) == [dose]


def test_all_are_those_that_need_no_model() -> None:
    names = {dose.kind for dose in read_doses("all", KINDS)}
    assert names == KINDS.keys() - {"language"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no perturbation is named"),
        (" , ", "no perturbation is named"),
        ("typo", "there is no perturbation 'typo': use all, or some of reworded, "),
        ("typos:2", "'typos:2': its strength must be a number from 0 to 1"),
        ("typos:-1", "'typos:-1': its strength"),
        ("typos:0.1:0.2", "'typos:0.1:0.2': its strength"),
        ("typos:strong", "typos has no variant 'strong': it has none"),
        ("dialect:klingon", "dialect has no variant 'klingon': use british, "),
        ("all:many", "'all:many': its strength"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(text: str, said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read_doses(text, KINDS)
    assert said in str(refused.value)


def test_a_kind_of_ones_own_has_a_name_of_its_own() -> None:
    kinds = builtin_kinds()
    mine = Kind("shouted", "words", "in capitals", lambda task, domain, dose, seed: task)
    kinds.add(mine)
    assert kinds["shouted"] is mine
    with pytest.raises(SettingsError, match="of this name already"):
        kinds.add(mine)
    for name in ("all", "Shouted", "a b", "typos:1", ""):
        with pytest.raises(SettingsError, match="small letters"):
            Kinds().add(Kind(name, "words", "", mine.change))
