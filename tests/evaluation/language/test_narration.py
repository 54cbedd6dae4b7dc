"""Lines that announce what an agent is about to do; of recorded agents, on files that the rules were not tuned to."""

import json
from itertools import pairwise

import pytest

from pytest_tau.evaluation.language.narration import is_call_text, narrates
from tests.shared import shared

HELD_OUT = ("airline_sonnet45", "airline_gpt5", "retail_gpt5", "retail_gpt41_tuned", "telecom_gpt41_tuned")


@pytest.mark.parametrize(
    "text",
    [
        "Sure, one moment please while I look that up.",
        "Let me check your order.",
        "Thank you, Ana. I found your account. Now let me look at the order.",
        "I’ll go ahead and cancel it now.",
        "Checking the status of your order now...",
        "Of course! I'd be happy to help with that.",
        "Sure!",
        "Is it #W1? Please hold on.",
    ],
)
def test_it_narrates(text: str) -> None:
    assert narrates(text)


@pytest.mark.parametrize(
    "text",
    [
        "Your order has been cancelled.",
        "I will not do that.",
        "Let me know if you need anything else.",
        "All done. You will receive a confirmation.",
        "Your balance is $5.",
        "You are being transferred to a human agent. Please hold on.",
        "Let me look. Which order is it?",
        "Sure?",
        "",
    ],
)
def test_it_does_not(text: str) -> None:
    assert not narrates(text)


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
    """What agents say beside a call narrates; what made a customer leave, and is no JSON, does not."""
    beside, last = [], []
    for name in HELD_OUT:
        for simulation in json.loads(shared("recordings", f"tau2_{name}.json").read_text())["simulations"]:
            messages = [*simulation["messages"], {"role": "end"}]
            for message, following in pairwise(messages):
                text = (message.get("content") or "").strip()
                if message["role"] != "assistant" or not text:
                    continue
                if message.get("tool_calls"):
                    beside.append(text)
                elif "?" not in text and "###" in (following.get("content") or "") and not is_call_text(text):
                    last.append(text)
    assert (sum(map(narrates, beside)), len(beside)) == (31, 36)
    assert (sum(map(narrates, last)), len(last)) == (1, 38)
