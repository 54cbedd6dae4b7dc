"""Messages out of what a log tells of: each call beside its result, and a note on each that is left out."""

from collections.abc import Iterable
from typing import Any

import pytest

from pytest_tau.recordings.logged import (
    CalledEvent,
    Event,
    LeftOutEvent,
    LoggedConversation,
    ReturnedEvent,
    SaidEvent,
    Unread,
    messages_of,
)
from pytest_tau.schema.messages import AnyMessage, ToolMessage
from tests.builders import a_call, asks, result_of, says, u_call

HI = SaidEvent("user", "Hi")


def called(id: str = "c1", name: str = "look", **more: Any) -> CalledEvent:
    return CalledEvent(id, name, {}, **more)


def shown(messages: Iterable[AnyMessage]) -> list[str]:
    """Each message in a word or two: who, what was said or returned, and the calls with their ids."""
    found = []
    for one in messages:
        calls = () if isinstance(one, ToolMessage) else one.tool_calls or ()
        ids = one.id if isinstance(one, ToolMessage) else " ".join(f"{call.name}#{call.id}" for call in calls)
        found.append(" ".join(filter(None, [one.role, one.content, ids])))
    return found


def read(*events: Event) -> list[str]:
    return shown(messages_of(events)[0])


def notes(*events: Event) -> list[str]:
    return messages_of(events)[2]


class TestMessages:
    def test_a_text_and_the_calls_that_follow_it_are_one(self) -> None:
        said, first, second = SaidEvent("assistant", "I look."), called(), called("c2")
        returned = ReturnedEvent("c2", "2"), ReturnedEvent("c1", "1")
        assert read(HI, said, first, second, *returned) == [
            "user Hi",
            "assistant I look. look#c1 look#c2",
            "tool 1 c1",
            "tool 2 c2",
        ]

    def test_what_follows_a_result_is_another(self) -> None:
        one, two = (called(), ReturnedEvent("c1", "1")), (called("c2"), ReturnedEvent("c2", "2"))
        assert read(*one, *two) == ["assistant look#c1", "tool 1 c1", "assistant look#c2", "tool 2 c2"]

    def test_two_texts_in_a_row_stay_two(self) -> None:
        assert read(HI, HI, SaidEvent("assistant", "Yes?")) == ["user Hi", "user Hi", "assistant Yes?"]

    def test_a_call_of_the_customers_is_in_a_message_of_theirs(self) -> None:
        both = called(), ReturnedEvent("c1", "1"), called("u1", requestor="user"), ReturnedEvent("u1", "2")
        messages, *_ = messages_of([SaidEvent("assistant", "Press it."), *both])
        assert shown(messages)[2:] == ["user look#u1", "tool 2 u1"]
        assert isinstance(messages[-1], ToolMessage)
        assert messages[-1].requestor == "user"

    def test_prompts_are_no_message_and_each_is_told_once(self) -> None:
        prompts = [SaidEvent("system", text) for text in ("Be kind.", "Be brief.", "Be kind.")]
        messages, system, _ = messages_of([prompts[0], HI, *prompts[1:]])
        assert (shown(messages), system) == (["user Hi"], "Be kind.\n\nBe brief.")
        assert messages_of([HI])[1] is None

    def test_a_blank_text_is_none(self) -> None:
        assert read(SaidEvent("user", " \n"), SaidEvent("assistant", "Hello")) == ["assistant Hello"]

    def test_an_id_that_is_missing_or_taken_is_replaced(self) -> None:
        again = [event for id in ("c1", "c1", "") for event in (called(id), ReturnedEvent(id, "ok"))]
        assert read(*again)[::2] == ["assistant look#c1", "assistant look#call_2", "assistant look#call_3"]

    def test_a_made_up_id_is_none_that_the_log_gives(self) -> None:
        calls = [called(flaw="are no JSON"), called("call_2"), called("call_2"), called("")]
        given = [event for one in calls for event in (one, ReturnedEvent(one.id, "ok"))]
        assert read(*given)[::2] == ["assistant look#call_2", "assistant look#call_3", "assistant look#call_4"]


class TestResults:
    def test_one_without_an_id_is_of_the_call_that_waits_longest(self) -> None:
        assert read(called(""), called(""), ReturnedEvent("", "1"), ReturnedEvent("", "2"))[1:] == [
            "tool 1 call_1",
            "tool 2 call_2",
        ]

    def test_one_with_a_name_is_of_the_tool_it_names(self) -> None:
        calls = called("", "look"), called("", "find")
        assert read(*calls, ReturnedEvent("", "found", name="find"), ReturnedEvent("", "seen"))[1:] == [
            "tool seen call_1",
            "tool found call_2",
        ]
        assert notes(called("", "look"), ReturnedEvent("", "found", name="find"))[0].startswith("a result of no call")

    def test_one_with_an_id_is_not_given_to_a_call_with_another(self) -> None:
        assert notes(called("c1"), ReturnedEvent("c2", "1")) == [
            "a result of no call is left out: 1",
            "a call of look has no result and is left out",
        ]

    @pytest.mark.parametrize(
        "between",
        [[SaidEvent("assistant", "It takes long.")], [called("", "look"), ReturnedEvent("", "1", beside=True)]],
        ids=["a text", "another message's calls"],
    )
    def test_one_without_an_id_is_of_no_call_of_an_earlier_message(self, between: list[Event]) -> None:
        messages, _, told = messages_of([called("", "cancel"), *between, called("", "find"), ReturnedEvent("", "2")])
        assert shown(messages)[-2].partition("#")[0].endswith("find")
        assert shown(messages)[-1].startswith("tool 2")
        assert told == ["a call of cancel has no result and is left out"]

    def test_one_that_comes_late_is_of_the_call_all_the_same(self) -> None:
        assert read(called(""), SaidEvent("user", "Well?"), ReturnedEvent("", "1"))[:2] == [
            "assistant look#call_1",
            "tool 1 call_1",
        ]

    def test_one_that_stands_beside_a_call_is_of_that_one(self) -> None:
        calls = called("", "cancel"), called("", "find")
        assert read(*calls, ReturnedEvent("", "found", beside=True)) == ["assistant find#call_1", "tool found call_1"]

    def test_a_call_whose_arguments_cannot_be_read_takes_its_result_along(self) -> None:
        flawed = called("", flaw="are not JSON: {'a")
        messages, _, told = messages_of([HI, flawed, called(""), ReturnedEvent("", "1"), ReturnedEvent("", "2")])
        assert shown(messages) == ["user Hi", "assistant look#call_1", "tool 2 call_1"]
        assert told == ["a call of look is left out, as its arguments are not JSON: {'a"]

    def test_a_note_is_one_line(self) -> None:
        (told,) = notes(ReturnedEvent("c1", "one\ntwo"))
        assert "\n" not in told

    def test_what_no_message_can_hold_is_told_of_once(self) -> None:
        lost = LeftOutEvent("a block is left out")
        messages, _, told = messages_of([HI, lost, called(""), lost, called(""), ReturnedEvent("", "1")])
        assert shown(messages) == ["user Hi", "assistant look#call_1", "tool 1 call_1"]
        assert told == ["a call of look has no result and is left out", "a block is left out"]

    def test_a_failure_stays_one(self) -> None:
        messages, *_ = messages_of([called(), ReturnedEvent("c1", "no", error=True)])
        assert isinstance(messages[-1], ToolMessage)
        assert messages[-1].error


class TestHash:
    SAID = (asks("Hi"), says(" Wait. ", a_call(id="1", a=1, b=2)), result_of(a_call(id="1")))

    def hash(self, *messages: AnyMessage, **meta: Any) -> str:
        return LoggedConversation("x", messages or self.SAID, meta).hash

    def test_ids_blanks_and_the_order_of_arguments_do_not_matter(self) -> None:
        other = (asks("Hi "), says("Wait.", a_call(id="2", b=2, a=1)), result_of(a_call(id="2")))
        assert self.hash(*other) == self.hash() == LoggedConversation("y", self.SAID).hash
        assert len(self.hash()) == 16

    @pytest.mark.parametrize(
        "last",
        [result_of(a_call(), "no"), result_of(a_call(), error=True), says("ok"), asks(None, u_call())],
        ids=["another result", "a failure", "a text", "another call"],
    )
    def test_whatever_else_is_different_does(self, last: AnyMessage) -> None:
        assert self.hash(*self.SAID[:2], last) != self.hash()

    def test_of_a_redacted_one_it_is_the_originals(self) -> None:
        assert self.hash(hash="0123456789abcdef") == "0123456789abcdef"
        assert self.hash(hash=7) == self.hash()

    def test_half_a_letter_is_hashed_too(self) -> None:
        assert self.hash(asks("\ud800")) == self.hash(asks("\ud800"))


class TestInitialState:
    def state(self, given: Any) -> Any:
        return LoggedConversation("x", [asks("Hi")], {"initial_state": given}).initial_state

    def test_it_is_what_the_log_says_without_its_messages(self) -> None:
        action = {"env_type": "assistant", "func_name": "set_it", "arguments": {}}
        found = self.state({"initialization_actions": [action], "message_history": [{"role": "wizard"}]})
        assert [one.func_name for one in found.initialization_actions] == ["set_it"]
        assert found.message_history is None

    @pytest.mark.parametrize(
        "given", [None, [], "x", {}, {"initialization_actions": 7}, {"message_history": [{"role": "user"}]}]
    )
    def test_what_says_nothing_usable_is_none(self, given: Any) -> None:
        assert self.state(given) is None


def test_what_could_not_be_read_is_told_in_one_line() -> None:
    assert str(Unread("log.jsonl:3", "is not\nJSON")) == "log.jsonl:3: is not JSON"
