"""How agents say no."""

import pytest

from pytest_tau.evaluation.language.reasons import gives
from tau_workshop.compose import because, not_yours, refusing


@pytest.mark.parametrize("no", ["isn't possible", "aren't for sale", "don't go", "never work", "are not permitted"])
def test_a_word_with_any_no(no: str) -> None:
    assert any(gives(f"A voucher and such {no}.", phrasing) for phrasing in refusing("bag", "voucher"))
    assert not any(gives(f"A voucher and such {no}.", phrasing) for phrasing in refusing("bag"))
    assert not any(gives("Here is your voucher.", phrasing) for phrasing in refusing("voucher"))


def test_what_is_somebody_elses_is_named() -> None:
    for text in (
        "That is not your boat.",
        "This isn't your boat.",
        "It's linked to someone, but not listed under your name.",
    ):
        assert any(gives(text, phrasing) for phrasing in not_yours("boat"))
    assert not any(gives("I found your boat in your account.", phrasing) for phrasing in not_yours("boat"))


def test_a_reason_is_what_is_listed_and_each_way_to_say_no() -> None:
    reason = because(("it is shut",), no=("shut",), more=(["comes", "late"],))
    assert reason.any_of == ["it is shut", *refusing("shut"), ["comes", "late"]]
    assert because(["no"]).any_of == ["no"]
