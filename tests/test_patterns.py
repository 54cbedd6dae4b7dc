"""Regular expressions that are compiled when they are first used: they find what compiled ones find."""

import re
from importlib import import_module

import pytest

from pytest_tau.patterns import TOKEN, lazy


def test_it_compiles_at_the_first_use_and_then_has_the_methods_of_the_pattern() -> None:
    wrong = lazy("(")
    assert wrong.pattern == "("
    with pytest.raises(re.error):
        wrong.search("")
    found = lazy(r"(?P<word>b+)", re.IGNORECASE)
    assert (found.search("aBb", 1) or [""])[0] == "Bb"
    assert found.findall("b B") == ["b", "B"]
    assert (found.groups, dict(found.groupindex)) == (1, {"word": 1})
    assert "search" in vars(found)
    with pytest.raises(AttributeError):
        found.scan  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize(
    "module",
    [
        *(
            "diagnosis.facts",
            "environment.rules",
            "evaluation.criteria.communicate",
            "evaluation.language.told.records",
        ),
        *(f"evaluation.language.{name}" for name in ("asked", "dialogue", "phrases", "proposals", "reasons")),
        *(f"evaluation.language.terms.{name}" for name in ("agreed", "how_long", "money", "payment", "which")),
        *("llm.failures", "llm.written", "users.people", "users.phone", "users.scripted"),
    ],
)
def test_each_of_ours_compiles(module: str) -> None:
    values = list(vars(import_module(f"pytest_tau.{module}")).values())
    inside = [one for value in values if isinstance(value, (tuple, list)) for one in value]
    inside += [one for value in values if isinstance(value, dict) for one in value.values()]
    patterns = [one for one in (*values, *inside) if type(one) is type(lazy(""))]
    assert patterns
    assert all(one.fullmatch("\0") is None for one in patterns)


def test_a_token_is_a_word_a_number_an_id_or_an_address() -> None:
    text = "Is #W12, of ann@example.com, -7 or 2024-05-09? ##A.b. @me a #"
    assert TOKEN.findall(text) == ["Is", "#W12", "of", "ann@example.com", "or", "2024-05-09", "##A.b", "me"]


@pytest.mark.parametrize("sign", ["#", "_", "@", "-", ".", "#-", "a"])
def test_a_run_of_signs_without_end_is_read_once(sign: str) -> None:
    """Read from each of its places, it would take minutes."""
    assert TOKEN.findall(f"{sign * 200_000}! #W12")[-1] == "#W12"
