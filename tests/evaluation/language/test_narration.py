"""Statements that an agent can end with; of recorded agents, on files that the rules were not tuned to."""

import json
from itertools import pairwise

import pytest

from pytest_tau.agents.noop import SENTENCE
from pytest_tau.evaluation.language.narration import announces, handed_over_to, is_call_text, is_last_word
from tests.shared import shared

HELD_OUT = ("airline_sonnet45", "airline_gpt5", "retail_gpt5", "retail_gpt41_tuned", "telecom_gpt41_tuned")
HEARD = "Hello, my order #W1 has been delivered broken. I cannot use it and would like to return it, please."


@pytest.mark.parametrize(
    "text",
    [
        "Sure, one moment please while I look that up.",
        "Let me check your order.",
        "Thank you, Ana. I found your account. Now let me look at the order.",
        "I’ll go ahead and cancel it now.",
        "Checking the status of your order now...",
        "I have cancelled the first one. Let me look at the second.",
    ],
)
def test_what_announces_a_step_is_no_last_word(text: str) -> None:
    assert announces(text)
    assert not is_last_word(text)


@pytest.mark.parametrize(
    "text",
    [
        "Of course! I'd be happy to help with that.",
        "Sure!",
        "Hello, this is the service desk.",
        "I am sorry to hear that.",
        "Welcome! If you have any questions, feel free to ask.",
        SENTENCE,
        "I have found your order.",
        "Your order has three items.",
        "I cannot go on without your number.",
        HEARD,
        "Your order #W1 has been delivered broken.",
        "You cannot use it, and would like to return it.",
        "",
    ],
)
def test_a_greeting_an_echo_and_a_kind_word_are_none(text: str) -> None:
    assert not is_last_word(text, [HEARD])
    assert not announces(text)


@pytest.mark.parametrize(
    "text",
    [
        "Your order has been cancelled.",
        "I've booked it.",
        "All done.",
        "All done. You will receive a confirmation.",
        "Everything is taken care of. Thank you for your patience.",
        "That much is settled.",
        "I will not do that.",
        "I am sorry, but I cannot help you with that. Goodbye.",
        "Unfortunately, the order can no longer be changed.",
        "It costs $5. Let me know if you need anything else.",
    ],
)
def test_what_reports_refuses_or_takes_its_leave_is_one(text: str) -> None:
    assert is_last_word(text, [HEARD])
    assert not announces(text)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ('{"name": "cancel", "arguments": {}}', True),
        ('[{"name": "cancel"}]', True),
        ('```json\n{"name": 1}\n```', True),
        ("<tool_call>x", True),
        ("<|tool_call|>x", True),
        ("get_order(order_id='#W1')", True),
        ('get_order({"order_id": "#W1"})', True),
        ("[1] is the first step.", False),
        ("I have called get_order(order_id='#W1') for you.", False),
        ("Your total (with tax) is $5.", False),
        ("", False),
    ],
)
def test_the_text_of_a_call(text: str, is_one: bool) -> None:
    assert is_call_text(text) is is_one


def test_on_recorded_agents_that_it_was_not_tuned_to() -> None:
    """What agents say beside a call is no last word; what made a customer leave, and is no JSON, is one."""
    beside, last = [], []
    for name in HELD_OUT:
        for simulation in json.loads(shared("recordings", f"tau2_{name}.json").read_text())["simulations"]:
            messages = [*simulation["messages"], {"role": "end"}]
            heard: list[str] = []
            for message, following in pairwise(messages):
                text = (message.get("content") or "").strip()
                if message["role"] == "user":
                    heard.append(text)
                if message["role"] != "assistant" or not text:
                    continue
                if message.get("tool_calls"):
                    beside.append((text, heard[:]))
                elif "?" not in text and "###" in (following.get("content") or "") and not is_call_text(text):
                    last.append((text, heard[:]))
    assert (sum(is_last_word(*one) for one in beside), len(beside)) == (2, 36)
    assert (sum(is_last_word(*one) for one in last), len(last)) == (37, 38)


@pytest.mark.parametrize(
    ("text", "to"),
    [
        ("I will hand you over to Refunds now.", "refunds"),
        ("One moment. I’m connecting you with my colleagues at the orders desk.", "orders"),
        ("I'll pass you on to our team of refunds, who can help.", "refunds"),
        ("Shall I transfer you to refunds?", None),
        ("I cannot transfer you to refunds.", None),
        ("If you like, I'll put you through to orders.", None),
        ("I'll transfer you to orders once I have looked.", None),
        ("I will transfer you to a human agent.", None),
        ("The refunds go to your card.", None),
    ],
)
def test_to_whom_a_customer_is_handed_over(text: str, to: str | None) -> None:
    assert handed_over_to(text, ("orders", "refunds")) == to
