"""Agreement: yes, no or unclear, on conversations that were written against its weak spots."""

from typing import Any

import pytest

from pytest_tau import load_domain
from pytest_tau.environment.domain import Domain
from pytest_tau.evaluation.language.consent import Agreement, agreement
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tests.builders import a_call, asks, result_of, says
from tests.evaluation.written import Written, last_call, read

ALLOWED = {
    "yes": {"yes"},
    "no": {"no"},
    "unclear": {"unclear"},
    "not no": {"yes", "unclear"},
    "not yes": {"no", "unclear"},
}
CANCEL = a_call("cancel_pending_order", order_id="#W1001", reason="no longer needed")


@pytest.mark.parametrize("written", read("agreement"), ids=lambda written: written.name)
def test_conversations(written: Written) -> None:
    found = agreement(written.messages, last_call(written.messages))
    assert found in ALLOWED[written.verdict], found.why


class TestAnswer:
    ASKED: list[AnyMessage] = [  # noqa: RUF012
        says("Hi"),
        asks("Cancel #W1001"),
        says("I would cancel #W1001. Shall I?"),
    ]

    def run(self, *messages: AnyMessage, **options: Any) -> Any:
        return agreement([*messages, says(None, CANCEL)], len(messages), **options)

    def test_a_verdict_is_a_text_with_its_reason_and_turn(self) -> None:
        found = self.run(*self.ASKED, asks("No."))
        assert (found, found.why, found.turn) == ("no", "the customer said no in turn 3", 3)
        assert (found := self.run(*self.ASKED, asks("Yes."))) == "yes"
        assert (found.why, found.turn) == ("", 3)

    @pytest.mark.parametrize(
        ("said", "verdict"),
        [("Cancel it, as you wrote. Yes.", "yes"), ("Yes.", "unclear"), ("Don't cancel it then. Yes.", "not yes")],
    )
    def test_a_yes_in_words_for_an_offer_that_was_only_asked_about(self, said: str, verdict: str) -> None:
        asked: list[AnyMessage] = [asks("When is the money back?"), says("Within a week, by card.")]
        assert self.run(*self.ASKED, *asked, asks(said)) in ALLOWED[verdict]

    @pytest.mark.parametrize(
        ("asked", "said", "verdict"),
        [
            ("Would you like 1 GB, 2 GB, or none?", "Two please, that's fine.", "yes"),
            ("Since when has it been slow?", "Two days ago, I agree it's late.", "not yes"),
        ],
    )
    def test_how_much_after_a_question_about_the_offer(self, asked: str, said: str, verdict: str) -> None:
        data = a_call("refuel_data", customer_id="C1", line_id="L2103", gb_amount=2.0)
        messages: list[AnyMessage] = [asks("It is slow."), says("I can add data to L2103 for $3.00 per GB. How much?")]
        messages += [asks("What if I don't use it up?"), says(f"It is for this month. {asked}"), asks(said)]
        env = load_domain("telecom").environment()
        assert agreement([*messages, says(None, data)], 5, data, env=env) in ALLOWED[verdict]

    def test_a_turn_without_a_call_is_unclear(self) -> None:
        assert agreement([says("Hi")], 0) == "unclear"

    def test_which_call_of_a_turn(self) -> None:
        other = a_call("cancel_pending_order", "c2", order_id="#W2002", reason="no longer needed")
        messages: list[AnyMessage] = [*self.ASKED, asks("Yes."), says(None, CANCEL, other)]
        assert agreement(messages, 4, CANCEL) == "yes"
        assert agreement(messages, 4, other) == "no"

    def test_a_change_in_between_ends_what_was_said_before_it(self) -> None:
        write = a_call("zap", order_id="#W3003")
        done: list[AnyMessage] = [says(None, write), result_of(write), says("Done.")]
        said = [says("Hi"), asks("Cancel #W1001"), says("I can cancel #W1001."), *done, asks("Fine")]
        assert self.run(*said) == "no"


class TestAskedAbout:
    """A yes to one change, and a question about another one that the agent makes as well."""

    LOOK = a_call("get_order_details", "c0", order_id="#W1001")
    STREET = a_call("modify_pending_order_address", "c1", order_id="#W1001", address1="5 Canal Road")
    ITEMS = a_call(
        "modify_pending_order_items", "c2", order_id="#W1001", item_ids=["8927581001"], new_item_ids=["2604896002"]
    )
    SHOWN = '{"order_id": "#W1001", "items": [{"item_id": "8927581001", "name": "Snow Boots"}]}'

    @pytest.mark.parametrize(
        ("said", "items"),
        [
            ("Yes, the address is ok. How much more are the boots?", "unclear"),
            ("Yes to both, the address and the items. How long do the boots take?", "yes"),
            ("Yes, both. How long do the boots take?", "yes"),
            ("Yes, the address is ok, and so are the boots. When do the boots come?", "yes"),
            ("Yes to everything, Canal Road is my office. How long do the boots take?", "yes"),
            ("Yes, the address is ok. And yes, do the boots too, will you?", "yes"),
        ],
    )
    def test_what_is_only_asked_about(self, said: str, items: str) -> None:
        offer = "I can send #W1001 to 5 Canal Road, and make other changes of items, the boots for example. Shall I?"
        messages: list[AnyMessage] = [asks("The boots in black, and to my office."), says(None, self.LOOK)]
        messages += [result_of(self.LOOK, self.SHOWN), says(offer), asks(said), says(None, self.STREET, self.ITEMS)]
        env = load_domain("retail").environment()
        assert agreement(messages, 5, self.STREET, env=env) == "yes"
        assert agreement(messages, 5, self.ITEMS, env=env) == items


def test_two_changes_that_share_their_words_are_told_by_their_names() -> None:
    pays = a_call("modify_pending_order_payment", "c1", order_id="#W1001", payment_method_id="paypal_1")
    swap = a_call("modify_pending_order_items", "c2", order_id="#W1001", item_ids=["8927581001"])
    swap.arguments["payment_method_id"] = "paypal_1"
    offer = "I will call modify_pending_order_payment and modify_pending_order_items for #W1001, paypal_1. Shall I?"
    messages: list[AnyMessage] = [asks("Hello"), says(offer), asks("Yes, please."), says(None, pays, swap)]
    env = load_domain("retail").environment()
    assert [agreement(messages, 3, call, env=env) for call in (pays, swap)] == ["yes", "yes"]


AIRLINE, RETAIL, TELECOM = (load_domain(name) for name in ("airline", "retail", "telecom"))
BAGS = a_call(
    "update_reservation_baggages",
    reservation_id="7HYCVL",
    total_baggages=2,
    nonfree_baggages=1,
    payment_id="credit_card_6225",
)
FLIGHTS = a_call(
    "update_reservation_flights",
    reservation_id="JDUL9Y",
    cabin="economy",
    flights=[{"flight_number": "TAU316", "date": "2026-05-30"}],
    payment_id="credit_card_6225",
)
PASSENGERS = a_call(
    "update_reservation_passengers",
    reservation_id="VSYTBB",
    passengers=[{"first_name": "Calista", "last_name": "Kowalczyk", "dob": "1956-07-08"}],
)
CERTIFICATE = a_call("send_certificate", user_id="jo_lee_1", amount=300)
DATA = a_call("refuel_data", customer_id="C1001", line_id="L2107", gb_amount=2.0)
RESUME = a_call("resume_line", customer_id="C1001", line_id="L2107")
ROAMING = a_call("enable_roaming", customer_id="C1001", line_id="L2107")
ADDRESS = a_call("modify_pending_order_address", order_id="#W1001", address1="890 Canal Road", city="Providence")
ITEMS = a_call(
    "modify_pending_order_items",
    order_id="#W1001",
    item_ids=["7001"],
    new_item_ids=["7009"],
    payment_method_id="paypal_3",
)


class TestTheWordsOfTheTools:
    """What a tool is told by beside the verb in its name is what an agent proposes it in."""

    def answered(self, domain: Domain, call: ToolCall, proposal: str) -> Agreement:
        said: list[AnyMessage] = [says("Hi"), asks("I need help."), says(proposal), asks("Yes, please go ahead.")]
        return agreement([*said, says(None, call)], 4, env=domain.environment())

    @pytest.mark.parametrize(
        ("domain", "call", "proposal"),
        [
            (AIRLINE, BAGS, "Shall I add two checked bags to reservation 7HYCVL for $50 on your Visa?"),
            (AIRLINE, BAGS, "Shall I add the bags to reservation 7HYCVL? It would have 2 checked bags."),
            (AIRLINE, FLIGHTS, "Shall I book TAU316 on 30 May for the return of JDUL9Y?"),
            (AIRLINE, PASSENGERS, "Shall I remove Violeta Pemberton from VSYTBB and add Calista Kowalczyk?"),
            (AIRLINE, CERTIFICATE, "Shall I grant you a certificate of $300?"),
            (RETAIL, CANCEL, "Shall I refund the $120 for #W1001 to your Visa?"),
            (RETAIL, CANCEL, "#W1001 would be cancelled. Do you confirm these changes?"),
            (RETAIL, CANCEL, "Order #W1001 no longer comes. May I carry out this change?"),
            (TELECOM, DATA, "Shall I add 2 GB of data to line L2107 for $5.00?"),
            (TELECOM, DATA, "May I top up line L2107 with 2 GB?"),
            (TELECOM, RESUME, "Shall I lift the suspension of line L2107?"),
            (TELECOM, ROAMING, "Shall I open line L2107 for roaming?"),
        ],
    )
    def test_a_yes_to_them_is_one_to_the_call(self, domain: Domain, call: ToolCall, proposal: str) -> None:
        found = self.answered(domain, call, proposal)
        assert found == "yes", found.why

    @pytest.mark.parametrize("told", ["2 GB would cost $4.00 on your next bill.", "A refill of 2 GB costs $4."])
    @pytest.mark.parametrize("question", ["Shall I go ahead?", "Do you confirm this?", "OK?", "Would you like that?"])
    def test_an_amount_alone_is_no_miss(self, told: str, question: str) -> None:
        found = self.answered(TELECOM, DATA, f"{told} {question}")
        assert found != "no", found.why

    def test_a_line_by_its_telephone_number_is_no_miss(self) -> None:
        proposal = "I can add 2 GB of data to the line 555-284-4111 at $2.50 per GB. Shall I go ahead and add 2 GB?"
        found = self.answered(TELECOM, DATA, proposal)
        assert found != "no", found.why

    @pytest.mark.parametrize(
        ("domain", "call", "proposal"),
        [
            (AIRLINE, CERTIFICATE, "Shall I give you a certificate?"),
            (TELECOM, ROAMING, "I can open your line for roaming; it costs nothing. Shall I do that?"),
            (TELECOM, ROAMING, "May I update L2107 so that it works abroad?"),
            (TELECOM, ROAMING, "Roaming is off on our side. Shall I change that?"),
            (TELECOM, ROAMING, "May I unlock your line for use abroad?"),
            (RETAIL, CANCEL, "Shall I remove #W1001 from our list?"),
            (RETAIL, ADDRESS, "Shall I send order #W1001 to 890 Canal Road, Providence?"),
        ],
    )
    def test_words_that_may_mean_the_call_are_no_denial(self, domain: Domain, call: ToolCall, proposal: str) -> None:
        found = self.answered(domain, call, proposal)
        assert found != "no", found.why

    @pytest.mark.parametrize(
        ("domain", "call", "proposal"),
        [
            (AIRLINE, BAGS, "Shall I cancel reservation 7HYCVL?"),
            (AIRLINE, FLIGHTS, "Shall I cancel reservation JDUL9Y and refund $60?"),
            (RETAIL, ITEMS, "Shall I cancel order #W1001 and refund $120 to your PayPal?"),
            (RETAIL, CANCEL, "Shall I change the address of #W1001?"),
            (TELECOM, DATA, "Shall I cancel line L2107?"),
        ],
    )
    def test_a_yes_to_another_deed_on_the_same_record_is_none(
        self, domain: Domain, call: ToolCall, proposal: str
    ) -> None:
        assert self.answered(domain, call, proposal) == "no"


DATA = a_call("refuel_data", customer_id="C2103", line_id="L2105", gb_amount=2.0)
BAG = a_call("update_reservation_baggages", reservation_id="7HYCVL", total_baggages=3, payment_id="credit_card_1")
MORE_DATA = "Your data is used up. I can add up to 2 GB for $4 in total. Shall I add 2 GB to your line?"
ONE_BAG = "I can add one checked bag to reservation 7HYCVL for $50, charged to your Visa. Would you like me to proceed?"


@pytest.mark.parametrize(
    ("name", "call", "proposal", "said"),
    [
        *(
            ("telecom", DATA, MORE_DATA, said)
            for said in (
                "Please add 2 GB. I don't want another plan.",
                "No other plan, but please add 2 GB.",
                "Okay, 2 GB. No other plan.",
                "2 GB please. No change of plan, though.",
                "I don't want another plan, but 2 GB is fine.",
                "I'd rather not change my plan. Two gigabytes, please.",
                "Sure, I would pay for another 2 GB. I don't want to change my plan though.",
                "If more data is needed, I'd take 2 GB. I don't want another plan.",
            )
        ),
        *(
            ("airline", BAG, ONE_BAG, said)
            for said in (
                "Add the bag. I don't want insurance.",
                "One bag. No insurance please.",
                "Charge the Visa. I do not want to use my gift card.",
                "No need for anything else, just the bag.",
            )
        ),
    ],
)
def test_a_no_to_something_else_beside_the_wish_is_no_denial(
    name: str, call: ToolCall, proposal: str, said: str
) -> None:
    messages: list[AnyMessage] = [asks("Help me, please."), says(proposal), asks(said), says(None, call)]
    assert agreement(messages, 3, env=load_domain(name).environment()) != "no"


@pytest.mark.parametrize(
    ("name", "call", "proposal", "said"),
    [
        ("telecom", DATA, MORE_DATA, "No, I don't want more data."),
        ("telecom", DATA, MORE_DATA, "I don't want that. It costs too much."),
        ("telecom", DATA, MORE_DATA, "No, not 2 GB."),
        ("telecom", DATA, MORE_DATA, "No. I'd rather keep things as they are."),
        ("airline", BAG, ONE_BAG, "I'd rather not pay for it."),
        ("airline", BAG, ONE_BAG, "No bag then."),
    ],
)
def test_a_no_that_is_all_that_is_said_stays_one(name: str, call: ToolCall, proposal: str, said: str) -> None:
    messages: list[AnyMessage] = [asks("Help me, please."), says(proposal), asks(said), says(None, call)]
    assert agreement(messages, 3, env=load_domain(name).environment()) == "no"


OFFERS = (
    "More data costs $2.50 per GB, up to 2 GB, on your next bill. How much would you like?",
    "You can buy up to 2 GB more at $2.50 each. How much do you want?",
    "Would you like 2 GB more for $5.00 on your next bill?",
    "I can open your line for roaming for free and add up to 2 GB at $2.50 each. Do you want both, and how many GB?",
)


@pytest.mark.parametrize("proposal", OFFERS)
@pytest.mark.parametrize("said", ["2 GB, please.", "Okay, 2 GB.", "Both please, 2 GB.", "Hm. Then 2 GB."])
def test_an_amount_in_answer_to_a_price_is_no_denial(proposal: str, said: str) -> None:
    opened = a_call("enable_roaming", "c0", customer_id="C2103", line_id="L2105")
    told: list[AnyMessage] = [says("Hi"), asks("Help me, please."), says(proposal), asks(said)]
    env = load_domain("telecom").environment()
    assert agreement([*told, says(None, DATA)], 4, env=env) != "no"
    assert agreement([*told, says(None, opened), result_of(opened), says(None, DATA)], 6, env=env) != "no"


@pytest.mark.parametrize(
    ("proposal", "said"),
    [
        (OFFERS[0], "No, not 2 GB."),
        (OFFERS[0], "Nothing, please."),
        ("How much data would you like?", "2 GB"),
        ("Your bill is $30. What is your name?", "Ada Lovelace"),
    ],
)
def test_who_names_no_amount_or_heard_no_price_has_not_agreed(proposal: str, said: str) -> None:
    messages: list[AnyMessage] = [says("Hi"), asks("Help me, please."), says(proposal), asks(said), says(None, DATA)]
    assert agreement(messages, 4, env=load_domain("telecom").environment()) == "no"


BILL = a_call("send_payment_request", customer_id="C2003", bill_id="B2103")


@pytest.mark.parametrize(
    ("proposal", "said"),
    [
        ("There's an overdue bill of $22.00. Would you like to pay it now?", "Yes."),
        ("An overdue bill over $22.00 stands in the way. Do you agree to pay it on your phone?", "Sure."),
        ("There's one overdue bill, $22.00. Do you want to take care of it now?", "Yes, let's take care of it."),
        ("There's an overdue bill of $22.00. Are you willing to pay it?", "I'd pay it."),
    ],
)
def test_who_agrees_to_pay_agrees_to_the_request(proposal: str, said: str) -> None:
    bills = a_call("get_bills_for_customer", "c0", customer_id="C2003")
    shown = result_of(bills, '[{"bill_id": "B2103", "status": "Overdue", "total_due": 22.0}]')
    told: list[AnyMessage] = [says("Hi"), asks("No signal."), says(None, bills), shown, says(proposal), asks(said)]
    assert agreement([*told, says(None, BILL)], 6, env=load_domain("telecom").environment()) != "no"


@pytest.mark.parametrize(
    ("asked", "said", "agreed"),
    [
        ("Shall I enter that?", "Well, rules are rules. Enter it.", "yes"),
        ("Shall I enter that?", "Kindly enter it.", "yes"),
        ("Do you agree to my requesting it?", "Request it!", "yes"),
        ("Shall I enter that?", "Enter it if it is free.", "unclear"),
        ("Shall I enter that?", "Enter it only after you've told me the refund.", "unclear"),
        ("Shall I enter that?", "Enter it as soon as I say go.", "unclear"),
        ("Shall I enter that?", "Enter it unless it costs something.", "unclear"),
        ("Shall I enter that?", "Enter nothing yet.", "unclear"),
        ("Shall I enter that?", "Enter it as soon as possible.", "yes"),
        ("Shall I enter that?", "Nothing to add. Enter it.", "yes"),
        ("Shall I enter that?", "What does it mean to enter it?", "no"),
    ],
)
def test_who_takes_up_the_agents_own_word_orders_it(asked: str, said: str, agreed: str) -> None:
    told: list[AnyMessage] = [says("Hi"), asks("About #W1001.")]
    told += [says(f"I would cancel #W1001, as no longer needed. {asked}"), asks(said)]
    found = agreement([*told, says(None, CANCEL)], 4, env=RETAIL.environment())
    assert found == agreed, found.why


def test_a_yes_with_an_amount_in_answer_to_a_price_is_one() -> None:
    offer = "I can add data at $2.50 per GB, on your next bill. How much would you like, if any?"
    told: list[AnyMessage] = [says("Hi"), asks("Help me."), says(offer), asks("2 GB, yes, put them on.")]
    assert agreement([*told, says(None, DATA)], 4, env=TELECOM.environment()) == "yes"


class TestWhatAToolRuns:
    """The action is in an argument."""

    PAUSE = a_call("run_procedure", procedure="payment_pause", details={"contract_id": "K-29121", "months": 3})

    def answered(self, proposal: str, said: str, call: ToolCall) -> Agreement:
        told: list[AnyMessage] = [says("Hi"), asks("About K-29121."), says(proposal), asks(said)]
        return agreement([*told, says(None, call)], 4, env=load_domain("insurance").environment())

    def test_its_name_tells_what_is_agreed_to(self) -> None:
        assert self.answered("Shall I pause the payments of K-29121 for 3 months?", "Yes.", self.PAUSE) == "yes"
        assert self.answered("I can pause K-29121 for 3 months. Would you like that?", "I would.", self.PAUSE) != "no"

    def test_a_name_among_the_arguments_is_no_other_action(self) -> None:
        call = a_call("cancel_contract", contract_id="K-29121", ground="ordinary_notice")
        proposal = "Shall I enter ordinary notice for K-29121, and then the refund of €15.43?"
        assert self.answered(proposal, "Yes, enter both.", call) != "no"


class TestTwoChangesToOneRecord:
    """Upon one yes, by tools that are spoken of in the same verb."""

    CABIN = a_call("update_reservation_flights", reservation_id="QX81LM", cabin="economy", flights=[], payment_id="c_1")
    BAGS = a_call("update_reservation_baggages", reservation_id="QX81LM", total_baggages=7, nonfree_baggages=1)
    WISH = "Economy for QX81LM, please, and then seven bags."

    def agreed(self, proposal: str, *calls: ToolCall) -> Agreement:
        told: list[AnyMessage] = [says("Hi"), asks(self.WISH), says(proposal), asks("Yes, do that.")]
        told += [says(None, call) for call in calls]
        return agreement(told, len(told) - 1, calls[-1], env=load_domain("airline").environment())

    @pytest.mark.parametrize(
        ("proposal", "agreed"),
        [
            ("$636 would come back. Shall I change QX81LM to economy?", "unclear"),
            ("$636 would come back, and the bags cost $50. Shall I change QX81LM to economy?", "yes"),
            ("Economy and 7 of them. Shall I change QX81LM?", "yes"),
            ("Shall I make both changes to QX81LM?", "yes"),
        ],
        ids=["only the other one", "its noun", "its number", "neither"],
    )
    def test_the_second_has_to_be_told_of_where_the_first_is(self, proposal: str, agreed: str) -> None:
        found = self.agreed(proposal, self.CABIN, self.BAGS)
        assert found == agreed, found.why

    def test_one_by_itself_is_spoken_of_in_its_verb(self) -> None:
        assert self.agreed("Shall I change QX81LM to economy?", self.CABIN) == "yes"

    def test_a_call_of_another_record_tells_nothing_of_it(self) -> None:
        other = a_call("update_reservation_flights", reservation_id="ZZ11ZZ", cabin="economy", flights=[])
        assert self.agreed("Economy, and then what you wish. Shall I change QX81LM?", other, self.BAGS) == "yes"


@pytest.mark.parametrize("paid", ["gift_card_1", "credit_card_2"])
def test_a_yes_is_used_up_by_the_same_however_it_is_paid(paid: str) -> None:
    """The agent makes the booking a second time, to be on the safe side."""
    flights = [{"flight_number": "TAU321", "date": "2024-05-24"}]
    first, again = (
        a_call("book_reservation", id, user_id="ann_lee_1", flights=flights, payment_methods=[{"payment_id": by}])
        for id, by in (("c1", "gift_card_1"), ("c2", paid))
    )
    proposal = says("TAU321 is $402. Shall I book it?")
    messages: list[AnyMessage] = [asks("A flight."), proposal, asks("Yes, please book it."), says(None, first)]
    messages += [result_of(first, "{}"), says("It is booked."), asks("Thank you! Is there a mail?"), says(None, again)]
    found = agreement(messages, len(messages) - 1, again, env=load_domain("airline").environment())
    assert (found, found.why) == ("unclear", "the yes in turn 2 was to the same call of turn 3")
