"""The agent's lines in other words."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from pytest_tau import grade, simulate
from pytest_tau.errors import InfraError
from pytest_tau.llm.client import LiteLLMClient
from pytest_tau.llm.protocol import ModelReply
from tau_workshop.dataset.labels import Labelled, label
from tau_workshop.dataset.rewording import UNANSWERED, reword, reword_all, states_the_same
from tau_workshop.dataset.writing import write_dataset
from tests.builders import core, mock
from tests.llm.server import Answer, ChatServer, Request, says

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
        (f"Dear Alma, Dear Otto, for {LINE}", False),
        (f"{LINE} That is not all.", False),
    ],
)
def test_what_states_the_same(other: str, same: bool) -> None:
    assert states_the_same(LINE, other) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("I cannot cancel it.", "Cancelling it is something that I can do.", False),
        ("I cannot cancel it.", "I'm unable to cancel it.", True),
        ("It comes on Friday.", "Saturday is when it comes.", False),
        ("It comes on May 5.", "It comes on May 6.", False),
        ("It takes two days.", "It takes three days.", False),
        ("Is this Mr. Adair?", "Am I talking to Mr. Adair?", True),
        ("Is this Mr. Adair?", "Am I talking to Mr. Adler?", False),
    ],
)
def test_days_numbers_names_and_denials(one: str, other: str, same: bool) -> None:
    assert states_the_same(one, other) is same


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
    return label(task, simulation, grade(task, simulation, mock()), mock(), oracle=True)


def test_lines_are_said_otherwise_and_the_grade_stays() -> None:
    one = played()
    said = reword(one, mock(), Writer(lambda line: f"Well then: {line}"))
    texts = [m.content for m in said.simulation.messages if m.role == "assistant" and m.content]
    assert texts[0] == "Hi! How can I help you today?"
    assert all(text.startswith("Well then: ") for text in texts[1:])
    assert grade(one.task, said.simulation, mock()).passed


def test_what_states_something_else_is_not_taken() -> None:
    one = played()
    for answer in (lambda line: f"{line} That makes 42.", lambda line: ""):
        assert reword(one, mock(), Writer(answer)).simulation.messages == one.simulation.messages


def test_a_line_that_the_model_does_not_answer_stays() -> None:
    one, asked = played(), []

    def answers(line: str) -> str:
        asked.append(line)
        if len(asked) == 1:
            raise InfraError("down")
        return f"Well then: {line}"

    said = reword(one, mock(), Writer(answers))
    assert said.reworded == len(asked) - 1 >= 1
    assert asked[0] in [m.content for m in said.simulation.messages if m.role == "assistant"]

    def down(line: str) -> str:
        raise InfraError("down")

    with pytest.raises(InfraError):
        reword(one, mock(), Writer(down))


def test_what_was_reworded_is_kept_when_the_model_fails_later() -> None:
    one, asked = played(), []

    def answers_at_first(line: str) -> str:
        asked.append(line)
        if len(asked) > lines:
            raise InfraError("no money left")
        return f"Well then: {line}"

    lines = reword(one, mock(), Writer(lambda line: f"Well then: {line}")).reworded
    left_out = Counter[str]()
    made = [*reword_all([one] * 6, mock(), Writer(answers_at_first), left_out)]
    assert [said.reworded for said in made] == [lines, 0, 0, 0, 0, 0]
    assert len(asked) == lines * 4  # three more times, and not again
    assert left_out == {UNANSWERED: 5}
    with pytest.raises(InfraError):
        next(reword_all([one], mock(), Writer(answers_at_first), left_out))


@pytest.mark.slow
def test_a_data_set_in_the_words_of_a_served_model(tmp_path: Path) -> None:
    """Over HTTP: a model that says some lines otherwise, and changes a fact in others."""

    def answer(request: Request) -> Answer:
        line = request.messages[-1]["content"]
        return says(f"Well then: {line}" if len(line) % 3 else f"{line} It costs $99999.")

    with ChatServer(answer) as server:
        writer = LiteLLMClient("openai/test", {"api_base": server.url, "api_key": "sk-test"})
        summary = write_dataset("retail", tmp_path, n=3, seed=1, formats=["rewards"], writer=writer)
    texts = [
        message["content"] or ""
        for file in tmp_path.glob("rewards/*.jsonl")
        for row in file.read_text("utf-8").splitlines()
        for message in json.loads(row)["completion"]
        if message["role"] == "assistant"
    ]
    assert sum(text.startswith("Well then: ") for text in texts) == summary.reworded > 0
    assert not any("99999" in text for text in texts)
    assert f"in other words, by openai/test: {summary.reworded}" in (tmp_path / "README.md").read_text("utf-8")
    assert len(server.requests) > summary.reworded
