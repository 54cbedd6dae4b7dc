"""An agent's own words for a refusal give the reason that a composed task asks for."""

from functools import cache
from typing import Any

import pytest

from pytest_tau import load_tasks
from pytest_tau.evaluation.language.reasons import gives, reading
from pytest_tau.schema.checks import Evidence, Reason
from tau_workshop.compose import Atom
from tests.domains.wishes import wishes

SAID = {
    ("retail", "add_one_more"): (
        "Unfortunately, our policy does not allow adding items to an existing order.",
        "Existing orders don't allow any addition.",
        "I'm not permitted to add products to an order.",
        "Items in a pending order may only be changed to another variant; nothing may be added to it.",
    ),
    ("retail", "other_product"): (
        "An exchange has to stay within the same product.",
        "Exchanges are only possible for a different option of the same item.",
        "Exchanges are only possible for another variant of what you have.",
    ),
    ("retail", "take_one_out"): (
        "Pending orders can only be cancelled as a whole.",
        "It isn't possible to cancel part of a pending order.",
        "A single item won't be cancelled by us, I'm afraid.",
    ),
    ("retail", "too_late_to_cancel"): (
        "That order's status is processed rather than pending; only pending orders can be cancelled.",
        "The order has already shipped, so cancellation isn't available.",
        "It's on its way to you and can't be stopped.",
        "Your order isn't pending any more.",
    ),
    ("retail", "somebody_elses_order"): (
        "That order is not listed under your account, so I can't cancel it.",
        "It doesn't appear to be associated with your account.",
        "I'm not able to cancel orders that belong to another customer.",
        "That order isn't in your profile, so I can't make changes to it.",
        "That order isn't among your orders, so I have to refuse to cancel it.",
        "I'm unable to cancel that order as it's tied to somebody else's account.",
        "It's not one of the orders on your account, so I cannot cancel it.",
    ),
    ("retail", "gift_card_too_small"): (
        "The gift card balance doesn't go far enough: it is less than the total, so your gift card can't be used.",
        "Your gift card holds less than the order costs.",
        "There isn't enough on your gift card to pay for that order.",
        "Your gift card has $50 left. It doesn't cover the total of the order.",
        "The balance is not sufficient for that order.",
    ),
    ("retail", "foreign_refund"): (
        "The refund can only go to the payment method used for the order or to a gift card.",
    ),
    ("insurance", "claim_waiting_period"): (
        "Teeth are insured only from 4 months after the start of cover.",
        "Your policy had not been running long enough when it happened.",
        "It happened too soon after the cover began.",
    ),
    ("insurance", "after_claim_refused"): (
        "That option has lapsed.",
        "The 60 days after the settlement have run out.",
    ),
    ("retail", "too_late_to_move"): (
        "It has been processed, so its address is fixed now.",
        "That order is processed and so nothing about it changes.",
    ),
    ("retail", "second_return"): ("You sent something back once, and that was the one chance that you get.",),
    ("retail", "thinks_on_its_way"): ("It has been dropped off at your place, so I can't cancel it.",),
    ("airline", "cabin_for_one_flight"): ("An upgrade is for the full itinerary or not at all.",),
    ("airline", "move_elsewhere"): ("Changing the arrival city isn't allowed.",),
    ("airline", "cancel_as_gold"): ("Your loyalty tier isn't a factor here.",),
    ("airline", "cabin_for_one"): (
        "The cabin is set per reservation; I cannot move one person to business and leave the others in economy.",
        "It's either all three of you or nobody.",
        "The other two would have to move up too.",
        "We don't upgrade people separately.",
    ),
    ("airline", "cancel_not_covered"): ("Your reason is not illness or weather, so the insurance doesn't apply.",),
    ("airline", "somebody_elses_trip"): (
        "That reservation is not listed under your account, so I can't cancel it.",
        "I can't touch reservations of other customers.",
        "That reservation does not appear in your profile, so I can't discuss it.",
        "It isn't one of your reservations.",
        "It is not among your reservations.",
        "I'm unable to find V702HL in your profile.",
        "I can't find V702HL on your profile.",
        "V702HL does not come up in your profile.",
        "There is no V702HL in your profile.",
        "I can't access V702HL with your profile.",
        "Your friend would need to get in touch with us to cancel it.",
        "Only the person who holds V702HL can have it cancelled.",
        "V702HL is held under a different profile.",
        "That reservation was made by someone other than you.",
    ),
    ("airline", "remove_bag"): (
        "A checked bag isn't something that I may take off.",
        "A checked bag can be added, but not removed.",
        "Once a checked bag is on the reservation, it won't come off.",
        "Luggage cannot be reduced once it's on the reservation.",
    ),
    ("airline", "add_passenger"): ("We can't put another traveler on FXT9EY.", "A fourth traveller can't join it."),
    ("airline", "drop_passenger"): ("I'm unable to reduce the headcount.",),
    ("airline", "compensation_not_delayed"): (
        "It isn't late, so there is nothing to compensate.",
        "The flight leaves as planned.",
    ),
    ("airline", "compensation_other_reason"): (
        "Technical problems with the website don't qualify.",
        "There isn't any provision for website failures.",
    ),
    ("airline", "upgrade_by_certificate"): (
        "Only a credit card or a gift card works for a cabin change.",
        "A certificate isn't accepted for changes to a reservation.",
        "The difference has to be paid by credit card or gift card.",
    ),
    ("airline", "insurance_later"): (
        "We can't sell it retroactively.",
        "Insurance is not an option once the booking has been made.",
        "Insurance must be bought when the reservation is made.",
    ),
    ("airline", "compensation_delay_only"): (
        "A delay is compensated only if you decide to cancel the trip or have it moved.",
    ),
}  # fmt: skip


@cache
def wish(name: str, intent: str) -> Atom:
    return next(atom for _, atom in wishes(name) if atom.intent == intent)


def phrasings(atom: Atom) -> list[Any]:
    return next(check.any_of for check in atom.checks if isinstance(check, Reason))


@pytest.mark.parametrize(
    ("name", "intent", "text"), [(*which, text) for which, texts in SAID.items() for text in texts]
)
def test_a_natural_refusal_gives_the_reason(name: str, intent: str, text: str) -> None:
    assert any(gives(text, phrasing) for phrasing in phrasings(wish(name, intent)))


@pytest.mark.parametrize(("name", "intent"), SAID)
def test_what_says_nothing_of_it_gives_no_reason(name: str, intent: str) -> None:
    for text in ("Done! Is there anything else?", "I have taken care of everything that you asked for."):
        assert not any(gives(text, phrasing) for phrasing in phrasings(wish(name, intent)))


@pytest.mark.parametrize(
    ("name", "intent"),
    [
        *(("retail", one) for one in ("add_one_more", "take_one_out", "other_product")),
        *(("airline", one) for one in ("cabin_for_one", "cabin_for_one_flight", "move_elsewhere", "remove_bag")),
        *(("airline", one) for one in ("add_passenger", "drop_passenger", "insurance_later", "insurance_back")),
    ],
)
def test_what_the_rule_alone_decides_needs_no_look_at_the_record(name: str, intent: str) -> None:
    assert not any(isinstance(check, Evidence) for check in wish(name, intent).checks)


def test_a_card_that_covers_the_order_is_no_reason() -> None:
    for text in ("Your gift card covers the order.", "There is enough on your gift card."):
        assert reading(text, phrasings(wish("retail", "gift_card_too_small"))) == "no"


@pytest.mark.parametrize(
    "text",
    [
        "Since you are not changing or cancelling the trip, I cannot give a certificate.",
        "You didn't cancel or change the reservation.",
        "Without changing or cancelling the trip you get nothing for a delay.",
    ],
)
def test_what_the_customer_does_not_do_is_a_reason(text: str) -> None:
    assert reading(text, phrasings(wish("airline", "compensation_delay_only"))) == "yes"


@pytest.mark.parametrize("suite", ["retail", "airline", "telecom", "insurance"])
def test_a_refusal_alone_is_no_reason(suite: str) -> None:
    """To be sorry, or unable to, says nothing of why."""
    checks = [
        check
        for task in load_tasks(suite)
        for check in (task.evaluation_criteria and task.evaluation_criteria.trajectory) or []
        if isinstance(check, Reason)
    ]
    for text in (
        "I'm sorry, but I can't do that.",
        "Unfortunately that isn't possible.",
        "I'm sorry, but I'm not able to help with that.",
        "I must decline your request.",
    ):
        assert not any(gives(text, phrasing) for check in checks for phrasing in check.any_of), text
