"""What the agent tells of options beside the list that a result showed."""

import json

import pytest

from pytest_tau.evaluation.language.told.options import told_of_options
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tests.builders import asks, result_of, says

LOOK = ToolCall(id="p", name="get_product_details", arguments={"product_id": "7"})
ORDER = ToolCall(id="o", name="get_order_details", arguments={"order_id": "#W1001"})


def lamp(item: str, price: float, *, available: bool = True, **options: str) -> dict[str, object]:
    return {"item_id": item, "options": options, "available": available, "price": price}


LAMPS = {
    "name": "Lamp",
    "product_id": "7",
    "variants": {
        "4001": lamp("4001", 20.5, colour="red", height="30cm"),
        "4002": lamp("4002", 18.25, colour="blue", height="45cm"),
        "4003": lamp("4003", 12.99, available=False, colour="green", height="60cm"),
        "4004": lamp("4004", 31.75, colour="red", height="45cm"),
    },
}


def told(text: str, wish: str = "Which lamps are there?", order: str = "") -> list[str]:
    seen: list[AnyMessage] = [asks(wish), says(None, LOOK), result_of(LOOK, json.dumps(LAMPS))]
    mine = [{"item_id": order, "price": 9.5}, {"item_id": "5001", "price": 3.5}]
    seen += [says(None, ORDER), result_of(ORDER, json.dumps({"order_id": "#W1001", "items": mine}))] if order else []
    return [one.why for one in told_of_options([*seen, says(text)])]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("The cheapest available lamp is the red one ($20.50).", "4002 costs $18.25"),
        ("The cheapest lamp is item 4001.", "4002 costs $18.25"),
        ("Here are the cheapest available options:\n- Lamp: red, $20.50", "4002 costs $18.25"),
        ("Our most expensive lamp is item 4001.", "4004 costs $31.75"),
        ("The green lamp for $12.99 is available.", "4003 is not available"),
        ("These are the available lamps:\n1. red, $20.50\n2. green, $12.99", "4003 is not available"),
        ("The largest height you can have is 45cm (item 4004).", "4002 has 45cm, for $18.25"),
        ("The highest height is that of item 4001.", "4002 has 45cm, for $18.25"),
    ],
)
def test_what_the_list_does_not_bear_out(text: str, why: str) -> None:
    assert told(text) == [why]


@pytest.mark.parametrize(
    "text",
    [
        "The cheapest available lamp is the blue one ($18.25).",
        "The cheapest red lamp is $20.50.",
        "The second cheapest lamp is $20.50.",
        "One of the cheapest lamps is item 4001.",
        "Is item 4001 the cheapest lamp?",
        "Item 4003 is not available.",
        "The green ones are $14.00 and $12.99, and neither is available.",
        "Item 4003 would be the cheapest lamp, but it is out of stock.",
        "The cheapest lamps are:\n- red, $20.50\n- blue, $18.25",
        "The cheapest lamp costs $99.99.",
        "The cheapest of items 4001 and 4004 is $20.50.",
        "The largest height is 45cm (item 4002).",
        "As an available alternative to item 4003, I suggest the blue lamp.",
        "Item 4003 will be available next week.",
        "Item 4003 should be available again in May.",
        "Item 4003 is available for pre-order.",
        "I checked which lamps are available: item 4003 is out.",
        "| 4003 | green | $12.99 | Available: ❌ |",
        "Here are the available lamps:\n- red, $20.50\n- green, $12.99 (backordered)",
        '{"item_id": "4003", "available": false}',
        "The cheapest way is to keep item 4001.",
        "The cheapest option that meets your needs is item 4001.",
        "The cheapest lamp for reading is item 4001.",
        "Among the waterproof lamps item 4004 is the cheapest.",
        "The cheapest item in your order is 4001.",
        "Compared to the cheapest, item 4004 costs more.",
    ],
)
def test_what_it_bears_out_or_leaves_open(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    "wish",
    [
        "What is the cheapest red lamp?",
        "I want it in another colour.",
        "Not a blue one, please.",
        "One like my old lamp.",
        "Something small for my desk.",
    ],
)
def test_what_the_customer_names_may_tell_options_apart(wish: str) -> None:
    assert told("The cheapest available lamp is item 4001.", wish) == []


def test_an_option_that_the_customer_has_is_no_choice() -> None:
    assert told("The cheapest available lamp is item 4001.", order="4002") == []


def test_what_the_customer_has_need_not_be_available() -> None:
    assert told("The available lamps:\n- red, $20.50\n- yours, $12.99", order="4003") == []


@pytest.mark.parametrize("price", [10**400, True, "5", None, -1.5])
def test_what_is_no_price_makes_no_option(price: object) -> None:
    lamps = [{"item_id": "1", "price": price}, {"item_id": "2", "price": 2.5}]
    seen: list[AnyMessage] = [says(None, LOOK), result_of(LOOK, json.dumps(lamps))]
    assert not list(told_of_options([*seen, says("The cheapest lamp is item 1.")]))


def test_without_a_list_nothing_is_said() -> None:
    assert not list(told_of_options([asks("Hello"), says("The cheapest lamp is $20.50.")]))
