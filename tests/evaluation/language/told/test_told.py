"""All kinds of untrue sentences together, in a check of what the agent claims."""

from pytest_tau import load_domain
from pytest_tau.evaluation.language.told import untrue_sentences
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tests.builders import asks, result_of, says

USER = ToolCall(id="u", name="get_user_details", arguments={"user_id": "ann_lee_1"})
TRIP = ToolCall(id="t", name="get_reservation_details", arguments={"reservation_id": "QX81LM"})
SHOP = ToolCall(id="p", name="list_meals", arguments={})
TOLD = {
    "Reservation QX81LM is cancelled.": "the record shows 'delivered'",
    "A confirmation was sent to ann.lee@example.com.": "nothing was sent",
    "The cheapest meal is M2.": "M1 costs $5.00",
    "As a silver member you have 7 free bags in economy.": "the policy says 2 for silver, economy",
    "As a gold member you fly free.": "the record shows 'silver'",
    "It was booked within the last 24 hours.": "it was made at 2024-05-01T10:00:00",
}


def test_every_kind_is_found() -> None:
    trip = '{"reservation_id": "QX81LM", "status": "delivered", "created_at": "2024-05-01T10:00:00"}'
    messages: list[AnyMessage] = [
        asks("Hello"),
        *(says(None, USER), result_of(USER, '{"user_id": "ann_lee_1", "membership": "silver"}')),
        *(says(None, TRIP), result_of(TRIP, trip)),
        *(says(None, SHOP), result_of(SHOP, '[{"meal_id": "M1", "price": 5}, {"meal_id": "M2", "price": 6.5}]')),
        *(says(text) for text in TOLD),
    ]
    env = load_domain("airline").environment()
    assert {one.sentence: one.why for one in untrue_sentences(messages, env)} == TOLD
