"""How a person opens: what is drawn by which rates, and what of a wish is its gist."""

import re
from random import Random
from statistics import fmean

import pytest

from pytest_tau.users.openings import opening
from pytest_tau.users.people import draw_person, profile

RATES = profile().openings
RETURN = ["My train leaves soon.", "Please cancel order #W6587265, because it takes too long.", "Refund my card."]


def opened(wanted: float, said: list[str], known: str = "", seeds: int = 60) -> list[str]:
    return [opening(wanted, said, [known], RATES, Random(seed))[0] for seed in range(seeds)]


def test_as_many_only_greet_as_people_do() -> None:
    first = [draw_person(seed).parts(" ".join(RETURN))[0] for seed in range(400)]
    assert fmean(len(one.split()) == 1 for one in first) == pytest.approx(0.263, abs=0.05)
    assert fmean(one[0].islower() for one in first if len(one.split()) == 1) == pytest.approx(0.256, abs=0.12)


def test_the_gist_is_of_the_first_sentence_that_asks_and_has_no_id_and_no_reason() -> None:
    found = opened(6, RETURN)
    assert fmean("cancel" in one for one in found) > 0.8
    assert not any("train" in one or "because" in one or "Refund" in one for one in found)
    assert fmean("#W6587265" in one for one in found) < 0.35


def test_a_record_without_its_id_is_whose_it_was() -> None:
    found = opened(5, ["My flight TAU122 from Miami is late."])
    assert not any("my my" in one.lower() for one in found)
    assert fmean("y flight from Miami" in one for one in found) > 0.3


def test_what_one_asks_of_the_other_is_no_wish_to_do_it_oneself() -> None:
    assert not any(re.search(r"(?:need|want|like) to tell", one) for one in opened(9, ["Please tell me the total."]))


@pytest.mark.parametrize("wanted", [5, 9, 14, 20, 40])
def test_what_is_told_entirely_is_told_word_by_word(wanted: float) -> None:
    said = ["I want to cancel order #W6587265.", "It takes too long for me.", "Refund my card ending in 4595."]
    for seed in range(40):
        text, told = opening(wanted, said, [], RATES, Random(seed))
        text = text.replace("  ", " ")
        assert told < 1 or "#W6587265" in text
        assert told < 2 or "takes too long for me" in text
        assert told < 3 or "ending in 4595" in text


def test_who_says_their_name_says_the_one_they_have() -> None:
    named = [one for one in opened(16, RETURN, "My name is Dalia Grubb and my zip code is 68153.") if "Dalia" in one]
    assert 5 <= len(named) <= 55
    assert not any("Grubb" in one for one in named)
    assert not any(re.search(r"\bname is\b|\bThis is\b", one) for one in opened(16, RETURN, "My number is 555."))


@pytest.mark.parametrize("said", [["Hm."], ["#W1"], ["Please."], ["I"], ["Please don't."]])
def test_any_wish_can_be_opened_with(said: list[str]) -> None:
    assert all(text.strip() for wanted in (1, 3, 9, 30) for text in opened(wanted, said, seeds=20))
