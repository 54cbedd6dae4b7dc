"""Modules by the names that they had before: found, the same as the new ones, and told."""

import importlib
import sys
import warnings

import pytest

from pytest_tau import moved


@pytest.mark.parametrize("old", sorted(set(moved._NOW) - moved._STAYS))
def test_an_old_name_is_the_new_module_and_warns(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("pytest_tau.generation", "pytest_tau.dataset"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, f"pytest_tau.{old}", raising=False)
    new = moved._NOW[old]
    with warnings.catch_warnings(record=True) as told:  # the packages above it may have moved as well
        warnings.simplefilter("always")
        found = importlib.import_module(f"pytest_tau.{old}")
    assert found is importlib.import_module(new)
    assert f"pytest_tau.{old} is {new} now" in {str(one.message) for one in told}


def test_a_part_of_a_package_that_moved_is_found_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("pytest_tau.generation")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.warns(DeprecationWarning, match=r"tau_workshop\.compose"):
        found = importlib.import_module("pytest_tau.generation.compose.atoms")
    assert found is importlib.import_module("tau_workshop.compose.atoms")


@pytest.mark.filterwarnings("error")
def test_the_name_of_agreement_stays_beside_the_new_one() -> None:
    assert importlib.import_module("pytest_tau.evaluation.consent") is importlib.import_module(
        "pytest_tau.evaluation.language.consent"
    )


def test_a_name_that_never_was_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"pytest_tau\.generations"):
        importlib.import_module("pytest_tau.generations")


def test_the_options_of_composing_are_found_by_their_old_name() -> None:
    from tau_workshop import compose

    with pytest.warns(DeprecationWarning, match="Knobs is ComposeOptions now"):
        assert compose.Knobs is compose.ComposeOptions
