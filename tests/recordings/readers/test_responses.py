"""Calls of the Responses API: which are one conversation, and what each adds to it."""

from typing import Any

from pytest_tau.recordings.readers import responses
from tests.recordings.readers.made import made, only, shown


def item(role: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": text}


def call(id: str, before: str | None, asked: str, answered: str) -> dict[str, Any]:
    more = {} if before is None else {"previous_response_id": before}
    return {"id": id, "input": [item("user", asked)], "output": [item("assistant", answered)], **more}


FIRST = call("r1", None, "Refund me.", "Do you confirm?")
AGAIN = ["user Yes", "assistant Please say yes."]


def test_a_turn_that_is_said_again_after_another_response_is_new() -> None:
    turns = [call(f"r{number}", f"r{number - 1}", "Yes", "Please say yes.") for number in (2, 3)]
    assert shown(only(responses, FIRST, *turns)) == ["user Refund me.", "assistant Do you confirm?", *AGAIN, *AGAIN]


def test_the_newest_may_come_first() -> None:
    turns = [call("r3", "r2", "Thanks", "Bye."), call("r2", "r1", "Yes", "Done."), FIRST]
    said = ["Refund me.", "Do you confirm?", "Yes", "Done.", "Thanks", "Bye."]
    assert [line.partition(" ")[2] for line in shown(only(responses, *turns))] == said


def test_the_order_of_the_file_holds_where_a_response_is_missing() -> None:
    turns = [call(f"r{number}", f"r{number - 1}", f"{number}?", f"{number}.") for number in (2, 4, 5)]
    said = shown(only(responses, *({**one, "session_id": "s"} for one in (FIRST, *turns))))
    assert [line.partition(" ")[2] for line in said][2:] == ["2?", "2.", "4?", "4.", "5?", "5."]


def test_responses_that_go_on_each_other_in_a_circle_are_read_all_the_same() -> None:
    assert made(responses, call("r1", "r2", "Yes", "Done."), call("r2", "r1", "Hi", "Hello."))


def test_a_response_that_is_logged_twice_was_given_once() -> None:
    turn = call("r2", "r1", "Yes", "Please say yes.")
    assert shown(only(responses, FIRST, turn, turn))[2:] == AGAIN


def test_calls_that_are_given_all_that_came_before_are_merged() -> None:
    whole = {"input": [*FIRST["input"], *FIRST["output"], item("user", "Yes")], "output": [item("assistant", "Done.")]}
    found = only(responses, {**FIRST, "session_id": "s"}, {**whole, "session_id": "s"})
    assert shown(found)[2:] == ["user Yes", "assistant Done."]


def test_calls_that_name_nothing_are_one_where_one_begins_with_the_other() -> None:
    given = [*FIRST["input"], *FIRST["output"], item("user", "Yes")]
    found = only(responses, FIRST, {"id": "r2", "input": given, "output": [item("assistant", "Done.")]})
    assert shown(found) == ["user Refund me.", "assistant Do you confirm?", "user Yes", "assistant Done."]


def test_conversations_of_items_stay_apart_however_alike_they_begin() -> None:
    items = [*FIRST["input"], *FIRST["output"]]
    assert len(made(responses, {"id": "a", "items": items}, {"id": "b", "items": [*items, item("user", "Yes")]})) == 2


def test_a_call_is_not_taken_by_a_chain_of_responses_that_begins_alike() -> None:
    assert len(made(responses, FIRST, call("r2", "r1", "Yes", "Done."), {**FIRST, "id": "r3"})) == 2


def test_a_response_whose_previous_one_is_not_logged_begins_a_conversation() -> None:
    assert len(made(responses, FIRST, call("r9", "r8", "Yes", "Done."))) == 2


def test_an_output_that_is_a_text_is_the_agents() -> None:
    assert shown(only(responses, {"object": "response", "input": "Hi", "output": "Hello"})) == [
        "user Hi",
        "assistant Hello",
    ]
