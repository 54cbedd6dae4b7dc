"""How a person opens: what is drawn by which rates, and what is told of a wish at first."""

import re
from random import Random
from statistics import fmean

import pytest

from pytest_tau.environment.gists import Gists
from pytest_tau.users.openings import opening
from pytest_tau.users.people import draw_person, profile

RATES = profile().openings
RETURN = ["My train leaves soon.", "Please cancel order #W6587265, because it takes too long.", "Refund my card."]


GISTS = Gists(("cancel an order", "Can you cancel my order"), ("ask about an order",))


def opened(wanted: float, said: list[str], known: str = "", seeds: int = 60, gists: Gists = GISTS) -> list[str]:
    return [opening(wanted, said, gists, [known], RATES, Random(seed))[0] for seed in range(seeds)]


def test_as_many_only_greet_as_people_do() -> None:
    first = [draw_person(seed).parts(" ".join(RETURN))[0] for seed in range(400)]
    assert fmean(len(one.split()) == 1 for one in first) == pytest.approx(0.263, abs=0.05)
    assert fmean(one[0].islower() for one in first if len(one.split()) == 1) == pytest.approx(0.256, abs=0.12)


def test_who_opens_with_few_words_calls_the_wish_by_its_gist_and_tells_no_details() -> None:
    found = opened(6, RETURN)
    assert fmean(bool(re.search(r"cancel (?:an|my) order", one)) for one in found) > 0.7
    assert not any(re.search(r"train|because|Refund|#W6587265", one) for one in found)
    assert not any(re.search(r"(?:need|want|like) to Can|to to\b", one) for one in found)


def test_where_the_wish_has_no_gist_it_is_any_of_the_domain_or_a_call_for_help() -> None:
    assert (
        fmean("ask about an order" in one for one in opened(6, RETURN, gists=Gists((), ("ask about an order",)))) > 0.7
    )
    assert fmean("help" in one for one in opened(5, RETURN, gists=Gists())) > 0.8


def test_who_opens_with_more_words_tells_a_fact_or_all_of_a_sentence() -> None:
    found = opened(19, [f"{RETURN[1]} {'Really. ' * 20}"], "My e-mail address is a@example.com.")
    assert fmean("a@example.com" in one for one in found) > 0.3
    assert fmean("because it takes too long" in one for one in opened(18, RETURN[1:])) > 0.3


@pytest.mark.parametrize("wanted", [5, 9, 14, 20, 40])
def test_what_is_told_entirely_is_told_word_by_word(wanted: float) -> None:
    said = ["I want to cancel order #W6587265.", "It takes too long for me.", "Refund my card ending in 4595."]
    for seed in range(40):
        text, told = opening(wanted, said, GISTS, [], RATES, Random(seed))
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
