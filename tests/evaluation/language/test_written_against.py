"""Conversations written against two rules by somebody who knew what they claim, and had not seen them.

Half of each file is what the rule is for, half is a near miss. No near miss may be taken for it. Of the others the
tests hold how many are seen.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.evaluation.language.consent import agreement
from pytest_tau.evaluation.language.told.looked_again import told_to_have_looked_again
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tests.builders import asks, result_of, says

FOLDER = Path(__file__).parent / "written_against"


def read(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def conversation(written: list[list[Any]]) -> list[AnyMessage]:
    """Lines as [side, text], calls as [side_call, tool, arguments, result, whether it failed]."""
    messages: list[AnyMessage] = []
    for number, (kind, told, *rest) in enumerate(written):
        speak = says if kind.startswith("assistant") else asks
        if not rest:
            messages.append(speak(told))
            continue
        arguments, result, failed = rest
        side = "user" if kind == "user_call" else "assistant"
        call = ToolCall(id=f"c{number}", name=told, arguments=arguments, requestor=side)
        messages += [speak(None, call), result_of(call, result, error=failed)]
    return messages


def agreed(case: dict[str, Any]) -> bool:
    messages, (name, arguments) = conversation(case["messages"]), case["call"]
    return (
        agreement([*messages, says(None, ToolCall(id="last", name=name, arguments=arguments))], len(messages)) == "yes"
    )


@pytest.mark.parametrize(
    "case", [one for one in read("conditions") if one["agreed"] != "yes"], ids=lambda one: one["name"]
)
def test_a_near_miss_of_a_condition_is_no_yes(case: dict[str, Any]) -> None:
    assert not agreed(case)


def test_conditions_that_are_met() -> None:
    met = [one for one in read("conditions") if one["agreed"] == "yes"]
    assert (sum(map(agreed, met)), len(met)) == (11, 20)


@pytest.mark.parametrize("case", [one for one in read("second_looks") if not one["false"]], ids=lambda one: one["name"])
def test_what_is_no_second_look(case: dict[str, Any]) -> None:
    assert not [*told_to_have_looked_again(conversation(case["messages"]))]


def test_second_looks_that_nobody_took() -> None:
    told = [one for one in read("second_looks") if one["false"]]
    seen = [[one.sentence for one in told_to_have_looked_again(conversation(case["messages"]))] for case in told]
    assert (sum(map(bool, seen)), len(told)) == (16, 20)
