"""The check of a judge's model: does it answer in the form that can be read, and rightly where nobody could doubt."""

from __future__ import annotations

from ..evaluation.judges.asking import case
from ..evaluation.judges.nl_assertions import INSTRUCTIONS, read_verdicts
from ..llm.chat import system, user
from .findings import DoctorFinding, failure, ok, warning
from .line import ModelLine

_CONVERSATION = [
    {"from": "customer", "says": "Where is my parcel P-7731?"},
    {"from": "agent", "calls": [{"name": "find_parcel", "arguments": {"number": "P-7731"}}]},
    {"from": "tool", "returned": "Harbour Street 12"},
    {"from": "agent", "says": "Your parcel is at Harbour Street 12."},
]
_EXPECTATIONS = [
    {"number": 1, "expectation": "The agent says where the parcel is."},
    {"number": 2, "expectation": "The agent offers the customer a refund of 50 dollars."},
]
_TRUTH = {1: True, 2: False}
_TRIES = 2


async def judges(line: ModelLine) -> DoctorFinding:
    """Whether its verdicts can be read."""
    chat = [system(INSTRUCTIONS), user(case(conversation=_CONVERSATION, expectations=_EXPECTATIONS))]
    for attempt in range(_TRIES):
        answer = await line.ask(chat, seed=attempt + 1, response_format={"type": "json_object"})
        found = {number: met for number, (met, _) in read_verdicts(answer.text, len(_TRUTH)).items()}
        if found == _TRUTH:
            return ok(line.side, "verdicts", "in the form asked for, and right")
        if len(found) == len(_TRUTH):
            text = "in the form asked for, and wrong where nobody could doubt"
            return warning(line.side, "verdicts", text, "let a larger model judge, and see docs/grading.md on votes")
    shown = " ".join(answer.raw.split())[:80]
    advice = "let another model judge: what cannot be read counts as not met"
    return failure(line.side, "verdicts", f"cannot be read: '{shown}'", advice)
