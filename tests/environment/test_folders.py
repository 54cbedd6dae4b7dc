"""Names of domains in data."""

from pathlib import Path

import pytest

from pytest_tau.environment.folders import builtin_folder, builtin_names, domain_name
from pytest_tau.errors import DomainError


@pytest.mark.parametrize("name", [*builtin_names("domains"), "my shop", "shop-2.1", "größe", "_shop"])
def test_a_name_is_a_name(name: str) -> None:
    assert domain_name(name) == name


PATHS = [
    "",
    ".",
    "..",
    "../evil",
    "../../evil",
    "/etc/evil",
    "a/b",
    "a\\b",
    "C:evil",
    "~",
    "a\nb",
    "a\x00",
    "\x1b[2J",
    "x" * 101,
    "日" * 100,  # more bytes than a file's name can have
]


@pytest.mark.parametrize("name", PATHS)
def test_a_path_is_none(name: str) -> None:
    with pytest.raises(DomainError, match="is not a domain name: a file may name a domain, never a path"):
        domain_name(name)


def test_the_names_of_the_project_are_suggested_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "domains" / "library").mkdir(parents=True)
    with pytest.raises(DomainError, match=r"there is no domain 'libary' \(did you mean 'library'\?\): built in are"):
        builtin_folder("domains", "libary")


def test_a_domain_of_the_public_data_has_no_suite_here() -> None:
    with pytest.raises(DomainError, match="'banking_knowledge' has no data of its own; name the folder of the public"):
        builtin_folder("tasks", "banking_knowledge")
