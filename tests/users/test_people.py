"""Somebody drawn from the profile of people: what they write, and what of it stays as the script has it."""

import re
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.evaluation.language.dialogue import says_yes
from pytest_tau.users.people import _STOCK, GREETS, MANNERS, draw_person, profile
from pytest_tau.users.pieces import sentences
from tests.strategies import text

SEEDS = range(150)
WISH = (
    "Hello. I'd like two changes to order #W6587265. First, I want the boots in black. Send it to 5 Canal Road, Reno."
)


def letters(text: str) -> str:
    return re.sub(r"\W", "", text.casefold())


def test_the_same_seed_draws_the_same_person_who_writes_the_same() -> None:
    assert draw_person(7) == draw_person(7) != draw_person(8)
    assert {draw_person(7).write(WISH, 3) for _ in range(3)} == {draw_person(7).write(WISH, 3)}


@pytest.mark.parametrize("trait", ["words", "small", "open_end", "greets", "thanks"])
def test_traits_of_the_drawn_are_spread_as_peoples(trait: str) -> None:
    drawn = sorted(draw_person(seed).traits[trait] for seed in SEEDS)
    assert fmean(drawn) == pytest.approx(fmean(profile().quantiles[trait]), abs=0.12 * max(1.0, fmean(drawn)))


def test_traits_go_together_as_in_people() -> None:
    people = [draw_person(seed).traits for seed in SEEDS]
    long = [one for one in people if one["words"] >= 12]
    short = [one for one in people if one["words"] <= 4]
    assert fmean(one["short"] for one in long) + 0.2 < fmean(one["short"] for one in short)


def test_ids_numbers_addresses_and_what_is_quoted_stay() -> None:
    told = 'Order #W6587265 for nadir.dragan1060@example.com, $13.50, 555-123-4567, "Quiet lamp", card_77 [attach: p.1]'
    kept = [
        "#W6587265",
        "nadir.dragan1060@example.com",
        "$13.50",
        "555-123-4567",
        '"Quiet lamp"',
        "card_77",
        "[attach: p.1]",
    ]
    for seed in SEEDS:
        written = draw_person(seed).write(told, 5)
        assert all(one in written for one in kept), written


@given(st.integers(0, 2**31))
def test_law_all_of_a_wish_is_told(seed: int) -> None:
    parts = draw_person(seed).parts(WISH)
    assert all(one in " ".join(parts) for one in ("#W6587265", "boots in black", "5 Canal Road, Reno"))


@given(text(), st.integers(0, 2**31))
def test_law_any_wish_can_be_told(wish: str, seed: int) -> None:
    parts = draw_person(seed).parts(wish, [wish])
    assert parts
    assert all(part.strip() for part in parts) or not wish.strip()


def test_who_opens_with_a_word_says_what_they_want_only_when_asked() -> None:
    shy = next(person for seed in SEEDS if (person := draw_person(seed)).traits["opening"] < GREETS)
    opening, *later = shy.parts(WISH)
    assert re.fullmatch(r"(?:hello|hi|hey)\W?", opening, re.IGNORECASE)
    assert letters("".join(later)).startswith(letters(sentences(WISH)[1]))


def test_each_stock_yes_is_a_yes_to_the_rules_and_stays_one_as_it_is_typed() -> None:
    yes = [line for line in _STOCK if line.startswith("Yes") or "Yes" in line]
    assert len(yes) == 2
    for line in yes:
        assert all(says_yes(draw_person(seed).write(line, place)) for seed in SEEDS for place in range(3))


def test_no_other_stock_line_refuses_anything() -> None:
    lines = [one for short, longer in _STOCK.values() for one in (*short, *longer)]
    assert not any(re.match(r"no\b|not\b|wait\b", one, re.IGNORECASE) for one in lines)


def test_what_a_tool_says_stays_word_by_word() -> None:
    for seed in range(50):
        assert "It says: SIM ok (PIN 4471)." in draw_person(seed).write(
            "I have done that. It says: SIM ok (PIN 4471).", 4
        )


def test_nothing_is_put_around_what_may_answer_a_proposal() -> None:
    text = "And I do not want to fly alone"
    said = {letters(draw_person(seed).write(text, place, padded=False)) for seed in SEEDS for place in range(3)}
    assert said == {letters(text)}
    assert any(letters(draw_person(seed).write(text, 3)) != letters(text) for seed in SEEDS)


def test_a_model_is_told_how_this_person_writes_with_examples_of_ours() -> None:
    told = [draw_person(seed).describe() for seed in SEEDS]
    assert all("For length and tone only" in one for one in told)
    assert any(MANNERS["small"] in one for one in told)
    assert any(MANNERS["greeting"] in one for one in told)
    assert not any("{" in one for one in told)


@pytest.mark.parametrize(
    ("wish", "begins"),
    [
        ("My train leaves soon. Please cancel my order.", "Please cancel my order."),
        ("Cancel my booking. If that is not possible, change its date.", "Cancel my booking."),
        ("Don't cancel anything yet. Can you tell me the refund first?", "Don't cancel anything yet."),
        ("My photos stay on my phone. They are never sent.", "My photos stay on my phone."),
    ],
)
def test_only_what_leads_up_to_a_wish_is_said_behind_it(wish: str, begins: str) -> None:
    told = [draw_person(seed).parts(wish) for seed in range(80)]
    after_a_greeting = [" ".join(parts[1:]) for parts in told if len(parts[0].split()) == 1]
    assert len(after_a_greeting) > 5
    assert all(one.startswith(begins) for one in after_a_greeting)
