"""The section on safety, privacy and ethics: it ends own policies, a file of the domain can stand in its place."""

import shutil
from pathlib import Path

import pytest

from pytest_tau import load_domain
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.errors import DomainError
from tests.shared import shared

HEADING = "## Safety, privacy and ethics\n\n*Version 1.*"


@pytest.mark.parametrize("name", ["retail", "airline", "telecom", "insurance", "mock"])
def test_every_own_policy_ends_with_it(name: str) -> None:
    assert load_domain(name).policy.count(HEADING) == 1


def test_public_data_has_none() -> None:
    assert "Safety, privacy and ethics" not in load_domain("retail", data=shared("tau2")).policy


def copied(tmp_path: Path, safety: str) -> Path:
    folder = tmp_path / "desk"
    shutil.copytree(builtin_folder("domains", "mock"), folder, ignore=shutil.ignore_patterns("__pycache__"))
    spec = folder / "domain.py"
    spec.write_text(spec.read_text(encoding="utf-8").replace(', safety="1"', safety), encoding="utf-8")
    return folder


def test_a_domain_can_have_its_own_in_its_place_or_none(tmp_path: Path) -> None:
    own = copied(tmp_path, ', safety="ours.md"')
    (own / "ours.md").write_text("## Be careful\n", encoding="utf-8")
    assert load_domain(own).policy.rstrip().endswith("## Be careful")
    assert HEADING not in load_domain(own).policy
    assert "Be careful" not in (load_domain(own).solo_policy or "")


def test_without_a_word_there_is_none(tmp_path: Path) -> None:
    assert "Safety" not in load_domain(copied(tmp_path, "")).policy


def test_a_version_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DomainError, match=r"there is no safety section '9'; use '1' or a file"):
        load_domain(copied(tmp_path, ', safety="9"'))


def test_a_wrong_mark_is_told_with_its_file(tmp_path: Path) -> None:
    folder = copied(tmp_path, "")
    (folder / "policy.md").write_text("# Desk\n\n<!-- rule: Größe --> Measure.\n", encoding="utf-8")
    with pytest.raises(DomainError, match=r"policy\.md: the mark <!-- rule: Größe -->: write a name in small"):
        load_domain(folder)
