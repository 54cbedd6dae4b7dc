"""A yes to one of several changes that a list put forward."""

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.consent import agreement
from pytest_tau.evaluation.language.points import points_of
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says

ADDRESS = a_call("modify_pending_order_address", order_id="#W2002", address1="1 Elm Street", city="Reno")
TWO = """1. Profile: the new address, 1 Elm Street, Reno
2. Order #W2002 (telescope, still pending): the same address

May I make both changes?"""
DASHES = """I'd do this:
- put the new address into your profile
- send #W2002 with the telescope to 1 Elm Street, Reno

Is that all right?"""
HOME = a_call("modify_user_address", "c1", user_id="ann_lee_1", address1="1 Elm Street", city="Reno")


@pytest.mark.parametrize(
    ("proposal", "said", "verdict"),
    [
        (TWO, "The profile, yes. With the telescope I'm not sure.", "unclear"),
        (TWO, "Yes for the profile. Let me ring my brother.", "unclear"),
        (DASHES, "The profile, yes.", "unclear"),
        (TWO, "The profile, yes, please go ahead with that one.", "unclear"),
        (TWO, "Number 1, yes, only the profile for now. Number 2 I'll sleep on.", "unclear"),
        (TWO, "Yes.", "yes"),
        (TWO, "Yes, both, the profile first.", "yes"),
        (TWO, "Yes, profile and telescope.", "yes"),
        (TWO, "Yes for the profile. The telescope goes there too.", "yes"),
        (TWO, "Yes, go ahead. My profile was wrong for years.", "yes"),
        (TWO, "Yes, the sooner the better.", "yes"),
        ("May I send #W2002 to 1 Elm Street in Reno, as in your profile?", "Yes, as in the profile.", "yes"),
    ],
)
def test_a_yes_that_names_another_of_the_changes(proposal: str, said: str, verdict: str) -> None:
    messages: list[AnyMessage] = [asks("I moved to 1 Elm Street, Reno."), says(proposal), asks(said)]
    messages += [says(None, HOME), result_of(HOME, "{}"), says(None, ADDRESS)]
    env = load_domain("retail").environment()
    assert agreement(messages, 5, ADDRESS, env=env) == verdict
    assert agreement([*messages[:3], messages[5]], 3, ADDRESS, env=env) == "yes"
    later = [*messages[:3], messages[5], result_of(ADDRESS, "{}"), *messages[3:5]]
    assert agreement(later, 3, ADDRESS, env=env) == verdict


def test_of_two_calls_of_one_tool_each_has_its_point() -> None:
    rod, tank = (
        a_call("return_delivered_order_items", f"c{at}", order_id=f"#W{at}001", item_ids=[str(at)]) for at in (1, 2)
    )
    proposal = "- The rod of #W1001: $20 back\n- The tank of #W2001: $90 back\nMay I request these returns?"
    messages: list[AnyMessage] = [asks("Both back."), says(proposal), asks("The rod, yes.")]
    messages += [says(None, rod), result_of(rod, "{}"), says(None, tank)]
    env = load_domain("retail").environment()
    assert (agreement(messages, 3, rod, env=env), agreement(messages, 5, tank, env=env)) == ("yes", "unclear")


SUMS = """Both for the contract K-29118:

Step 1: raise the sum insured to €50,000, for €95.00 a year.
Step 2: add the extra "Jewellery" from tomorrow, for €57.00 a year.

Do you agree?"""
RAISE = a_call("change_sum_insured", "c1", contract_id="K-29118", sum_insured=50000, annual_premium=95.0)
EXTRA = a_call("add_extra", contract_id="K-29118", code="HX-JW2", begins="2026-03-17", annual_price=57.0)


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("The 50,000, yes please. Of the ring I have to think.", "unclear"),
        ("Yes to the sum. I must think about fifty-seven euros.", "unclear"),
        ("Yes to both sums.", "yes"),
        ("Yes, 95 and 57 a year.", "yes"),
        ("Yes, with 50,000 the extra makes sense.", "yes"),
    ],
)
def test_where_both_changes_are_to_one_record_the_point_is_known_by_its_numbers(said: str, verdict: str) -> None:
    messages: list[AnyMessage] = [asks("More, please."), says(SUMS), asks(said)]
    messages += [says(None, RAISE), result_of(RAISE, "{}"), says(None, EXTRA)]
    assert agreement(messages, 5, EXTRA, env=load_domain("insurance").environment()) == verdict


def test_the_points_of_a_list() -> None:
    assert points_of(" Address: here\n Item: there\n\nAll right?") == [" Address: here", " Item: there"]
    assert points_of("We do\n1. this\n   - so\n\n2. that\n\nIs it fine?") == ["1. this\n   - so", "2. that"]
    assert points_of("- this\nas said\n- that\n\nIs it - or not - fine?") == ["- this\nas said", "- that"]
    assert points_of("1. this\nand that") == []


@pytest.mark.parametrize(
    ("proposal", "verdict"),
    [
        ("I'd change the address in your profile to 1 Elm Street, Reno. OK?", "unclear"),
        ("I'd change the address in your profile and on #W2002 to 1 Elm Street, Reno. OK?", "yes"),
    ],
)
def test_a_record_that_nobody_named_is_not_agreed_to_beside_another(proposal: str, verdict: str) -> None:
    messages: list[AnyMessage] = [asks("I moved to 1 Elm Street, Reno."), says(proposal), asks("Yes, do that.")]
    messages += [says(None, HOME), result_of(HOME, "{}"), says(None, ADDRESS)]
    assert agreement(messages, 5, env=load_domain("retail").environment()) == verdict
