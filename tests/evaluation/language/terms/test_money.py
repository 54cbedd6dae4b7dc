"""What the things that a call lists come to, beside the sum that was told."""

import json

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.consent import agreement
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
