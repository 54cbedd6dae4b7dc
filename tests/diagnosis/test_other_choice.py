"""Customers who choose otherwise than their scenario, and those whom an agent makes take something else."""

import json
from time import process_time
from typing import Any

import pytest

from pytest_tau import Task, load_domain
from pytest_tau.diagnosis.other_choice import find_other_choice
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, action, asks, result_of, says

CARDS = {
    "user_id": "ada_brook_1",
    "payment_methods": {
        "credit_card_1": {"source": "credit_card", "brand": "visa", "last_four": "7982", "id": "credit_card_1"},
        "credit_card_2": {"source": "credit_card", "brand": "mastercard", "last_four": "1579", "id": "credit_card_2"},
        "paypal_3": {"source": "paypal", "id": "paypal_3"},
    },
}


def chosen(
    tool: str, gold: dict[str, Any], made: dict[str, Any], *told: AnyMessage, domain: str = "retail", wants: str = ""
) -> tuple[str, int] | None:
    """What is found, and where, once the agent has made a write after these messages, where the gold one differs."""
    instructions = {"domain": domain, "reason_for_call": "Hello.", "task_instructions": wants}
    task = Task.model_validate(
        {
            "id": "t",
            "user_scenario": {"instructions": instructions},
            "evaluation_criteria": {"actions": [action(tool, **gold)]},
        }
    )
    call = a_call(tool, **made)
    found = find_other_choice(task, [*told, says(None, call), result_of(call, "{}")], load_domain(domain))
    return None if found is None else (found.text, found.turn)


@pytest.mark.parametrize(
    ("asked", "said", "found"),
    [
        ("Why?", "No longer needed.", True),
        ("No longer needed, or ordered by mistake?", "It is no longer needed.", True),
        ("So it is no longer needed?", "Yes, no longer needed.", False),
        ("Why?", "It was a mistake.", False),
        ("Why?", "It's not that it is no longer needed.", False),
        ("Why?", "I ordered it by mistake, so it's no longer needed.", False),
        ("Why?", "Is 'no longer needed' all right?", False),
        ("Why?", "Could you enter no longer needed, please?", True),
        ("Why?", "Could you enter no longer needed?", False),
    ],
)
def test_a_reason(asked: str, said: str, found: bool) -> None:
    due, made = ({"order_id": "#W1001", "reason": reason} for reason in ("ordered by mistake", "no longer needed"))
    wrong = ("chose no longer needed as the reason, instead of ordered by mistake", 2)
    it = chosen("cancel_pending_order", due, made, asks("Cancel #W1001."), says(asked), asks(said))
    assert it == (wrong if found else None)


class TestAnAmount:
    def chosen(self, *told: AnyMessage, line: str = "L1", wants: str = "") -> tuple[str, int] | None:
        due, made = ({"customer_id": line, "line_id": line, "gb_amount": amount} for amount in (2.0, 1.0))
        due |= {"customer_id": "L1", "line_id": "L1"}
        return chosen("refuel_data", due, made, asks("I have no data."), *told, domain="telecom", wants=wants)

    def test_less_than_the_scenario_wants(self) -> None:
        told = says("I can add up to 2 GB. How much?"), asks("1 GB will do."), says("1 GB, yes?"), asks("Yes.")
        assert self.chosen(*told) == ("chose 1 GB as the quantity, instead of 2 GB", 2)

    def test_that_the_agent_held_out_alone(self) -> None:
        assert self.chosen(says("I can add 1 GB. Shall I?"), asks("Yes, 1 GB, please.")) is None

    def test_of_two_that_were_told_the_one_that_the_agent_asks_for(self) -> None:
        told = says("1 GB is $3, 2 GB are $6. Shall I add 1 GB?"), asks("Yes, 1 GB, please.")
        assert self.chosen(*told) is None

    def test_after_the_right_one_was_refused(self) -> None:
        told = asks("2 GB, please."), says("2 GB can't be done, 1 GB at most."), asks("Then 1 GB, please.")
        assert self.chosen(says("How much?"), *told) is None

    @pytest.mark.parametrize(
        "told",
        [
            [asks("1 GB. Sorry, scratch that: 2 GB, please.")],
            [asks("1 GB, please."), says("1 GB, then?"), asks("No, 2 GB.")],
            [asks("1 GB would be too little.")],
            [asks("Is 1 GB enough?"), says("Yes. Shall I add 1 GB?"), asks("Yes.")],
        ],
        ids=["at once", "a line later", "left out", "asked"],
    )
    def test_that_is_taken_back_or_no_choice(self, told: list[AnyMessage]) -> None:
        assert self.chosen(says("How much shall I add?"), *told) is None

    def test_that_the_scenario_names_in_another_form(self) -> None:
        due, made = ({"claim_id": "S-39104", "amount": amount} for amount in (2500.0, 2815.0))
        told = asks("It makes €2,815 for my claim S-39104."), says("Yes?"), asks("Yes, my claim is €2,815.")
        assert chosen("settle_claim", due, made, *told, domain="insurance", wants="That makes €2,815 for you.") is None

    def test_that_the_scenario_names(self) -> None:
        told = says("How much shall I add?"), asks("1 GB, please.")
        assert self.chosen(*told) is not None
        assert self.chosen(*told, wants="You want 2 GB, or 1 GB if it is dear.") is None

    def test_of_another_line(self) -> None:
        assert self.chosen(says("How much shall I add?"), asks("1 GB, please."), line="L2") is None


def test_beside_another_write_of_the_tool_nobody_knows_which_is_meant() -> None:
    due, other = {"order_id": "#W1001", "reason": "ordered by mistake"}, {"order_id": "#W2002", "reason": "x"}
    before = a_call("cancel_pending_order", **other)
    told = says("And why?"), asks("#W1001 is no longer needed."), says(None, before), result_of(before, "{}")
    made = {"order_id": "#W1001", "reason": "no longer needed"}
    assert chosen("cancel_pending_order", due, made, asks("Cancel #W1001."), *told[:2]) is not None
    assert chosen("cancel_pending_order", due, made, asks("Cancel #W1001."), *told) is None


@pytest.mark.parametrize(
    ("said", "made", "found"),
    [
        ("The Mastercard, the one that ends in 1579, please.", "credit_card_2", "the card ending in 1579"),
        ("Put it on my PayPal.", "paypal_3", "paypal"),
        ("The Visa, please, 7982.", "credit_card_2", None),  # the agent took another one
        ("Is the one ending in 1579 still good?", "credit_card_2", None),
    ],
)
def test_a_payment_method(said: str, made: str, found: str | None) -> None:
    look = a_call("get_user_details", user_id="ada_brook_1")
    told = asks("Another card for #W1001, please."), says(None, look), result_of(look, json.dumps(CARDS))
    due, other = ({"order_id": "#W1001", "payment_method_id": one} for one in ("credit_card_1", made))
    asked = says("The Visa (7982), the Mastercard or PayPal?")
    it = chosen("modify_pending_order_payment", due, other, *told, asked, asks(said))
    assert it == (found and (f"chose {found} as the payment method, instead of credit_card_1", 4))


def test_a_yes_or_no() -> None:
    due, made = ({"user_id": "ada_1", "cabin": "economy", "insurance": one} for one in ("no", "yes"))
    told = asks("A flight."), says("Bags? And travel insurance for $30?"), asks("No bags. The insurance yes please.")
    proposal = says("With insurance, then. Shall I book?")
    found = chosen("book_reservation", due, made, *told, proposal, asks("Yes."), domain="airline")
    assert found == ("chose yes as the insurance, instead of no", 2)


@pytest.mark.parametrize("said", ["It is on PayPal now, take the other one.", "That's on my PayPal currently."])
def test_what_it_is_paid_with_so_far(said: str) -> None:
    look = a_call("get_user_details", user_id="ada_brook_1")
    due, made = ({"order_id": "#W1001", "payment_method_id": by} for by in ("credit_card_1", "paypal_3"))
    shown = result_of(look, json.dumps(CARDS))
    told: list[AnyMessage] = [asks("Pay #W1001 otherwise."), says(None, look), shown, says("With what?")]
    assert chosen("modify_pending_order_payment", due, made, *told, asks(said)) is None
    assert chosen("modify_pending_order_payment", due, made, *told, asks("On my PayPal.")) is not None


def test_an_agent_that_makes_its_call_again_and_again_is_soon_left() -> None:
    """Each call is held against all that was said before it: five hundred rounds took half a minute."""
    made = {"order_id": "#W1001", "reason": "no longer needed"}
    rounds: list[AnyMessage] = []
    for _ in range(500):
        call = a_call("cancel_pending_order", **made)
        rounds += [
            says("Your order is open."),
            asks("I like 5 of it, please."),
            says(None, call),
            result_of(call, "{}"),
        ]
    started = process_time()
    assert chosen("cancel_pending_order", {**made, "reason": "ordered by mistake"}, made, *rounds) is None
    assert process_time() - started < 2


@pytest.mark.parametrize(
    ("asked", "said", "found"),
    [
        ("Economy is full. Another flight, or business?", "Could you put me in business, please?", True),
        ("Economy is full. Another flight, or business?", "Is business much dearer?", False),
        ("Economy is full. Another flight, or business?", "Rather another flight in economy than business.", False),
        ("That is business, yes?", "Yes, business.", False),
    ],
    ids=["picks it", "asks", "does not", "was not offered the other"],
)
def test_one_of_two_words_where_the_record_has_the_other(asked: str, said: str, found: bool) -> None:
    look = a_call("get_reservation_details", reservation_id="OBUT9V")
    shown = says(None, look), result_of(look, json.dumps({"reservation_id": "OBUT9V", "cabin": "economy"}))
    due, made = ({"reservation_id": "OBUT9V", "cabin": cabin} for cabin in ("economy", "business"))
    it = chosen("update_reservation_flights", due, made, *shown, says(asked), asks(said), domain="airline")
    assert it == (("chose business as the cabin, instead of economy", 3) if found else None)
