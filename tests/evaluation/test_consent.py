"""Agreement: yes, no or unclear, on conversations that were written against its weak spots."""

from typing import Any

import pytest

from pytest_tau.evaluation.consent import agreement
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says
from tests.evaluation.written import Written, last_call, read

ALLOWED = {
    "yes": {"yes"},
    "no": {"no"},
    "unclear": {"unclear"},
    "not no": {"yes", "unclear"},
    "not yes": {"no", "unclear"},
}
CANCEL = a_call("cancel_pending_order", order_id="#W1001", reason="no longer needed")


@pytest.mark.parametrize("written", read("agreement"), ids=lambda written: written.name)
def test_conversations(written: Written) -> None:
    found = agreement(written.messages, last_call(written.messages))
    assert found in ALLOWED[written.verdict], found.why


class TestAnswer:
    ASKED: list[AnyMessage] = [  # noqa: RUF012
        says("Hi"),
        asks("Cancel #W1001"),
        says("I would cancel #W1001. Shall I?"),
    ]

    def run(self, *messages: AnyMessage, **options: Any) -> Any:
        return agreement([*messages, says(None, CANCEL)], len(messages), **options)

    def test_a_verdict_is_a_text_with_its_reason_and_turn(self) -> None:
        found = self.run(*self.ASKED, asks("No."))
        assert (found, found.why, found.turn) == ("no", "the customer said no in turn 3", 3)
        assert (found := self.run(*self.ASKED, asks("Yes."))) == "yes"
        assert (found.why, found.turn) == ("", 3)

    def test_a_turn_without_a_call_is_unclear(self) -> None:
        assert agreement([says("Hi")], 0) == "unclear"

    def test_which_call_of_a_turn(self) -> None:
        other = a_call("cancel_pending_order", "c2", order_id="#W2002", reason="no longer needed")
        messages: list[AnyMessage] = [*self.ASKED, asks("Yes."), says(None, CANCEL, other)]
        assert agreement(messages, 4, CANCEL) == "yes"
        assert agreement(messages, 4, other) == "no"

    def test_the_words_of_a_tool_can_be_given(self) -> None:
        call = a_call("zap", order_id="#W1001")
        said: list[AnyMessage] = [
            says("Hi"),
            asks("#W1001"),
            says("#W1001 can be voided. Should I void it?"),
            asks("Yes"),
            says(None, call),
        ]
        assert agreement(said, 4, verbs=["void"]) == "yes"

    def test_a_change_in_between_ends_what_was_said_before_it(self) -> None:
        write = a_call("zap", order_id="#W3003")
        done: list[AnyMessage] = [says(None, write), result_of(write), says("Done.")]
        said = [says("Hi"), asks("Cancel #W1001"), says("I can cancel #W1001."), *done, asks("Fine")]
        assert self.run(*said) == "no"
