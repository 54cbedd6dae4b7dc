"""Where the workshop's part of a domain lies: of one's own, of a built-in one, and where it lay before."""

from pathlib import Path

import pytest

from pytest_tau.environment.domain import load_domain, load_part
from pytest_tau.environment.folders import builtin_folder
from tau_workshop.parts import has_part, load_workshop_part, workshop_folder

PART = "from .schema import MockDB\n\nfamily = MockDB\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A domain of one's own, with the files of the built-in to-do list."""
    made = tmp_path / "domains" / "shop"
    made.mkdir(parents=True)
    for file in builtin_folder("domains", "mock").glob("*.*"):
        (made / file.name).write_bytes(file.read_bytes())
    return made


def test_it_lies_under_workshop_at_the_domain_s_path_and_shares_its_modules(folder: Path) -> None:
    place = workshop_folder(folder)
    assert place == folder.parent.parent / "workshop" / "domains" / "shop"
    place.mkdir(parents=True)
    (place / "atoms.py").write_text(PART, encoding="utf-8")
    assert has_part(folder, "atoms")
    found = load_workshop_part(folder, "atoms")
    assert found is not None
    assert found.family is load_part(folder, "schema").MockDB
    assert load_domain(folder).name == "shop"


def test_the_place_of_before_is_read_with_a_warning_that_names_the_new_one(folder: Path) -> None:
    (folder / "atoms.py").write_text(PART, encoding="utf-8")
    with pytest.warns(DeprecationWarning, match="is read from .*workshop.domains.shop now; move it there"):
        assert load_workshop_part(folder, "atoms") is not None


def test_a_domain_without_a_workshop_has_no_parts(folder: Path) -> None:
    assert not has_part(folder, "atoms")
    assert load_workshop_part(folder, "atoms") is None


def test_a_part_of_the_base_hides_none_of_the_domain_s_own(folder: Path) -> None:
    other = folder.parent / "other"
    other.mkdir()
    (other / "values.toml").write_text('base = "shop"\n', encoding="utf-8")
    for name, parts in (("shop", ("atoms", "endings")), ("other", ("atoms",))):
        place = workshop_folder(folder.parent / name)
        place.mkdir(parents=True)
        for part in parts:
            (place / f"{part}.py").write_text(f"name = {name!r}\n", encoding="utf-8")
    found = [load_workshop_part(other, part) for part in ("endings", "atoms")]
    assert [getattr(one, "name", None) for one in found] == ["shop", "other"]


@pytest.mark.parametrize("name", ["retail", "airline", "telecom", "insurance"])
def test_a_built_in_domain_has_atoms_and_none_of_them_where_a_run_looks(name: str) -> None:
    folder = builtin_folder("domains", name)
    assert has_part(folder, "atoms")
    assert not (folder / "atoms.py").exists()
    assert not (folder / "atoms").exists()
