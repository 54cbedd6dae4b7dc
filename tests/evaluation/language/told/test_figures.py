"""Figures that nothing before them has shown."""

import pytest

from pytest_tau.evaluation.language.told.figures import called_from_nowhere, from_nowhere
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tests.builders import a_call, asks, result_of, says

LOOK = ToolCall(id="o", name="get_order_details", arguments={"order_id": "#W1001"})
SEEN: list[AnyMessage] = [
    asks("I have 300 dollars. It is about #W1001."),
    says(None, LOOK),
    result_of(LOOK, '{"order_id": "#W1001", "sent": "2024-02-28", "items": [{"price": 52.01}, {"price": 117.2}]}'),
]


@pytest.mark.parametrize("text", ["That is $61.37.", "Your order #W9876543 is on its way.", "It ends on 10 March."])
def test_what_nothing_gives(text: str) -> None:
    assert len(list(from_nowhere([*SEEN, says(text)], "Each bag costs $50."))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Order #W1001 has items for $52.01 and $117.20.",
        "In all that is $169.21, or $65.19 more than the first.",
        "Two bags cost $100.",
        "You have $300.",
        "It was sent on February 28, and came the next day, the 29th of February.",
        "If it is not there, I'll look again on 10 March.",
        'An order number looks like this: "#W1234567", for example.',
    ],
)
def test_what_was_shown_and_what_follows_from_it(text: str) -> None:
    assert not list(from_nowhere([*SEEN, says(text)], "Each bag costs $50."))


def test_an_id_that_is_called_with_and_nobody_named() -> None:
    made_up = ToolCall(id="p", name="get_order_details", arguments={"order_id": "#W2002"})
    messages: list[AnyMessage] = [*SEEN, says(None, made_up), result_of(made_up, "Error: not found", error=True)]
    assert [(one.turn, one.figure) for one in called_from_nowhere(messages, "")] == [(3, "#W2002")]
    assert not list(called_from_nowhere([asks("It is W2002."), *messages], ""))


def test_what_the_agent_proposes_and_then_does() -> None:
    end = ToolCall(id="e", name="end_contract", arguments={"last_day": "2024-06-30", "refund": 41.87})
    proposed = says("It ends with 30 June, and the refund is $41.87. Shall I?")
    assert len(list(from_nowhere([*SEEN, proposed], ""))) == 2
    assert not list(from_nowhere([*SEEN, proposed, says(None, end), result_of(end)], ""))


POLICY = "Today is 2024-05-15. A fee of 10% is kept. VAT is 19 %. Refunds take 5 to 7 business days. A bag costs $50."
SHOWN = """{"total": 384.49, "nights": 3, "hotel": 540.0, "fare": 187, "monthly_premium": 46.3, "lamp": 89.99,
 "leaves": "2024-05-18", "at": "06:15:00", "lands": "21:40", "floor": 8, "due": "2024-03-15", "check_in": "2024-06-03",
 "id": "QX81LM", "insurance": 90}"""


def unknown(told: str, asked: str = "Hello.") -> list[str]:
    """The figures from nowhere in the agent's answer."""
    call = a_call("get_all", id="q")
    messages: list[AnyMessage] = [says(None, call), result_of(call, SHOWN), asks(asked), says(told)]
    return [one.figure for one in from_nowhere(messages, POLICY)]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("", "In three instalments that is $128.16 each."),
        ("", "The fee of 10 % leaves you $80.99 for the lamp."),
        ("", "Including VAT, the lamp is $107.09."),
        ("", "Two nights would be $360, and five are $900."),
        ("", "A year of premiums is €555.60."),
        ("I want 12 lamps.", "They cost $1,079.88."),
        ("", "A year of premiums is 555,60 €."),
        ("", "The lamp and the night are about $270 together."),
        ("", "Two bags at $50 each, and $90 for the insurance, make $190."),
        ("", "It covers up to $1.5 million and €2k."),
        ("", "The refund arrives between May 22 and May 24."),
        ("Move it a week later, please.", "That is May 25."),
        ("I'd like the Friday after.", "That is May 24."),
        ("How about 05/27?", "May 27 is free."),
        ("Can I go on the 29th?", "There is a seat on May 29."),
        ("", "A month later, June 18, is possible."),
        ("", "With notice of three months, it ends on June 30."),
        ("", "Three nights from June 3 means leaving on June 6."),
        ("It's qx 81 lm, no, AB 12-CD.", "I see no AB12CD."),
        ("", "The price is EUR540."),
        ("Now I pay $48.", "In all it would be $1,111.49, so $1,063.49 more."),
        ("", "Of $540 a year, you get back $355.07 for the 240 days that are left."),
        ("", "In all it would be $1,111.49, which is $571.49 more than $540 and $285.75 for each of the two."),
        ("", "With VAT the total is $457.54, so two instalments are $228.77 each."),
        ("It costs $3.10 for each $1,000, and I'm insured for $64,000.", "That is $198.40."),
        ("", "A bit over $1,100 in all, $1,111.49 to be exact."),
        ("I've $800, less the hotel and the fare.", "Then $73 are left."),
        ("", "Notice runs out on 18 May, and it ends with the month, on 31 May."),
        ("", "It leaves at 6:15 am, and lands at 21:40."),
        ("", "It leaves at 9:40 pm."),
        ("I can't before 11:30.", "Then 11:30 it is."),
        ("", "There are flights between 5:00 and 23:00, and it takes 1:45 hours."),
        ("Are you there at 5pm, or at 6 o'clock?", "We are there at 5:00 PM and at 18:00."),
        ("I am free at noon.", "Then 12:00 it is."),
        ("", "The refund takes 5-7 business days, that is five to seven days."),
        ("It took two to three weeks last time.", "Two to three weeks is unusual."),
        ("", "Shall I ask whether it takes 3 to 5 days?"),
        ("It took between 3 and 5 days last time.", "3 to 5 days it is."),
        ("It took between two days and three days.", "That is 2–3 days."),
        ("It took 3 — 5 days.", "Between 3 and 5 days."),
        ("It took 24-48 hours.", "So one to two days."),
        ("It took two hours to three days.", "2 hours to 3 days, I see."),
        ('{"min_days": 3, "max_days": 5}', "It takes 3 to 5 days."),
        ("", "There are flights of 2 and 3 hours."),
    ],
)
def test_what_follows_from_what_was_shown(asked: str, told: str) -> None:
    assert unknown(told, asked) == []


@pytest.mark.parametrize(
    "told",
    [
        "With 20% off, it is $307.55.",
        "In three instalments that is $131.20 each.",
        "About $611 is left.",
        "It ended on December 31.",
        "A month later, June 27, is possible.",
        "Five nights are $1,234.",
        "In three instalments that is 131,20 € each.",
        "The lamp was $81.99.",
        "It leaves at 6:45.",
        "It leaves at 5:00 PM.",
        "The refund takes 3 to 5 business days.",
        "It ships within 5–7 weeks.",
        "It ships between 3 and 5 days from now.",
    ],
)
def test_what_does_not(told: str) -> None:
    assert unknown(told) != []


@pytest.mark.parametrize(
    "told", [f"It is $1{'0' * 308}.", " ".join(f"${one}.37" for one in range(100_000, 106_000)), "It is $5 \ud800."]
)
def test_odd_texts_are_read_in_time(told: str) -> None:
    assert len(unknown(told, " ".join(map(str, range(2000, 14_000, 3))))) <= 60


@pytest.mark.parametrize("shown", ['{"deposit": 733, "bill": 418}', '{"amount": "733", "cost":"418"}'])
def test_whole_amounts_of_fields_that_tell_of_money_add_up(shown: str) -> None:
    call = a_call("get_all", id="q")
    messages: list[AnyMessage] = [asks("Hi"), says(None, call), result_of(call, shown), says("That is $1,151 in all.")]
    assert not list(from_nowhere(messages, ""))


@pytest.mark.parametrize("repeated", ["1,", "price", "percent"])
def test_what_a_model_repeats_without_end_is_read_in_time(repeated: str) -> None:
    assert unknown("That is $61.37.", repeated * 60_000) == ["$61.37"]


def test_letters_that_are_the_same_but_for_their_case() -> None:
    assert unknown("That is $61.37 for fıve.", "sİx or fıve of them?") == ["$61.37"]


def test_many_ids_and_hours_of_a_long_conversation_are_read_in_time() -> None:
    told = [says(f"#W{1_000_000 + one} leaves at 13:{one % 60:02d}.") for one in range(1500)]
    assert len(list(from_nowhere([asks("Hi"), *told], "A rule. " * 5000))) == 1560
