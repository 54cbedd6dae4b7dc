"""Whether a customer agreed: what was proposed before, taken back in part, asked in between or settled at once."""

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.consent import Agreement, agreement
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tau_workshop.compose.personas import REST
from tests.builders import a_call, asks, result_of, says
from tests.evaluation.language.test_consent import AIRLINE, DATA, FLIGHTS, MORE_DATA, PASSENGERS

LAMP = a_call("exchange_delivered_order_items", order_id="#W1001", item_ids=["1"], new_item_ids=["2"])
ADDRESS = a_call("modify_pending_order_address", order_id="#W2002", address1="1 Elm Street", city="Reno")
FOUR = """I would
1. change the address of #W2002 to 1 Elm Street, Reno,
2. exchange the lamp in #W1001 for the black one,
3. cancel #W3003.
Shall I go ahead?"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Black then, for $20.00. Would you like me to submit the exchange?", "That would be lovely."),
        ("Sure! It costs $20.00. Shall I?", "I'd like that."),
        ("The black one is $20.00. Is this the only item to be exchanged and do you agree?", "Just the lamp."),
    ],
)
def test_a_soft_answer_after_another_wish_is_no_denial(question: str, said: str) -> None:
    messages: list[AnyMessage] = [
        asks("Please exchange the lamp in #W1001 for the white one."),
        says("I would exchange the lamp in #W1001 for the white one. Do you agree?"),
        asks("Wait, I'd rather have the black one. That instead, please."),
        says(question),
        asks(said),
        says(None, LAMP),
    ]
    found = agreement(messages, 5, env=load_domain("retail").environment())
    assert (found, found.turn) == ("unclear", 4)
    stopped: list[AnyMessage] = [*messages[:2], asks("Wait, not yet."), says("I wait."), messages[5]]
    assert agreement(stopped, 4, env=load_domain("retail").environment()) == "no"


@pytest.mark.parametrize(
    "question",
    [
        "Understood, #W3003 stays as it is. Shall I go ahead with the other two changes?",
        "Of course, I'll leave #W3003 alone. Shall I make the other changes as listed?",
        "Understood. Shall I go ahead with the address of #W2002 and the exchange in #W1001?",
    ],
)
def test_a_question_about_the_rest_is_one_about_each_of_it(question: str) -> None:
    for call in (LAMP, ADDRESS):
        messages: list[AnyMessage] = [
            asks("Please do three things for me."),
            says(FOUR),
            asks("No, don't cancel #W3003 after all."),
            says(question),
            asks("Yes."),
            says(None, call),
        ]
        assert agreement(messages, 5, env=load_domain("retail").environment()) != "no", call.name


def test_a_number_beyond_all_sense_is_read_as_well() -> None:
    for number in (10**400, -(10**4000), 1e308, 0, True):
        call = a_call("refuel_data", customer_id="C2103", line_id="L2105", gb_amount=number)
        messages: list[AnyMessage] = [asks("Hi."), says(MORE_DATA), asks("No. I don't want it."), says(None, call)]
        assert agreement(messages, 3, env=load_domain("telecom").environment()) == "no"


def test_a_flight_in_a_proposal_is_no_other_reservation() -> None:
    look = a_call("search_direct_flight", origin="EWR", destination="ORD", date="2026-05-25")
    proposal = "I would cancel your trip to Miami and book TAU162 to Chicago. May I go ahead with all of this?"
    said: list[AnyMessage] = [
        says("Hi"),
        asks("Cancel my trip to Miami and book one to Chicago."),
        says(None, look),
        result_of(look, '[{"flight_number": "TAU162"}]'),
        says(proposal),
        asks("Yes, please go ahead."),
    ]
    call = a_call("cancel_reservation", reservation_id="7HYCVL")
    found = agreement([*said, says(None, call)], len(said), env=AIRLINE.environment())
    assert found != "no", found.why


TWO_TRIPS = (
    "I would 1. move your trip from Boston to Miami (reservation ABC123) to 30 May, TAU316, for $120 more on your "
    "Visa, and 2. cancel reservation XYZ789 from Denver to Seattle with a refund of $300. Shall I do both (yes/no)?"
)
TO_CANCEL = a_call("cancel_reservation", reservation_id="XYZ789")
TO_MOVE = a_call(
    "update_reservation_flights",
    reservation_id="ABC123",
    cabin="economy",
    flights=[{"flight_number": "TAU316", "date": "2026-05-30"}],
    payment_id="credit_card_6225",
)
REST_STANDS = (
    *REST,
    "Go ahead with the rest.",
    "The other one, yes please.",
    "The rest is fine.",
    "Do everything else as planned.",
)


class TestTheRestStands:
    """Several changes were proposed at once, one is taken back, and the others are to go on."""

    def answered(self, said: str, call: ToolCall) -> Agreement:
        messages: list[AnyMessage] = [asks("I have two wishes."), says(TWO_TRIPS), asks(said), says(None, call)]
        return agreement(messages, 3, env=AIRLINE.environment())

    @pytest.mark.parametrize("rest", REST_STANDS)
    @pytest.mark.parametrize(
        "taken_back",
        [
            "Wait, leave my trip from Boston to Miami as it is. It suits me after all.",
            "Hold on. I do want to fly to Miami on the old day. Leave it as it is.",
            "Hold on, please don't change the flights to Miami. I have just been told that they are fine as booked.",
            "No, not the trip to Miami.",
            "Wait, please leave ABC123 alone.",
        ],
    )
    def test_what_was_not_taken_back_is_not_refused(self, taken_back: str, rest: str) -> None:
        assert (found := self.answered(f"{taken_back} {rest}", TO_CANCEL)) != "no", found.why

    @pytest.mark.parametrize("rest", REST_STANDS)
    def test_what_is_named_and_taken_back_is_refused(self, rest: str) -> None:
        assert self.answered(f"Wait, please don't touch ABC123. {rest}", TO_MOVE) != "yes"
        assert self.answered(f"Wait, please leave ABC123 alone. {REST[2]}", TO_MOVE) == "no"

    @pytest.mark.parametrize(
        "rest", ["Leave the rest as it is.", "And the rest isn't to be done.", "", "Not the other one."]
    )
    def test_without_the_rest_it_is_a_no(self, rest: str) -> None:
        assert self.answered(f"Wait, I don't want any of this. {rest}", TO_CANCEL) == "no"


FEWER_BAGS = (
    "1. VC1FNW: Elodie Whitlock instead of you. 2. MS00RP: one more bag for $50. 3. 2LA88U: 8 bags, which are free. Do "
    "you confirm these changes?"
)
FREE_BAGS = a_call("update_reservation_baggages", reservation_id="2LA88U", total_baggages=8, payment_id="gift_card_1")


class TestWhatWasProposedBefore:
    """A list was put forward, one part of it was talked over, and then there is a yes to all of it."""

    def answered(self, said: str, asked: str, yes: str) -> Agreement:
        spoken: list[AnyMessage] = [asks("Hi"), says(FEWER_BAGS), asks(said), says(asked), asks(yes)]
        return agreement([*spoken, says(None, FREE_BAGS)], 5, env=AIRLINE.environment())

    @pytest.mark.parametrize(
        ("said", "asked", "yes"),
        [
            (
                "Sorry, make that three more bags on reservation MS00RP, not one. The rest stays as I said.",
                "Then MS00RP gets three more bags for $150. Do you confirm?",
                "Yes.",
            ),
            (
                "Make that three more on MS00RP, please.",
                "Then MS00RP gets three more bags for $150. OK to go on with all three?",
                "Yes, go on.",
            ),
            (
                "Three more for MS00RP, please.",
                "MS00RP: three more bags, $150, along with the other two changes. Do you confirm?",
                "Yes, I do.",
            ),
            ("How much is MS00RP?", "It is $50 for MS00RP. Shall I go ahead?", "Yes, please go ahead with everything."),
            ("And a voucher for MS00RP?", "There is none for MS00RP. Shall I go ahead with 1 to 3?", "Yes."),
            ("And MS00RP?", "That is $50 on MS00RP. Shall I?", "Yes, go ahead with 1, 2 and 3."),
        ],
    )
    def test_is_not_refused_by_a_yes_that_names_one_part(self, said: str, asked: str, yes: str) -> None:
        assert (found := self.answered(said, asked, yes)) != "no", found.why

    def test_a_yes_to_one_thing_alone_is_none_to_another_that_was_talked_about(self) -> None:
        messages: list[AnyMessage] = [
            asks("How many bags are free on 2LA88U?"),
            says("8 bags are free on 2LA88U."),
            asks("And what does one more cost for MS00RP?"),
            says("It is $50 for MS00RP. Shall I add that bag?"),
            asks("Yes, add it."),
            says(None, FREE_BAGS),
        ]
        assert agreement(messages, 5, env=AIRLINE.environment()) == "no"

    @pytest.mark.parametrize(
        "told",
        [
            "- **7HYCVL: 2 checked bags in total** - **JDUL9Y: economy, TAU316 on 30 May** - **Book a new trip** May I "
            "proceed?",
            "1. JDUL9Y: economy, TAU316 on 2026-05-30\n2. Add bags to 7HYCVL, 3 in total. Is that all right?",
        ],
    )
    def test_a_list_whose_last_line_runs_into_the_question(self, told: str) -> None:
        messages: list[AnyMessage] = [asks("Hi"), says(told), asks("Yes, go ahead."), says(None, FLIGHTS)]
        assert (found := agreement(messages, 3, env=AIRLINE.environment())) != "no", found.why

    def test_all_changes_of_a_list_after_a_word_on_one(self) -> None:
        messages: list[AnyMessage] = [
            asks("Hi"),
            says("1. Cancel reservation CB3ZGY. 2. Cancel reservation QLRHUE. Shall I?"),
            asks("Sorry, what happens with the first one?"),
            says("CB3ZGY: cancelled, with a refund. Shall I proceed with all changes?"),
            asks("Yes, please."),
            says(None, a_call("cancel_reservation", reservation_id="QLRHUE")),
        ]
        assert (found := agreement(messages, 5, env=AIRLINE.environment())) != "no", found.why


@pytest.mark.parametrize("asked", ["OK?", "Okay?", "Is that all right?", "Good to go?", "All right so?"])
@pytest.mark.parametrize("said", ["OK.", "Fine.", "Sure.", "Yes."])
def test_a_short_question_after_a_change_asks_for_leave(asked: str, said: str) -> None:
    told = f"VSYTBB: Violeta Pemberton out, Calista Kowalczyk (8 July 1956) in. No charge. {asked}"
    messages: list[AnyMessage] = [asks("Hi"), says(told), asks(said), says(None, PASSENGERS)]
    assert (found := agreement(messages, 3, env=AIRLINE.environment())) == "yes", found.why


ROAMING = a_call("enable_roaming", customer_id="C2103", line_id="L2105")


def in_telecom(call: ToolCall, *said: str) -> Agreement:
    """The agreement to a call after these lines, the customer's first and then in turns."""
    told: list[AnyMessage] = [(says if place % 2 else asks)(line) for place, line in enumerate(said)]
    return agreement([*told, says(None, call)], len(told), env=load_domain("telecom").environment())


YES_TO_ANOTHER = (
    ("Is the phone in your hand?", "Yes, it is."),
    ("Shall we go on with the roaming switch?", "Yes, let's."),
    ("Could you take the SIM card out and put it back in? Shall we do that?", "Yes, sure."),
    ("Would you like me to check your account for the data you've used?", "Yes, please."),
)
UP_TO_TWO = "Your plan's data is used up. I can add up to 2 GB at $2.50 per GB. How much would you like?"


@pytest.mark.parametrize(("question", "yes"), YES_TO_ANOTHER)
@pytest.mark.parametrize("said", ["2 GB, please.", "I'll take 2 GB.", "I'd like 2 GB.", "Then 2 GB."])
def test_an_earlier_yes_to_something_else_denies_no_later_offer(question: str, yes: str, said: str) -> None:
    assert in_telecom(DATA, "Pictures fail.", question, yes, UP_TO_TWO, said) == "unclear"


@pytest.mark.parametrize(("question", "yes"), YES_TO_ANOTHER)
def test_a_yes_to_something_else_is_none_where_nothing_was_offered_after_it(question: str, yes: str) -> None:
    assert in_telecom(DATA, "Pictures fail.", question, yes) == "no"
    assert in_telecom(DATA, "Pictures fail.", question, yes, "Which phone is it?", "An old one.") == "no"


@pytest.mark.parametrize("said", ["No, I don't want that.", "I'd rather not.", "No, thank you."])
def test_who_turns_an_open_offer_down_has_not_agreed(said: str) -> None:
    assert in_telecom(DATA, "Pictures fail.", UP_TO_TWO, said) == "no"


OFFER = "Roaming is off on your account. I can enable it, and it costs nothing. May I?"


@pytest.mark.parametrize(
    "said",
    [
        ("Can that be undone?", "Yes, whenever you like. Shall I go ahead?", "Yes."),
        ("Are my photographs safe?", "This changes only a setting of your account. Is that okay?", "Yes, that's okay."),
        ("Yes, but will I lose my photographs?", "No, your photographs are not touched.", "Good. Then go ahead."),
        ("Quite sure?", "Yes, quite sure.", "Then do it."),
        ("And my plan?", "Your plan stays as it is.", "Really?", "Really. May I proceed?", "Yes, thank you."),
        ("What is roaming?", "It means using your phone in another country.", "Ah. Yes then."),
    ],
)
def test_a_question_in_between_takes_no_yes_away(said: tuple[str, ...]) -> None:
    assert in_telecom(ROAMING, "Pictures fail.", OFFER, *said) != "no"


@pytest.mark.parametrize(
    "said",
    [
        ("No, leave it.", "Fine. Is the phone in your hand?", "Yes."),
        ("Can that be undone?", "Yes. First, shall I send you the bill over $22.00, so that you can pay it?", "Yes."),
        ("What for?", "For abroad. Please confirm your name: is it Ada Lovelace?", "Yes."),
    ],
)
def test_an_offer_that_was_not_taken_up_again_is_not_open(said: tuple[str, ...]) -> None:
    assert in_telecom(ROAMING, "Pictures fail.", OFFER, *said) == "no"


@pytest.mark.parametrize(
    "proposal",
    [
        "Your phone may not be used outside the country at present. I can permit that; it costs nothing. May I?",
        "The line needs to be opened for use in other countries. It's free of charge. Should I do that now?",
        "Your line doesn't work on foreign networks. I can let it, for free. Shall I?",
    ],
)
def test_roaming_is_offered_in_plain_words_too(proposal: str) -> None:
    assert in_telecom(ROAMING, "Pictures fail.", proposal, "Yes.") != "no"


@pytest.mark.parametrize("said", ["2 GB please, and turn roaming on.", "Please enable roaming. And 2 GB."])
def test_who_orders_what_was_named_with_its_price_has_not_denied_it(said: str) -> None:
    told = "Roaming isn't enabled on your line (free of charge), and data is $2.50 per GB, up to 2 GB. Which of them?"
    assert in_telecom(ROAMING, "Pictures fail.", told, said) == "unclear"
    assert in_telecom(ROAMING, "Pictures fail.", "How can I help?", said) == "no"
    asked = (told, "2 GB. Does this change my plan?", "No, your plan stays the same. May I proceed?", "Yes, thank you.")
    assert in_telecom(ROAMING, "Pictures fail.", *asked) == "unclear"


RESUME = a_call("resume_line", customer_id="C2119", line_id="L2137")
PAY = a_call("send_payment_request", customer_id="C2119", bill_id="B2122")
LINE_SEEN = ToolCall(id="c0", name="get_details_by_id", arguments={"id": "L2137"})
LOOKED_UP: list[AnyMessage] = [
    says(None, LINE_SEEN),
    result_of(
        LINE_SEEN,
        '{"line_id": "L2137", "phone_number": "555-284-4666", "status": "Suspended"}',
    ),
    says(None, a_call("get_bills_for_customer", "c1", customer_id="C2119")),
    result_of(a_call("get_bills_for_customer", "c1", customer_id="C2119"), '[{"bill_id": "B2122", "total_due": 74.0}]'),
]


def settled(call: ToolCall, proposal: str, said: str) -> Agreement:
    telecom = load_domain("telecom").environment()
    before: list[AnyMessage] = [says("Hi"), asks("My phone has no service."), *LOOKED_UP]
    return agreement([*before, says(proposal), asks(said), says(None, call)], len(before) + 2, env=telecom)


@pytest.mark.parametrize("said", ["Yes.", "Yep, that works.", "Sure, go ahead.", "Sounds good."])
@pytest.mark.parametrize(
    "proposal",
    [
        "There's an overdue bill (B2122, $74.00), and that's why 555-284-4666 is suspended. Here's what I'd do:\n\n"
        "1. Send you a payment request for **$74.00**\n2. As soon as the bill shows as paid, lift the suspension of "
        "your line\n\nDoes that work for you?",
        "Bill B2122 ($74.00) is overdue. If you agree, I'll send you a payment request, and once you've paid, I'll "
        "resume your line. Shall I go ahead?",
    ],
)
def test_a_plan_of_two_steps_is_agreed_to_as_a_whole(proposal: str, said: str) -> None:
    """The bill is named by its id and the line is not: a bill is no other line."""
    assert settled(RESUME, proposal, said) != "no"
    assert settled(PAY, proposal, said) != "no"


def test_a_yes_about_another_record_of_the_same_kind_is_still_none() -> None:
    assert settled(a_call("resume_line", customer_id="C2119", line_id="L2138"), "Shall I resume L2137?", "Yes.") == "no"


@pytest.mark.parametrize(
    ("call", "proposal", "said"),
    [
        (PAY, "There's an unpaid bill: B2122, 74 dollars, past due. Pay now?", "Okay, I'll pay."),
        (PAY, "The suspension comes from an overdue bill of $74.00. Shall we clear it now?", "Yes, let's do that."),
        (RESUME, "Thanks. I'll turn your line back on, ok?", "ok"),
        (RESUME, "Can I bring your line back into service now?", "Go ahead"),
        (RESUME, "Ready for me to unsuspend your line?", "Ready!"),
        (RESUME, "The phone 555-284-4666 gets its line back. Deal?", "Deal!"),
    ],
)
def test_everyday_words_for_a_line_and_a_bill_are_no_denial(call: ToolCall, proposal: str, said: str) -> None:
    assert settled(call, proposal, said) != "no"


def test_who_wants_to_think_has_not_agreed() -> None:
    assert settled(RESUME, "Shall I resume your line L2137?", "Give me a minute to think about that.") == "no"


@pytest.mark.parametrize(
    ("proposal", "said", "verdict"),
    [
        (
            "a) Roaming on L1002: I enable it, free.\nb) 2 GB for $8.00.",
            "I'd be most grateful if you did so.",
            "unclear",
        ),
        ("The line L1002 is active.", "I'd be most grateful if you changed that.", "no"),
        ("Let me know on which I am to enable roaming, L1002 or L1003.", "L1002, dear.", "no"),
    ],
)
def test_a_line_that_names_deed_and_subject_is_a_proposal(proposal: str, said: str, verdict: str) -> None:
    call = a_call("enable_roaming", customer_id="C1001", line_id="L1002")
    messages: list[AnyMessage] = [asks("No signal here."), says(proposal), asks(said), says(None, call)]
    assert agreement(messages, 3, call, env=load_domain("telecom").environment()) == verdict


def test_which_refers_back_and_asks_nothing() -> None:
    proposal = "I can cancel #W3003, which gives $9 back, and keep #W1001. Tell me whether all of this is right."
    call = a_call("cancel_pending_order", order_id="#W3003", reason="no longer needed")
    messages: list[AnyMessage] = [asks("Hi"), says(proposal), asks("Off with the tent order."), says(None, call)]
    assert agreement(messages, 3, call, env=load_domain("retail").environment()) == "unclear"
