"""What the agent tells of money that a change has moved."""

import json

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.told.money import told_of_money
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tests.builders import asks, result_of, says

ENV = load_domain("airline").environment()
TRIP = {"reservation_id": "QX81LM", "user_id": "ann_lee_1"}
PAID = {"payment_id": "credit_card_1", "amount": 500}
LOOK = ToolCall(id="l", name="get_reservation_details", arguments={"reservation_id": "QX81LM"})
MOVE = ToolCall(id="m", name="update_reservation_flights", arguments={"reservation_id": "QX81LM", "cabin": "economy"})
BOOK = ToolCall(id="b", name="book_reservation", arguments={"user_id": "ann_lee_1"})


def told(text: str, *amounts: object, looked: bool = True) -> list[str]:
    moved = [PAID, *({"payment_id": "credit_card_1", "amount": one} for one in amounts)]
    messages: list[AnyMessage] = [asks("Hello")]
    messages += [says(None, LOOK), result_of(LOOK, json.dumps(TRIP | {"payment_history": [PAID]}))] if looked else []
    messages += [says(None, MOVE), result_of(MOVE, json.dumps(TRIP | {"payment_history": moved})), says(text)]
    return [one.why for one in told_of_money(messages, ENV)]


@pytest.mark.parametrize(
    ("text", "amounts", "why"),
    [
        ("$114 has been charged to your card.", [-114], "the result shows $114.00 refunded"),
        ("I have refunded $114.", [114], "the result shows $114.00 charged"),
        ("The payment of $600 has been processed.", [1200], "the result shows $1200.00 charged"),
        ("- Refund: $25", [-21], "the result shows $21.00 refunded"),
        ("You were charged $10.", [30, -4], "the result shows $30.00 charged, $4.00 refunded"),
    ],
)
def test_another_sum_or_direction(text: str, amounts: list[object], why: str) -> None:
    assert told(text, *amounts) == [why]


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("$114 has been charged to your card.", [114]),
        ("$26 has been charged in all.", [30, -4]),
        ("$113.50 was refunded.", [-113.5]),
        ("You were charged $600 per passenger.", [1200]),
        ("You were charged $600 for Ann, so $1200 in all.", [1200]),
        ("You paid $500 before.", [30]),
        ("$25 will be refunded.", [-21]),
        ("Was $25 refunded?", [-21]),
        ("The fare is $99 now.", [-21]),
        ("I have charged $30. Next I change the seats:\n- Charge: $10\nShall I?", [30]),
        ("The trip you paid $500 for was changed. $30 has been charged.", [30]),
        ("Your card was charged $400 when you booked.", [30]),
        ("$25 has been charged.", []),
        ("$25 has been charged.", ["much"]),
        ("$25 has been charged.", [10**400]),
    ],
)
def test_the_same_sum_or_none(text: str, amounts: list[object]) -> None:
    assert told(text, *amounts) == []


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("In total, $90 has been charged.", True),
        ("- First change: $60 was charged.\n- Second change: $30 was charged.", True),
        ("$60 has been refunded.", False),
        ("$30 has been refunded.", False),
        ("In total, $80 has been charged.", False),
    ],
)
def test_sums_of_changes_before_are_told_again(text: str, right: bool) -> None:
    def shown(*amounts: int) -> str:
        return json.dumps(TRIP | {"payment_history": [PAID, *(PAID | {"amount": one} for one in amounts)]})

    messages: list[AnyMessage] = [says(None, LOOK), result_of(LOOK, shown())]
    messages += [says(None, MOVE), result_of(MOVE, shown(60)), says("$60 has been charged. And now?"), asks("Again.")]
    messages += [says(None, MOVE), result_of(MOVE, shown(60, 30)), says(text)]
    assert (not list(told_of_money(messages, ENV))) == right


def test_what_was_not_seen_before_may_have_moved_anything() -> None:
    assert told("$114 has been charged to your card.", -114, looked=False) == []


def test_beside_a_change_whose_sum_is_not_known_nothing_is_said() -> None:
    booked = result_of(
        BOOK, json.dumps({"reservation_id": "NEW001", "user_id": "ann_lee_1", "payment_history": [PAID]})
    )
    seen: list[AnyMessage] = [says(None, LOOK), result_of(LOOK, json.dumps(TRIP | {"payment_history": [PAID]}))]
    moved = result_of(MOVE, json.dumps(TRIP | {"payment_history": [PAID, PAID | {"amount": 30}]}))
    messages: list[AnyMessage] = [*seen, says(None, MOVE), moved, says(None, BOOK), booked, says("I have charged $77.")]
    assert not list(told_of_money(messages, ENV))
    assert list(told_of_money([*messages[:4], messages[-1]], ENV))
