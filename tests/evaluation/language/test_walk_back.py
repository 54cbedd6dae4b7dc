"""Twenty proposals, thirty ways to say yes and twenty to say no: none is read as its opposite.

The words were written down after the rule, by somebody who knew it; what it does on words of others is measured by
``python -m benchmarks.consent``.
"""

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.consent import agreement
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tests.builders import a_call, asks, result_of, says

ORDER, TRIP, LINE = "#W2003", "KL5T8Q", {"customer_id": "C2103", "line_id": "L2105"}
CANCEL = a_call("cancel_pending_order", order_id=ORDER, reason="no longer needed")
BACK = a_call("return_delivered_order_items", order_id=ORDER, item_ids=["8001"], payment_method_id="paypal_9")
SWAP = a_call(
    "exchange_delivered_order_items",
    order_id=ORDER,
    item_ids=["8001"],
    new_item_ids=["8002"],
    payment_method_id="paypal_9",
)
PAY = a_call("modify_pending_order_payment", order_id=ORDER, payment_method_id="paypal_9")
ITEMS = a_call(
    "modify_pending_order_items",
    order_id=ORDER,
    item_ids=["8001"],
    new_item_ids=["8002"],
    payment_method_id="paypal_9",
)
HOME = {"address1": "4 Pine Lane", "address2": "", "city": "Salem", "state": "OR", "country": "USA", "zip": "97301"}
MOVED, DEFAULT = (
    a_call("modify_pending_order_address", order_id=ORDER, **HOME),
    a_call("modify_user_address", user_id="bo_ray_2", **HOME),
)
FLIGHT = [{"flight_number": "TAU310", "date": "2026-06-03"}]
OFF = a_call("cancel_reservation", reservation_id=TRIP)
BAGS = a_call("update_reservation_baggages", reservation_id=TRIP, total_baggages=3, payment_id="gift_card_4")
CABIN = a_call(
    "update_reservation_flights", reservation_id=TRIP, cabin="business", flights=FLIGHT, payment_id="gift_card_4"
)
NAMES = a_call(
    "update_reservation_passengers",
    reservation_id=TRIP,
    passengers=[{"first_name": "Bo", "last_name": "Ray", "dob": "1980-02-02"}],
)
GIFT = a_call("send_certificate", user_id="bo_ray_2", amount=150)
DATA, ROAM = a_call("refuel_data", **LINE, gb_amount=1.5), a_call("enable_roaming", **LINE)
BILL, LIVE = a_call("send_payment_request", customer_id="C2103", bill_id="B2107"), a_call("resume_line", **LINE)

PROPOSALS: list[tuple[str, ToolCall, str]] = [
    ("retail", CANCEL, f"I'd call off order {ORDER}; $88.10 returns to PayPal. Is this in your interest?"),
    ("retail", CANCEL, f"Cancelling {ORDER}: nothing will be sent, $88.10 comes back. Ready when you are. Shall we?"),
    ("retail", BACK, f"The mug (8001) of {ORDER} goes back and PayPal gets $12.00. Agreeable?"),
    (
        "retail",
        BACK,
        f"I will register a return for the mug (8001), order {ORDER}. Do you want me to go through with it?",
    ),
    ("retail", SWAP, f"Mug 8001 of {ORDER} is exchanged for mug 8002 at the same price. How does that sound?"),
    ("retail", SWAP, f"To sum up: {ORDER}, 8001 out, 8002 in, an exchange at no cost. May I put it through?"),
    ("retail", PAY, f"Order {ORDER} would be paid with your PayPal account from now on. Would that be right?"),
    ("retail", ITEMS, f"I'll modify {ORDER}: 8001 becomes 8002, $3.00 back to PayPal. Can I do so?"),
    ("retail", MOVED, f"{ORDER} would be sent to 4 Pine Lane, Salem, OR 97301. Do you approve of this change?"),
    ("retail", DEFAULT, "Your default address changes to 4 Pine Lane, Salem, OR 97301. Is everything spelled right?"),
    ("airline", OFF, f"I can cancel {TRIP} and you get $402 back. Would you like me to?"),
    ("airline", OFF, f"All of {TRIP} would be cancelled, with a refund of $402. Any doubts, or may I?"),
    ("airline", BAGS, f"{TRIP} with three checked bags, on your gift card. Should I add them?"),
    (
        "airline",
        CABIN,
        f"I upgrade {TRIP} to business on TAU310 for $300 from your gift card. Is that what you had in mind?",
    ),
    ("airline", NAMES, f"The passenger on {TRIP} changes to Bo Ray, born 2 February 1980. Good?"),
    ("airline", GIFT, "For the delay I can issue a certificate over $150. Do you accept?"),
    ("telecom", DATA, "1.5 GB more for your line L2105 would be $3.75. Do you want to buy it?"),
    ("telecom", ROAM, "I'd switch on roaming for your line L2105, which is free. Do I have your permission?"),
    ("telecom", BILL, "I can send you a request to pay bill B2107. Would you like to receive it now?"),
    ("telecom", LIVE, "Line L2105 can be reactivated at once. Do you wish me to resume it?"),
]
YES = (
    *("Yes.", "Yes, thanks.", "Yep.", "Yes, I'm sure.", "Absolutely!", "Of course.", "Please go ahead.", "Do it."),
    *("That's fine with me.", "Sure, no problem.", "Sounds perfect.", "OK, let's do that.", "I agree to that."),
    *("Yes, I don't mind the wait.", "I can't think of a reason not to.", "Go right ahead, I won't change it again."),
    *("Yes please, I never liked it.", "Exactly what I was hoping for.", "Nothing against it.", "I'd love that."),
    *("That would be wonderful.", "Yes, and no need to call me.", "Confirmed.", "Correct, proceed."),
    *("Fine, whatever it takes.", "Certainly, don't hesitate.", "By all means, yes.", "It's a deal.", "I do."),
    "Stop asking and just do it, yes!",
)
NO = (
    *(
        "No.",
        "No, thank you.",
        "Nope.",
        "Don't do that.",
        "I don't want this.",
        "Not at all.",
        "Please leave it alone.",
    ),
    *("I'd rather keep things as they are.", "Wait, I have to think about it.", "Hold on a second.", "Certainly not."),
    *("No way.", "I've decided against it.", "Forget about it.", "That is not what I asked for.", "How much is that?"),
    *("Yes, provided that it costs nothing.", "Maybe another time.", "I refuse.", "Not without talking to my wife."),
)


def answered(domain: str, call: ToolCall, proposal: str, said: str) -> str:
    messages: list[AnyMessage] = [says("Hello, how can I help?"), asks("I need some help."), says(proposal)]
    return agreement([*messages, asks(said), says(None, call)], 4, call, env=load_domain(domain).environment())


@pytest.mark.parametrize(("domain", "call", "proposal"), PROPOSALS, ids=[str(n) for n in range(len(PROPOSALS))])
def test_no_answer_is_read_as_its_opposite(domain: str, call: ToolCall, proposal: str) -> None:
    assert [said for said in YES if answered(domain, call, proposal, said) == "no"] == []
    assert [said for said in NO if answered(domain, call, proposal, said) == "yes"] == []


CANCEL = a_call("cancel_pending_order", order_id="#W1001", reason="no longer needed")
SWAP = a_call(
    "update_reservation_passengers",
    reservation_id="QX81LM",
    passengers=[{"first_name": "Idris", "last_name": "Norwood", "dob": "1974-12-05"}],
)


@pytest.mark.parametrize(
    ("domain", "call", "lines", "verdict"),
    [
        (
            "retail",
            CANCEL,
            ["I'd cancel #W1001. Is that right?", "Wait.", "Say the word: I cancel #W1001.", "Off it goes."],
            "unclear",
        ),
        ("retail", CANCEL, ["I'd cancel #W1001. Is that right?", "Wait.", "I wait then.", "Off it goes."], "unclear"),
        (
            "retail",
            CANCEL,
            ["I'd cancel #W1001. Is that right?", "Wait.", "Say the word: I cancel #W1001.", "No."],
            "no",
        ),
        (
            "retail",
            CANCEL,
            ["Shall I cancel #W1001?", "Wait. Why me?", "Only you can say so.", "Fine. Cancel #W1001. Yes."],
            "yes",
        ),
        ("retail", CANCEL, ["I can cancel #W1001 for you.", "When?", "#W2002 stays as it is.", "Approved."], "unclear"),
        ("retail", CANCEL, ["I see #W1001 and #W2002.", "Good.", "Is #W2002 the lamp?", "Yes, that's right."], "no"),
        ("retail", CANCEL, ["Do you agree that I cancel #W1001?", "(i) agreed. No further remarks."], "yes"),
        (
            "airline",
            SWAP,
            [
                "On QX81LM I would enter Idris Norwood, born 5 December 1974. With your permission I proceed.",
                "Granted.",
            ],
            "unclear",
        ),
        ("airline", SWAP, ["QX81LM has one traveller, Ann Lee.", "Granted."], "no"),
    ],
    ids=[
        *(
            "put off before",
            "nothing named since",
            "a no at last",
            "a wait that asks, answered",
            "approved later",
            "a yes to something else",
            "agreed",
        ),
        *("its values named", "no value named"),
    ],
)
def test_it_is_denied_only_where_the_last_answer_shows_it(
    domain: str, call: ToolCall, lines: list[str], verdict: str
) -> None:
    spoken: list[AnyMessage] = [asks("I need some help.")]
    spoken += [asks(line) if at % 2 else says(line) for at, line in enumerate(lines)]
    found = agreement([*spoken, says(None, call)], len(spoken), call, env=load_domain(domain).environment())
    assert found == verdict


def test_what_was_put_forward_together_is_not_used_up_by_the_first_of_it() -> None:
    both = [a_call("cancel_pending_order", f"c{at}", order_id=f"#W{at}001", reason="no longer needed") for at in (1, 2)]
    messages: list[AnyMessage] = [asks("Cancel both."), says("I can cancel both, #W1001 and #W2001. Say the word.")]
    messages += [asks("And the rest is safe?"), says("It is, I leave it alone."), asks("Then the word is said.")]
    messages += [says(None, both[0]), result_of(both[0], "{}"), says(None, both[1])]
    env = load_domain("retail").environment()
    assert [agreement(messages, turn, env=env) for turn in (5, 7)] == ["unclear", "unclear"]


@pytest.mark.parametrize(
    ("said", "verdict"),
    [("No, I'll set two alarms. The early one, as you listed it.", "unclear"), ("No, none of them.", "no")],
)
def test_a_new_record_is_named_by_its_values(said: str, verdict: str) -> None:
    flights = [{"flight_number": "HAT205", "date": "2024-05-18"}]
    book = a_call("book_reservation", user_id="ann_lee_1", flights=flights, payment_methods=[])
    lines = ["Your trip: HAT205 on 18 May. I'm ready when you are.", "A later one?", "HAT300 is $40 more. Which is it?"]
    messages: list[AnyMessage] = [asks("A trip."), says(lines[0]), asks(lines[1]), says(lines[2]), asks(said)]
    env = load_domain("airline").environment()
    assert agreement([*messages, says(None, book)], 5, env=env) == verdict
    assert agreement([messages[0], says("I see no trip yet."), *messages[2:], says(None, book)], 5, env=env) == "no"


SUM = a_call("change_sum_insured", contract_id="K-29118", sum_insured=50000, annual_premium=95.0)
SETTLED = a_call("settle_claim", "c0", claim_id="S-31800", amount=2100.0)
BOTH = "I would settle S-31800 with €2,100 and set the sum insured of K-29118 to €50,000. Shall I enter both?"


@pytest.mark.parametrize(
    ("report", "said", "verdict"),
    [
        ("S-31800 is settled. And the €50,000? I left that contract alone.", "Fifty, yes, at that price.", "unclear"),
        ("Done. Take your time with the rest.", "The sum of €50,000. Yes. That is how I want it.", "unclear"),
    ],
)
def test_what_is_left_of_several_may_be_agreed_to_later(report: str, said: str, verdict: str) -> None:
    messages: list[AnyMessage] = [asks("Two things."), says(BOTH), asks("The claim first, by all means.")]
    messages += [says(None, SETTLED), result_of(SETTLED, "{}"), says(report), asks(said), says(None, SUM)]
    assert agreement(messages, 7, env=load_domain("insurance").environment()) == verdict


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Nah, he has one. Get rid of both.", "unclear"),
        ("Nah. Leave them.", "no"),
        ("No, it's my wife's.", "no"),
    ],
)
def test_an_order_beside_a_no_is_more_than_a_refusal(said: str, verdict: str) -> None:
    messages: list[AnyMessage] = [asks("Hello."), says("I can cancel #W1001 and #W2001. Shall I cancel both?")]
    messages += [asks(said), says(None, CANCEL)]
    assert agreement(messages, 3, env=load_domain("retail").environment()) == verdict


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Would you like me to raise the sum to €50,000 first and then add the extra?", "In that order, yes."),
        ("With €50,000 it costs €95 a year. Do you wish me to enter this?", "I do, I do."),
        ("For K-29118 the sum would be €50,000. Enter that?", "enter it and we're done"),
    ],
)
def test_a_line_with_the_calls_large_numbers_is_about_it(asked: str, said: str) -> None:
    messages: list[AnyMessage] = [asks("My ring, K-29118."), says("Shall I first settle S-31800?"), asks("Yes, do.")]
    messages += [says(None, SETTLED), result_of(SETTLED, "{}"), says("It is settled."), asks("And the ring?")]
    messages += [says(asked), asks(said), says(None, SUM)]
    assert agreement(messages, 9, env=load_domain("insurance").environment()) != "no"


@pytest.mark.parametrize(
    ("proposal", "verdict"),
    [
        ("K-23950: four payments a year of €23.69 each. Yes?", "yes"),
        ("Four payments a year of €23.69 each. Yes?", "unclear"),
        ("K-23950: four payments a year, somewhat dearer. Yes?", "unclear"),
    ],
    ids=["record and value", "no record", "no value"],
)
def test_a_question_about_the_calls_record_and_values_is_about_the_call(proposal: str, verdict: str) -> None:
    call = a_call("change_payment_interval", contract_id="K-23950", interval="quarterly", instalment=23.69)
    messages: list[AnyMessage] = [asks("Rather four times a year."), says(proposal), asks("yes"), says(None, call)]
    assert agreement(messages, 3, call, env=load_domain("insurance").environment()) == verdict


def test_what_was_named_for_another_change_of_the_record_is_done_with_it() -> None:
    moved = a_call("modify_pending_order_address", "c0", order_id="#W1001", address1="1 Elm Street", city="Reno")
    pay = a_call("modify_pending_order_payment", order_id="#W1001", payment_method_id="paypal_3")
    messages: list[AnyMessage] = [asks("Move it."), says("I change the address of #W1001. Shall I?"), asks("Yes.")]
    messages += [says(None, moved), result_of(moved, "{}"), says("That much is settled.")]
    messages += [asks("All right. I used the wrong payment method for #W1001."), says(None, pay)]
    assert agreement(messages, 7, env=load_domain("retail").environment()) == "no"


@pytest.mark.parametrize(
    ("said", "verdict"), [("I have done that. It says: 1 mail.", "no"), ("Off it goes.", "unclear")]
)
def test_what_the_customer_reports_is_no_answer(said: str, verdict: str) -> None:
    messages: list[AnyMessage] = [asks("Hello."), says("I'd cancel #W1001. Is that right?"), asks("Wait.")]
    messages += [says("Please do this on your side: open the mail."), asks(said), says(None, CANCEL)]
    assert agreement(messages, 5, env=load_domain("retail").environment()) == verdict


def test_a_yes_that_has_the_tools_own_noun() -> None:
    call = a_call("enable_roaming", customer_id="C1001", line_id="L1002")
    messages: list[AnyMessage] = [asks("No signal."), says("Roaming is off; switching it on is free.")]
    messages += [asks("Roaming yes, it's free. And 2 GB?"), says("$8.00 for 2 GB. May I?"), asks("Go ahead.")]
    env = load_domain("telecom").environment()
    assert agreement([*messages, says(None, call)], 5, env=env) == "unclear"


def test_please_asks_for_what_was_on_a_menu_and_agrees_to_nothing() -> None:
    menu = says("I found #W1001 and #W2001. Let me know which you'd like to cancel, and I'll do it.")
    for said in ("Please cancel all of them.", "All of them."):
        messages: list[AnyMessage] = [asks("Cancel something."), menu, asks(said), says(None, CANCEL)]
        assert agreement(messages, 3, env=load_domain("retail").environment()) == "no"


@pytest.mark.parametrize(("spoken", "verdict"), [(["Thank you. It's still slow."], "unclear"), ([], "yes")])
def test_a_yes_is_to_one_such_call(spoken: list[str], verdict: str) -> None:
    data = a_call("refuel_data", customer_id="C1001", line_id="L1002", gb_amount=2.0)
    messages: list[AnyMessage] = [asks("More data?"), says("I'd add 2 GB to L1002 for $8. Shall I?"), asks("Yes.")]
    messages += [says(None, data), result_of(data, "{}"), *map(asks, spoken), says(None, data)]
    env = load_domain("telecom").environment()
    assert agreement(messages, len(messages) - 1, env=env) == verdict


def test_a_change_that_is_offered_behind_something_to_look_at() -> None:
    bills = a_call("get_bills_for_customer", "c0", customer_id="C2103")
    send = a_call("send_payment_request", "c2", customer_id="C2103", bill_id="B2106")
    messages: list[AnyMessage] = [asks("L2105 is dead."), says(None, bills)]
    messages += [result_of(bills, '[{"bill_id": "B2106", "total_due": 74.0}]')]
    messages += [says("Shall I send you the payment request for $74.00, and resume the line once it's paid?")]
    messages += [asks("So I pay 74, you open the line. Yes, send it."), says(None, send), result_of(send, "{}")]
    messages += [says("It's sent."), asks("Paid."), says(None, LIVE)]
    env = load_domain("telecom").environment()
    assert [agreement(messages, turn, env=env) for turn in (5, 9)] == ["yes", "yes"]


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Let me think … the mug stays. Cancel the other one, yes.", "yes"),
        ("Let me think … yes, the mug stays.", "unclear"),
    ],
)
def test_who_thinks_first_may_decide_then(said: str, verdict: str) -> None:
    messages: list[AnyMessage] = [asks("Hello."), says("I would cancel #W1001. Is that OK?"), asks(said)]
    assert agreement([*messages, says(None, CANCEL)], 3, env=load_domain("retail").environment()) == verdict


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Let me think a moment... Exactly 3 bags. Yes, enter both please.", "yes"),
        ("Let me think a moment... Yes.", "unclear"),
        ("Yes, both please. Let me think a moment first.", "unclear"),
        ("Let me think a moment. Yes, please do.", "yes"),
        ("Let me think a moment. Yes, a minute please.", "unclear"),
        ("Let me think... yes, I'd like the details again, please.", "unclear"),
        ("Hold on. Yes, I'm still here, please be patient.", "unclear"),
    ],
)
def test_who_thinks_aloud_and_then_asks_for_it_has_decided(said: str, verdict: str) -> None:
    proposal = f"I would enter, for {TRIP}: 1. three bags, paid with gift_card_4, and 2. a new name. Shall I do both?"
    assert answered("airline", BAGS, proposal, said) == verdict


@pytest.mark.parametrize(
    ("told", "said", "verdict"),
    [
        ("No. The refund stays at $638, and the certificate is on top of it.", "Then yes, please do both.", "yes"),
        ("No. The refund stays at $638, and the certificate is on top of it.", "Then yes.", "unclear"),
        ("No. Is your e-mail address still the same?", "Yes, please do both.", "unclear"),
    ],
)
def test_a_yes_to_both_is_one_to_the_two_that_were_listed_before_a_question(told: str, said: str, verdict: str) -> None:
    listed = f"I would 1. cancel {TRIP}, $638 go back to your Visa, and 2. add a certificate of $200. Do you agree?"
    messages: list[AnyMessage] = [asks("They cancelled my flight."), says(listed), asks("Does one reduce the other?")]
    messages += [says(told), asks(said), says(None, OFF)]
    assert agreement(messages, 5, OFF, env=load_domain("airline").environment()) == verdict


@pytest.mark.parametrize(
    ("proposal", "verdict"),
    [
        ("I would enter three bags for KL5T8Q, paid with gift_card_4. May I?", "yes"),
        ("I would like to have three bags for KL5T8Q, paid with gift_card_4. May I?", "unclear"),
    ],
)
def test_an_order_in_the_words_of_the_proposal_is_a_yes_beside_another_question(proposal: str, verdict: str) -> None:
    assert answered("airline", BAGS, proposal, "Fine. Enter it. Before I go: is my meal paid for?") == verdict
