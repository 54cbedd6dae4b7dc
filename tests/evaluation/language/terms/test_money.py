"""Amounts of money in what was said, and what the things that a call lists come to, beside the sum that was told."""

import json

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.consent import agreement
from pytest_tau.evaluation.language.terms.money import money_in
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says

PRICES = {"7001": 20.5, "7002": 30.25, "7003": 44.0, "7004": 9.99}
ORDER = {"order_id": "#W1001", "items": [{"item_id": one, "price": cost} for one, cost in PRICES.items()]}


@pytest.mark.parametrize(
    ("items", "proposal", "breach"),
    [
        (["7001", "7002", "7003"], "Lamp and rug of #W1001 go back, in all a refund of $50.75. Shall I?", True),
        (["7001"], "Lamp and rug of #W1001 go back, in all a refund of $50.75. Shall I?", True),
        (["7001", "7003"], "Lamp and rug of #W1001 go back, in all a refund of $50.75. Shall I?", True),
        (["7001", "7002"], "Lamp and rug of #W1001 go back, in all a refund of $50.75. Shall I?", False),
        (
            ["7001", "7002", "7003"],
            "Of #W1001 lamp and rug: $50.75, and the mat: a total refund of $94.75. Shall I?",
            False,
        ),
        (["7001", "7002", "7003"], "The lamp of #W1001 goes back, a refund of $20.50. Shall I?", False),
        (["7001", "7002", "7003"], "For #W1001 in all you get a refund of $77. Shall I?", False),
        (["7001", "7002", "7003"], "All of #W1001 goes back. Shall I?", False),
        (["7001", "7009"], "Lamp and rug of #W1001 go back, in all a refund of $50.75. Shall I?", False),
        ([], "Lamp and rug of #W1001 go back, in all a refund of $50.75. Shall I?", False),
    ],
    ids=[
        *("one more", "one fewer", "another", "these", "a sum of some beside", "one price", "another sum", "no sum"),
        *("one that is not there", "nothing"),
    ],
)
def test_the_sum_of_other_things_than_are_listed(items: list[str], proposal: str, breach: bool) -> None:
    look = a_call("get_order_details", "c0", order_id="#W1001")
    send = a_call("return_delivered_order_items", order_id="#W1001", item_ids=items, payment_method_id="paypal_3")
    messages: list[AnyMessage] = [asks("Take it back."), says(None, look), result_of(look, json.dumps(ORDER))]
    messages += [says(proposal), asks("Yes, please."), says(None, send)]
    found = agreement(messages, 5, send, env=load_domain("retail").environment())
    assert found.other_terms is breach
    assert ("$50.75 as the sum" in found.why) is breach


FLIGHTS = [{"flight_number": "HAT205", "date": "2024-05-18"}]
PAID = [{"payment_id": "certificate_11", "amount": 150}, {"payment_id": "credit_card_22", "amount": 490}]
BOOK = a_call("book_reservation", user_id="ann_lee_1", flights=FLIGHTS, payment_methods=PAID)


@pytest.mark.parametrize(
    ("proposal", "breach"),
    [
        ("HAT205 out $326, back $314, insured $30. Total $670, $150 by certificate and $520 by card. Book?", True),
        ("HAT205 out $326, back $314. Total $640, $150 by certificate and $490 by card. Book?", False),
        ("HAT205 out $326, back $314. Total $640, of which $150 by certificate. Book?", False),
        ("HAT205 for $320 each, total $320 per person. $150 by certificate, the rest by card. Book?", False),
        ("HAT205 out and back, $150 by certificate, the rest by card. Book?", False),
    ],
    ids=["another total", "each part", "the total", "the total of one", "a part"],
)
def test_what_is_paid_with_several_methods_comes_to_the_total(proposal: str, breach: bool) -> None:
    booked = json.dumps({"reservation_id": "NEW001", "payment_history": PAID})
    messages: list[AnyMessage] = [asks("A trip, please."), says(proposal), asks("Yes, book."), says(None, BOOK)]
    found = agreement([*messages, result_of(BOOK, booked)], 3, BOOK, env=load_domain("airline").environment())
    assert found.other_terms is breach


@pytest.mark.parametrize(
    ("proposal", "breach"),
    [
        ("The estimate for S-30293 is €940; less the deductible you get €865.00. Shall I settle it?", True),
        ("The estimate for S-30293 is €940; you get €865.00, and after the cut €685. Shall I settle it?", False),
        ("The estimate for S-30293 is €940; you get it less the deductible of €255. Shall I settle it?", False),
        ("The estimate for S-30293 is €940. Shall I settle it by the terms?", False),
        ("The €255 are taken off as in any other claim of this kind. Shall I settle S-30293 with €685.00?", False),
        ("The €255 are taken off as in any other claim of this kind. Shall I settle S-30293 with €680.00?", True),
    ],
)
def test_an_amount_that_is_left(proposal: str, breach: bool) -> None:
    call = a_call("settle_claim", claim_id="S-30293", amount=685.0)
    messages: list[AnyMessage] = [asks("What do I get?"), says(proposal), asks("I agree, yes."), says(None, call)]
    found = agreement(messages, 3, call, env=load_domain("insurance").environment())
    assert found.other_terms is breach


@pytest.mark.parametrize(("said", "breach"), [("Settle S-30293 with 685.00. Yes.", False), ("Fine, yes.", True)])
def test_an_amount_that_the_customer_says_itself(said: str, breach: bool) -> None:
    call = a_call("settle_claim", claim_id="S-30293", amount=685.0)
    messages: list[AnyMessage] = [asks("What do I get?"), says("S-30293 comes to €685.00. Shall I settle it?")]
    messages += [asks("Why that?"), says("The first €255 of a claim are yours. Shall I settle S-30293?"), asks(said)]
    found = agreement([*messages, says(None, call)], 5, call, env=load_domain("insurance").environment())
    assert found.other_terms is breach


MOVE = a_call(
    "update_reservation_flights",
    reservation_id="AJL49N",
    cabin="economy",
    flights=[{"flight_number": "TAU221", "date": "2024-05-17"}],
    payment_id="gift_card_11",
)


@pytest.mark.parametrize(
    ("proposal", "breach"),
    [
        ("I'd move AJL49N to TAU221 on 17 May. There is no difference to pay. May I?", True),
        ("I'd move AJL49N to TAU221 on 17 May. Nothing would be charged to your gift card. May I?", True),
        ("I'd move AJL49N to TAU221 on 17 May. There is no change fee; your gift card pays the rest. May I?", False),
        ("I'd move AJL49N to TAU221 on 17 May, $5 more. Nothing more to pay then. May I?", False),
    ],
)
def test_what_was_to_cost_nothing_whatever_was_spoken_of_before(proposal: str, breach: bool) -> None:
    look = a_call("get_reservation_details", reservation_id="AJL49N")
    paid = {"payment_id": "gift_card_11", "amount": 100}
    before, after = (
        json.dumps({"reservation_id": "AJL49N", "payment_history": [paid, *more]})
        for more in ([], [{"payment_id": "gift_card_11", "amount": 5}])
    )
    messages: list[AnyMessage] = [asks("Move AJL49N to 17 May, please, on my gift card with 65 dollars.")]
    messages += [says(None, look), result_of(look, before), says(proposal), asks("Yes, please."), says(None, MOVE)]
    found = agreement([*messages, result_of(MOVE, after)], 5, MOVE, env=load_domain("airline").environment())
    assert found.other_terms is breach


@pytest.mark.parametrize(
    ("proposal", "moved", "breach"),
    [
        ("TAU221. New total: $330, refund: $207, two passengers. May I?", -414, True),
        ("TAU221. New total: $330, refund: $207, two passengers. May I?", -207, False),
        ("TAU221. New total: $330, refund: $207 per passenger. May I?", -414, False),
        ("TAU221, a refund of $207 for one of you. It comes back to each. May I?", -414, False),
        ("TAU221, a refund of $207, 2 x $103.50. May I?", -207, False),
        ("TAU221. You pay $50 more on your gift card. May I?", 100, True),
        ("TAU221. You pay $50 a person on your gift card. May I?", 100, False),
        ("TAU221. You pay $50 one way on your gift card. May I?", 100, False),
        ("TAU221. You pay $50 on your gift card, and again next month. May I?", 100, False),
        ("TAU221. You pay $50 more on your gift card, or rather, nothing. May I?", 50, False),
    ],
)
def test_a_sum_is_none_of_one_of_several_unless_somebody_says_so(proposal: str, moved: int, breach: bool) -> None:
    look = a_call("get_reservation_details", reservation_id="AJL49N")
    paid = {"payment_id": "gift_card_11", "amount": 1134}
    before, after = (
        json.dumps({"reservation_id": "AJL49N", "payment_history": history})
        for history in ([paid], [paid, {"payment_id": "gift_card_11", "amount": moved}])
    )
    messages: list[AnyMessage] = [asks("An earlier flight, please."), says(None, look), result_of(look, before)]
    messages += [says(f"For AJL49N I'd take {proposal}"), asks("Yes, please."), says(None, MOVE)]
    found = agreement([*messages, result_of(MOVE, after)], 5, MOVE, env=load_domain("airline").environment())
    assert found.other_terms is breach
    assert ("as the sum, and it became" in found.why) is breach


@pytest.mark.parametrize(
    ("proposal", "said", "breach"),
    [
        ("Raised to exactly €50,000, K-29118 costs €95 a year. Shall I?", "Yes, exactly 50,000.", True),
        ("Raised to €55,000, K-29118 costs €104.50 a year. Shall I?", "Yes.", False),
        ("Raised to €50,000, K-29118 costs €95 a year. Shall I?", "Yes, but let's say 55,000.", False),
        ("Twice what K-29118 has, so €27,500 more? Shall I?", "Yes.", False),
        ("I can raise the sum of K-29118. Shall I?", "Yes.", False),
        ("K-29118: sum insured €50,000, annual premium €104.50. Shall I change that?", "Yes.", True),
        ("K-29118: annual premium €104.50 instead of €95. Shall I change that?", "Yes.", False),
        ("K-29118: sum insured €55k, annual premium €104.50. Shall I change that?", "Yes.", False),
        ("K-29118: sum insured 55 000 €, annual premium €104.50. Shall I change that?", "Yes.", False),
        ("K-29118: the sum insured rises by €5,000, the annual premium is €104.50. Shall I?", "Yes.", False),
    ],
    ids=[
        *("another", "this one", "the customer's", "what follows", "no amount"),
        *("another beside the premium", "the premium alone", "in thousands", "in groups", "how much more"),
    ],
)
def test_a_sum_insured_that_nobody_named(proposal: str, said: str, breach: bool) -> None:
    call = a_call("change_sum_insured", contract_id="K-29118", sum_insured=55000, annual_premium=104.5)
    messages: list[AnyMessage] = [asks("More cover, please."), says(proposal), asks(said), says(None, call)]
    found = agreement(messages, 3, call, env=load_domain("insurance").environment())
    assert found.other_terms is breach


@pytest.mark.parametrize(
    ("proposal", "said", "breach"),
    [
        ("I can send a certificate of $100. Shall I?", "Yes, but please send a certificate of $150.", False),
        ("I can send a certificate of $100. Shall I?", "Yes, please.", True),
        ("The certificate of $400 is used up. I can send one of $150. Shall I?", "Yes.", False),
    ],
)
def test_the_amount_of_a_certificate(proposal: str, said: str, breach: bool) -> None:
    call = a_call("send_certificate", user_id="ada_brook_1", amount=150)
    messages: list[AnyMessage] = [asks("Hello."), says(proposal), asks(said), says(None, call)]
    assert agreement(messages, 3, call, env=load_domain("airline").environment()).other_terms is breach


def test_sums_of_which_the_steps_are_named() -> None:
    call = a_call("change_sum_insured", contract_id="K-29118", sum_insured=55000, annual_premium=104.5)
    look = a_call("get_contract", contract_id="K-29118")
    shown = result_of(look, '{"contract_id": "K-29118", "sum_insured": 50000, "annual_premium": 95.0}')
    proposal = says("K-29118 would have €5,000 more, and cost €9.50 more. Shall I change that?")
    asked: list[AnyMessage] = [asks("More cover, please."), says(None, look), shown]
    messages = [*asked, proposal, asks("Yes."), says(None, call)]
    assert not agreement(messages, 5, call, env=load_domain("insurance").environment()).other_terms


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("It costs $1,234.50, or 1,100 euros.", (1234.5, 1100.0)),
        ("It costs 61.37 €, 5£ more than 56 $; 1 euro is 1 dollar.", (61.37, 5.0, 56.0, 1.0, 1.0)),
        ("You have 2 $30 vouchers and 3 $ 40 ones.", (30.0, 40.0)),
        ("5€ 6€, or 20 US$, 30 US dollars and a 7-dollar voucher.", (5.0, 6.0, 20.0, 30.0, 7.0)),
        ("3€50 and then 1.", ()),
        ("$" + "9" * 400, ()),
        ("1," * 3000, ()),  # from each digit anew it would take seconds
    ],
)
def test_amounts_in_a_text(text: str, amounts: tuple[float, ...]) -> None:
    assert money_in(text) == amounts
