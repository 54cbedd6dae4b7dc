"""What a customer would not say, told from structure."""

import pytest

from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.scenario import Instructions, UserScenario
from pytest_tau.scrub import remember
from pytest_tau.users.guard import only_the_answer, slip, with_end_mark
from tests.builders import says

SCENARIO = UserScenario(
    instructions=Instructions(
        domain="shop",
        reason_for_call="I want to return a lamp.",
        known_info="I am Nadia Brandt, and my order is W1042.",
        task_instructions="You insist on the refund and you never accept a voucher, whatever the agent says to you.",
    )
)
SAID: list[AnyMessage] = [
    says("Hi! How can I help you today?"),
    says("I found the order W1042 with a lamp and a chair. Shall I refund the lamp to gift card G77120?"),
]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Hello! How can I help you today?", "repeated the agent"),
        ("How can I assist you with your order?", "spoke as the agent"),
        ("You're welcome! If you have any other questions, feel free to ask.", "spoke as the agent"),
        ("Sure, I'd be happy to help. Can you please give me the order numbers?", "spoke as the agent"),
        ("Agent: Your order is on its way.", "spoke as the agent"),
        ("You insist on the refund and you never accept a voucher.", "told its instructions"),
        ("My order is W99812.", "invented an id"),
        ('{"order": 1}', "wrote in another form"),
        ('```json\n{\n  "name": "ask_new_task",\n  "arguments": {}\n}\n```', "wrote in another form"),
        ("<|im_start|>user Hello", "wrote in another form"),
        ('<tool_call>{"name": "reboot", "arguments": {}}</tool_call>', "wrote in another form"),
    ],
)
def test_a_slip(text: str, what: str) -> None:
    found = slip(text, SCENARIO, SAID, ["reboot"])
    assert found is not None
    assert found.what == what
    assert ("W99812" in found.hint) is (what == "invented an id")


def test_no_part_of_a_key_is_told_as_an_id() -> None:
    remember(['k-zq01Kd93mXw"tail'])
    found = slip('My order is W99812, and the key is k-zq01Kd93mXw"tail.', SCENARIO, SAID)
    assert found is not None
    assert "W99812;" in found.hint


@pytest.mark.parametrize(
    "text",
    [
        "I want to return a lamp.",
        "My order is #W1042, from 2026-05-01, for $300.",
        "Yes, refund the lamp to gift card G77120.",
        "I restarted my phone, but I still see no signal. Is there anything else I can try?",
        "Yes.",
        "Thanks! ###STOP###",
    ],
)
def test_what_a_customer_says(text: str) -> None:
    assert slip(text, SCENARIO, SAID) is None


@pytest.mark.parametrize(
    "text",
    [
        "STOP",
        "###STOP",
        "[STOP]",
        "Thanks. STOP",
        "Thanks!\n**STOP**",
        "Thanks ##STOP##.",
        "Thanks ###stop###",
        "###Stop###",
    ],
)
def test_an_end_mark_in_nearly_its_form(text: str) -> None:
    assert with_end_mark(text).endswith("###STOP###")


@pytest.mark.parametrize("text", ["Thank you, goodbye.", "Bye!", "Thanks so much, have a nice day. Bye."])
def test_who_says_goodbye_and_nothing_else_has_left(text: str) -> None:
    assert with_end_mark(text) == f"{text} ###STOP###"


def test_other_marks() -> None:
    assert with_end_mark("Thank you. [TRANSFER]") == "Thank you. ###TRANSFER###"
    assert with_end_mark("OUT OF SCOPE") == "###OUT-OF-SCOPE###"
    assert with_end_mark("I do not know. ###out_of_scope###") == "I do not know. ###OUT-OF-SCOPE###"


@pytest.mark.parametrize(
    "text",
    [
        "I want this to STOP.",
        "Please STOP",
        "Stop.",
        "[stop]",
        "Make it *stop*",
        "Thanks! ###STOP###",
        "Full STOP it is",
        "Goodbye to the lamp.",
        "Bye!?",
    ],
)
def test_what_is_none(text: str) -> None:
    assert with_end_mark(text) == text


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("Sure, here's my answer:\n\nI want to return a lamp.", "I want to return a lamp."),
        ('Here is what I would say:\n"Yes, please."', "Yes, please."),
        ("Here: the number is W1042.", "Here: the number is W1042."),
        ('I said "no" and I mean "no"', 'I said "no" and I mean "no"'),
        ("Sure:", "Sure:"),
    ],
)
def test_what_hands_an_answer_over_is_not_said(written: str, answer: str) -> None:
    assert only_the_answer(written) == answer


@pytest.mark.parametrize("sign", [*"\n*#[<({|_`'-", "a-", "please provide me with the "])
def test_a_reply_without_end_is_read_once(sign: str) -> None:
    """Read from each of its places, it would take minutes."""
    run = sign * (40_000 // len(sign))
    assert with_end_mark(f"{run} q") == f"{run} q"
    assert with_end_mark(f"Thanks.\n{run}\nSTOP").endswith("###STOP###")
    assert slip(f"{run}! My order is W9911.", SCENARIO, SAID) is not None


def test_an_id_that_nobody_told_is_found_among_signs() -> None:
    for text in ("It is --W9911.", "It is ##W9911.", "It is no.#W9911-", "It is a#W9911."):
        assert (slip(text, SCENARIO, SAID) or ("",))[0] == "invented an id", text
