"""What a model gave, whatever a program keeps it in; what holds no message is told of."""

from typing import Any

import pytest

from pytest_tau.recordings.answers import answer_of
from pytest_tau.recordings.logged import CalledEvent, Event, LeftOutEvent, SaidEvent

CALL = CalledEvent("c1", "get_order", {"order_id": "O1"})
GET = {"name": "get_order", "arguments": '{"order_id": "O1"}'}
USE = {"type": "tool_use", "id": "c1", "name": "get_order", "input": {"order_id": "O1"}}
LOOKS = SaidEvent("assistant", "I look.")


@pytest.mark.parametrize(
    ("value", "events"),
    [
        ("I look.", [LOOKS]),
        ([{"type": "text", "text": "I look."}], [LOOKS]),
        ([{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "I look."}, USE], [LOOKS, CALL]),
        ([USE], [CALL]),
        ({"choices": [{"text": "I look."}, {"text": "Or not."}]}, [LOOKS]),
        ({"output": [{"type": "reasoning"}, {"type": "function_call", "call_id": "c1", **GET}]}, [CALL]),
        ({"generations": [[{"text": "", "message": {"type": "ai", "content": "I look."}}]]}, [LOOKS]),
        ({"messages": [[{"role": "ai", "content": "I look."}]]}, [LOOKS]),
        ('{"status": "I look."}', [SaidEvent("assistant", '{"status": "I look."}')]),
        (None, []),
        ({}, []),
    ],
    ids=[
        *("a text", "blocks", "blocks with a call", "a call", "completions", "items", "LangChain", "a batch"),
        *("a text that is JSON", "none", "nothing"),
    ],
)
def test_what_a_model_gave(value: Any, events: list[Event]) -> None:
    assert answer_of(value) == events


def test_what_a_model_gave_and_holds_no_message_is_told_of() -> None:
    [told] = answer_of({"usage": 3})
    assert told == LeftOutEvent('an answer is left out, as it holds no message: {"usage": 3}')
