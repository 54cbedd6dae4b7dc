"""Message logs: which calls are one conversation, and where their answer stands."""

import json
from typing import Any

import pytest

from pytest_tau.recordings.logged import LoggedConversation
from pytest_tau.recordings.readers import chat
from tests.recordings.readers.made import ANSWERED, ASKED, made, only, shown

CANCEL = {"role": "user", "content": "Cancel O2"}


def call(given: list[Any], gave: Any, **more: Any) -> dict[str, Any]:
    return {"messages": given, "response": {"choices": [{"message": gave}]}, **more}


def read(*values: Any) -> list[tuple[str, list[str]]]:
    return [(one.id, shown(one)) for one in made(chat, *values) if isinstance(one, LoggedConversation)]


class TestCallsOfSeveralConversations:
    DONE = {"role": "assistant", "content": "Done"}  # noqa: RUF012
    LONG = ["user Hi", "assistant Hello", "user Cancel O2", "assistant Done"]  # noqa: RUF012

    def test_those_that_the_log_names_stay_apart_however_alike_they_begin(self) -> None:
        first = call([ASKED], ANSWERED, conversation_id="s1")
        second = call([ASKED], ANSWERED, conversation_id="s2")
        more = call([ASKED, ANSWERED, CANCEL], self.DONE, conversation_id="s2")
        assert read(first, second, more) == [("s1", self.LONG[:2]), ("s2", self.LONG)]

    def test_those_without_a_name_go_by_how_they_begin(self) -> None:
        calls = call([ASKED], ANSWERED, id="chatcmpl-1"), call([ASKED, ANSWERED, CANCEL], self.DONE, id="chatcmpl-2")
        assert read(*calls) == [("chatcmpl-1", self.LONG)]

    def test_one_with_a_name_takes_none_without(self) -> None:
        calls = call([ASKED], ANSWERED), call([ASKED, ANSWERED, CANCEL], self.DONE, metadata={"session_id": "s"})
        assert read(*calls) == [("log:1", self.LONG[:2]), ("s", self.LONG)]


class TestTurnsOfAConversationThatTheLogNames:
    WHOLE = [ASKED, ANSWERED, CANCEL]  # noqa: RUF012

    @pytest.mark.parametrize("order", [1, -1], ids=["oldest first", "newest first"])
    @pytest.mark.parametrize(
        "name",
        [{"session_id": "s"}, {"metadata": {"thread_id": "s"}}, {"config": {"configurable": {"thread_id": "s"}}}],
    )
    def test_each_line_has_all_that_came_before(self, order: int, name: dict[str, Any]) -> None:
        states = [{"values": {"messages": self.WHOLE[:end]}, **name} for end in (1, 2, 3)]
        assert read(*states[::order]) == [("s", ["user Hi", "assistant Hello", "user Cancel O2"])]

    def test_lines_that_name_none_are_a_conversation_each(self) -> None:
        assert len(read({"messages": self.WHOLE}, {"messages": self.WHOLE[:2]})) == 2


class TestTheAnswer:
    @pytest.mark.parametrize(
        "gave",
        [
            {"response": "Hello"},
            {"output": "Hello"},
            {"completion": "Hello"},
            {"response": [ANSWERED]},
            {"response": json.dumps({"choices": [{"message": ANSWERED}]})},
            {"response": {"status_code": 200, "body": {"choices": [{"message": ANSWERED}]}}},
            {"response": {"body": json.dumps({"choices": [{"message": ANSWERED}]})}},
            {"response": {"output": [{"type": "message", **ANSWERED}]}},
            {"response": {"error": "busy"}, "output": "Hello"},
            {"outputs": {"messages": [ASKED, ANSWERED]}},
            {"messages": [ASKED, ANSWERED], "output": "Hello"},
        ],
        ids=[
            *("a text", "an output", "a completion", "messages", "a text of JSON", "a batch", "a body that is a text"),
            *("a response's items", "another field", "a state", "what the messages have already"),
        ],
    )
    def test_it_stands_where_programs_keep_it(self, gave: dict[str, Any]) -> None:
        found = only(chat, {"id": "a", "messages": [ASKED], **gave})
        assert (shown(found), found.meta.get("notes")) == (["user Hi", "assistant Hello"], None)

    @pytest.mark.parametrize(
        "gave",
        [
            {"error": "busy"},
            {"message": "Too many"},
            {"body": "Bad gateway"},
            {"choices": [{"message": None}]},
        ],
    )
    def test_one_that_cannot_be_found_is_told_of(self, gave: Any) -> None:
        found = only(chat, {"id": "a", "messages": [ASKED], "response": gave})
        [note] = found.meta["notes"]
        assert (shown(found), note.partition(": ")[0]) == (["user Hi"], "an answer is left out, as it holds no message")

    @pytest.mark.parametrize("gave", [None, "", {}, []])
    def test_a_call_without_one_has_none(self, gave: Any) -> None:
        found = only(chat, {"id": "a", "messages": [ASKED], "response": gave})
        assert (shown(found), found.meta.get("notes")) == (["user Hi"], None)

    def test_a_call_that_failed_and_was_made_again_is_told_of_no_more(self) -> None:
        failed = {"id": "a", "messages": [ASKED], "response": {"error": "busy"}}
        found = only(chat, failed, call([ASKED], ANSWERED))
        assert (shown(found), found.meta.get("notes")) == (["user Hi", "assistant Hello"], None)
