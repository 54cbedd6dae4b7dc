"""What must survive where one of a team hands over: facts, a yes, and who does what."""

from itertools import pairwise
from typing import Any

import pytest

from pytest_tau import AssistantMessage, load_domain
from pytest_tau.evaluation.criteria.trajectory import trajectory
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.reward import Check
from tests.builders import a_call, asks, result_of, says, task

TOLD = asks("My e-mail is ada@example.com, the order is #W1234567.")
AGAIN = says("What is your e-mail address?")
CANCEL = a_call("cancel_pending_order", order_id="#W1234567", reason="no longer needed")
PROPOSES = says("I would cancel the order #W1234567 as no longer needed. Shall I go ahead?")
YES = asks("Yes, please.")


def by(author: str, message: AssistantMessage, *way: str) -> AssistantMessage:
    """The message of a role, handed over to along a way."""
    handoffs = [{"from": one, "to": other} for one, other in pairwise((*way, author))]
    return message.model_copy(update={"author": author, "handoffs": handoffs or None})


def run(check: str, *messages: AnyMessage) -> Check:
    env = load_domain("retail_desk").environment()
    played = task(domain="retail_desk", criteria={"trajectory": [{"check": check}]})
    return trajectory(played, messages, in_basis=True, env=env, by_domain=False).checks[0]


def why(check: str, *messages: AnyMessage) -> str:
    found = run(check, *messages)
    assert found.met == (not found.explanation)
    assert found.met == (found.turn is None)
    return found.explanation


def test_what_was_told_is_not_asked_for_after_a_hand_over() -> None:
    over = by("refunds", says("Hello, refunds here."), "triage")
    assert why("asked_once", TOLD, over, AGAIN) == (
        "turn 2 asks for what the customer had told before the hand-over in turn 1"
    )
    assert not why("asked_once", TOLD, over, says("What is your zip code?"))
    assert not why("asked_once", TOLD, AGAIN, over)  # triage's own fault
    assert not why("asked_once", over, TOLD, AGAIN)  # refunds' own fault
    assert why("asked_once", over, TOLD, by("orders", AGAIN, "refunds")) == (
        "turn 2 asks for what the customer had told before the hand-over in turn 2"
    )
    assert run("asked_once", TOLD, AGAIN).dormant


def test_nor_is_a_yes_that_was_given() -> None:
    asked: list[AnyMessage] = [TOLD, by("orders", PROPOSES), YES]
    again = by("triage", PROPOSES, "orders")
    made: list[AnyMessage] = [by("orders", says(None, CANCEL), "triage"), result_of(CANCEL)]
    assert why("asked_once", *asked, again, YES, *made) == (
        "turn 3 asks for the yes that the customer had given before the hand-over in turn 3"
    )
    assert not why("asked_once", *asked, *made)
    assert not why("asked_once", *asked, by("orders", PROPOSES), YES, *made)  # no hand-over between
    assert not why("asked_once", *asked[:2], asks("Why?"), again, YES, *made)


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([by("orders", says(None, CANCEL))], ""),
        ([by("triage", says(None, CANCEL))],
         "turn 0: 'triage' calls cancel_pending_order, which is not among its tools"),
        ([by("orders", says("Hi."), "triage")], ""),
        ([by("supervisor", says("Hi."), "orders")],
         "turn 0: 'orders' hands over to 'supervisor', which is not among its colleagues"),
        ([by("supervisor", says("Hi."), "billing")], ""),  # a role of the team's own
        ([by("clerk", says(None, CANCEL))], ""),
        ([by("orders", says("Hi."), *["triage", "orders"] * 2, "triage")],
         "turn 0: 'triage' hands over to 'orders' again and again, and nothing is called"),
        ([by("orders", says("Hi."), "triage", "orders", "triage"), by("orders", says(None, CANCEL)),
          by("orders", says("Hi."), "orders", "triage")], ""),
    ],
)  # fmt: skip
def test_a_role_keeps_to_its_tools_and_its_colleagues(messages: list[AnyMessage], said: str) -> None:
    assert why("own_role", *messages) == said


@pytest.mark.parametrize("text", ["I will hand you over to orders.", "Let me connect you with our Orders desk now."])
def test_who_announces_a_hand_over_makes_it(text: str) -> None:
    announces, on = by("triage", says(text)), says("Anything else?")
    fine = "turn 0 announces a hand-over to 'orders', which does not take over"
    assert why("own_role", announces, asks("OK."), by("triage", on)) == fine
    assert not why("own_role", announces, asks("OK."), by("orders", on, "triage"))
    assert not why("own_role", announces, asks("OK."))
    assert not why("own_role", by("orders", says(text)), asks("OK."), by("orders", on))


@pytest.mark.parametrize(
    "text", ["Shall I hand you over to orders?", "I cannot transfer you to orders.", "Orders it is."]
)
def test_who_only_speaks_of_one_need_not(text: str) -> None:
    assert not why("own_role", by("triage", says(text)), asks("No."), by("triage", says("Anything else?")))


def test_who_names_no_author_is_not_looked_at() -> None:
    found = run("own_role", says("I will hand you over to orders."), asks("OK."), says(None, CANCEL), says("Done."))
    assert (found.met, found.dormant) == (True, True)


def test_a_domain_with_roles_holds_teams_to_them_without_a_word_of_the_task() -> None:
    def kinds(name: str) -> list[Any]:
        found = trajectory(task(domain=name), [], in_basis=True, env=load_domain(name).environment())
        return [check.kind for check in found.checks]

    assert {"own_role", "asked_once"} <= set(kinds("retail_desk"))
    assert "own_role" not in kinds("retail")
