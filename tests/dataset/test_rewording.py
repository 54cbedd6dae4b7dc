"""The agent's lines in other words."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from pytest_tau import grade, simulate
from pytest_tau.dataset.labels import Labelled, labelled
from pytest_tau.dataset.rewording import reworded, states_the_same
from pytest_tau.llm.protocol import ModelReply
from tests.builders import core, mock

LINE = "Your order #W123 of Nadir Zeller costs $54.04. Shall I go ahead? (yes/no)"


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("For $54.04, Nadir Zeller has order #W123; do I go on? (yes/no)", True),
        ("Your order #W123 of Nadir Zeller costs $54.05. Shall I go ahead? (yes/no)", False),
        ("Your order #W124 of Nadir Zeller costs $54.04. Shall I go ahead? (yes/no)", False),
        ("Your order #W123 of Selma Zeller costs $54.04. Shall I go ahead? (yes/no)", False),
        ("Your order #W123 of Nadir Zeller costs $54.04. I go ahead. (yes/no)", False),
        ("Your order #W123 of Nadir Zeller costs $54.04. Shall I go ahead?", False),
        (f"{LINE} ###STOP###", False),
    ],
)
def test_what_states_the_same(other: str, same: bool) -> None:
    assert states_the_same(LINE, other) is same


class Writer:
    """A model that answers by a function."""

    model = "writer"
    parameters: Mapping[str, Any] = MappingProxyType({})

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    async def complete(self, messages: Any, **options: Any) -> ModelReply:
        return ModelReply(self._answer(messages[-1]["content"]), None, 0.0, None, 0.0)


def played() -> Labelled:
    task = core("mock")[0]
    simulation = simulate(task, mock())
    return labelled(task, simulation, grade(task, simulation, mock()), mock(), oracle=True)


def test_lines_are_said_otherwise_and_the_grade_stays() -> None:
    one = played()
    said = reworded(one, mock(), Writer(lambda line: f"Well then: {line}"))
    texts = [m.content for m in said.simulation.messages if m.role == "assistant" and m.content]
    assert texts[0] == "Hi! How can I help you today?"
    assert all(text.startswith("Well then: ") for text in texts[1:])
    assert grade(one.task, said.simulation, mock()).passed


def test_what_states_something_else_is_not_taken() -> None:
    one = played()
    for answer in (lambda line: f"{line} That makes 42.", lambda line: ""):
        assert reworded(one, mock(), Writer(answer)).simulation.messages == one.simulation.messages
