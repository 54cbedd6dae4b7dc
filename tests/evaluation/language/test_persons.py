"""Scenarios that speak to the customer, who would say "You are Ana" to the agent."""

import pytest

from pytest_tau.evaluation.language.persons import second_person
from tests.builders import task


def flagged(**texts: str) -> list[str]:
    instructions = {"domain": "mock", "reason_for_call": "I need a task.", "task_instructions": "You are calm."} | texts
    return list(second_person(task(user_scenario={"instructions": instructions}).user_scenario))


@pytest.mark.parametrize(
    "text", ["You are Ana Ferro.", "You're Ana.", "Your user id is ana_1.", "Your full name is Ana."]
)
def test_what_they_know_is_told_in_the_second_person(text: str) -> None:
    (said,) = flagged(known_info=text)
    assert said.startswith("user_scenario.instructions.known_info begins with 'You")
    assert said.endswith("write it in the first person, as in 'I am …'")


def test_what_they_want_is_told_in_the_second_person() -> None:
    (said,) = flagged(reason_for_call="You want to cancel your order.")
    assert said.startswith("user_scenario.instructions.reason_for_call begins with 'You want'")


@pytest.mark.parametrize(
    "text",
    [
        "I am Ana.",
        "You have me under ana_1.",
        "You need a mark of the account: B2.",
        "Your mails reach me at a@b.example.",
    ],
)
def test_what_is_said_to_the_agent_is_not(text: str) -> None:
    assert flagged(known_info=text) == []
    assert flagged(reason_for_call=f"You have cancelled my flight. {text}") == []


def test_a_scenario_in_one_text_is_told_to_a_model_and_said_by_nobody() -> None:
    assert list(second_person(task(user_scenario={"instructions": "You are Ana."}).user_scenario)) == []
