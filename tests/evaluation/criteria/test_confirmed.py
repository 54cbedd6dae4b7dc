"""TRAJECTORY: a yes before every write."""

import pytest

from pytest_tau.schema.messages import AnyMessage
from tests.builders import asks, result_of, says, u_call
from tests.evaluation.criteria.mock_trajectories import CONFIRMED, LOOK, LOOKED, WRITE, WRITTEN, run

GREETING = says("Hi! How can I help you today?")


class TestConfirmed:
    ASKED: list[AnyMessage] = [GREETING, asks("Add a task."), says("I will add 'Buy stamps'. Shall I?")]  # noqa: RUF012

    def test_a_yes_between_proposal_and_call(self) -> None:
        assert run([*self.ASKED, asks("Yes, please."), *LOOKED, *WRITTEN, *WRITTEN], CONFIRMED) == (True, "")

    def test_reads_need_none(self) -> None:
        assert run([GREETING, asks("Add a task."), *LOOKED], CONFIRMED)[0]

    @pytest.mark.parametrize(
        ("messages", "why"),
        [
            ([GREETING, asks("Add a task.")], "nothing like it was proposed to the customer"),
            ([GREETING, asks("Yes! Add a task.")], "nothing like it was proposed to the customer"),
            ([*ASKED, asks("No, leave it.")], "the customer said no in turn 3"),
            ([*ASKED, asks("What does it cost?")], "the customer only asks in turn 3"),
            ([*ASKED, asks("Yes."), says("Shall I add another?"), asks("Stop.")], "the customer put it off in turn 5"),
            ([], "nothing like it was proposed to the customer"),
        ],
    )
    def test_without_one(self, messages: list[AnyMessage], why: str) -> None:
        met, explanation = run([*messages, *WRITTEN], CONFIRMED)
        assert not met
        assert f"create_task in turn {len(messages)} without a yes" in explanation
        assert why in explanation

    @pytest.mark.parametrize(
        "messages",
        [
            [*ASKED, asks("If it costs nothing.")],
            [*ASKED, asks("Yes."), says("That is 40 in all. Please confirm."), asks("Could you use the other card?")],
            [GREETING, asks("Bitte trage die Aufgabe Buy stamps ein."), says("Soll ich das tun?"), asks("Nein.")],
        ],
    )
    def test_what_is_unclear_is_no_miss_but_said(self, messages: list[AnyMessage]) -> None:
        met, explanation = run([*messages, *WRITTEN], CONFIRMED)
        assert met
        assert explanation.startswith(f"agreement unclear: create_task in turn {len(messages)}")

    def test_a_yes_lasts_over_what_needs_no_answer(self) -> None:
        said = [*self.ASKED, asks("Yes."), *WRITTEN, says("The first is in."), asks("Thank you.")]
        assert run([*said, *WRITTEN], CONFIRMED)[0]

    def test_a_failed_attempt_needs_a_yes_too(self) -> None:
        assert not run([says(None, WRITE), result_of(WRITE, error=True)], CONFIRMED)[0]

    def test_only_the_named_tools(self) -> None:
        assert run(WRITTEN, {"check": "confirmed", "names": ["update_task_status"]})[0]
        assert not run(WRITTEN, {"check": "confirmed", "names": ["create_task"]})[0]

    def test_what_the_customer_does_and_solo(self) -> None:
        call = u_call("dismiss_notification")
        assert run([asks(None, call), result_of(call)], CONFIRMED)[0]
        assert run(WRITTEN, CONFIRMED, solo=True) == (True, "solo mode has no customer to ask")

    def test_words_beside_a_call_are_no_question(self) -> None:
        messages: list[AnyMessage] = [GREETING, asks("Add a task."), says("Shall I?", LOOK), result_of(LOOK)]
        assert "nothing like it was proposed" in run([*messages, *WRITTEN], CONFIRMED)[1]
