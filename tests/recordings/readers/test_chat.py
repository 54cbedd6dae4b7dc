"""Message logs: which calls are one conversation, and where their answer stands."""

from typing import Any

from pytest_tau.recordings.logged import LoggedConversation
from pytest_tau.recordings.readers import chat
from tests.recordings.readers.made import ANSWERED, ASKED, made, shown

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
