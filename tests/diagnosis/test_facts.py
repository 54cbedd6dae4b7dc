"""What counts as a fact in running text, and what is known."""

from datetime import date

import pytest

from pytest_tau.diagnosis.facts import Known, facts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I am Mia, my id is mia_li_3668.", [("user id", "mia_li_3668")]),
        ("Use gift_card_7359776, please.", [("id", "gift_card_7359776")]),
        ("Write to Mia.Li@Example.com.", [("e-mail address", "mia.li@example.com")]),
        ("Call (555) 284-3307 or +1 555-284-3307.", [("phone number", "5552843307")] * 2),
        ("My zip is 98157, the order #W4307752.", [("zip code", "98157"), ("code", "w4307752")]),
        ("Claim S-31036 of K-29103", [("code", "s-31036"), ("code", "k-29103")]),
        ("Reservation M05KNL on HAT136", [("code", "m05knl"), ("code", "hat136")]),
        ("My name is Raj Santos and I wait.", [("name", "raj santos")]),
        ("It cost $1200, or 1200 dollars, in 2024, and has 256GB and 1,500 parts.", []),
        ("Nothing here", []),
    ],
)
def test_facts(text: str, found: list[tuple[str, str]]) -> None:
    assert sorted(facts(text)) == sorted(found)


@pytest.mark.parametrize(
    ("shown", "said", "known"),
    [
        ("TAU187", "TAU-187", True),
        ("K-20206", "K20206", True),
        ("K-20206", "k-20206 or K-20206", True),
        ("K-20206", "K-20207", False),
        ("K20206", "K20207", False),
    ],
)
def test_a_code_is_known_with_its_hyphen_or_without(shown: str, said: str, known: bool) -> None:
    seen = Known()
    seen.add(f"It is {shown}.")
    assert [seen.holds(one) for one in facts(said)] == [known]


def test_known() -> None:
    known = Known()
    known.add('{"user_id": "mia_li_3668", "zip": "98157", "phone": "(555) 284-3307", "date": "2024-05-20"}')
    assert all(known.holds(fact) for fact in facts("mia_li_3668 98157 555-284-3307, and my name is Mia Li"))
    assert not any(known.holds(fact) for fact in facts("mia_li_3669 98158 555-284-3308, and my name is Mia Lo"))
    assert [known.holds(date(2024, 5, day)) for day in (18, 19, 20, 21, 22)] == [False, True, True, True, False]


@pytest.mark.parametrize("circle", ["1", "A1", "1.", "a_", "a@"])
def test_a_text_without_end_is_read_once(circle: str) -> None:
    """Of a model in a circle; as long as this it took minutes, where a part of it was read from each beginning."""
    assert "e-mail address" not in {fact.kind for fact in facts(circle * 40_000)}
