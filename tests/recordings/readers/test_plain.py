"""Our own form: a call stands with its result, and a conversation with what else is known of it."""

from typing import Any

import pytest

from pytest_tau.recordings.logged import Unread
from pytest_tau.recordings.readers import plain
from tests.recordings.readers.made import ANSWERED, ASKED, made, only, shown

LOOK = {"call": "look", "arguments": {"order_id": "O1"}}


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ({"conversation": []}, True),
        ([ASKED, LOOK], True),
        ([ASKED], False),
        ({"conversation": "x"}, False),
        ({"messages": [LOOK]}, False),
        ("x", False),
    ],
)
def test_a_conversation_or_a_list_with_calls_is_recognised(value: Any, is_one: bool) -> None:
    assert plain.recognises(value) is is_one


@pytest.mark.parametrize(
    ("more", "shows"),
    [
        ({"result": "ok"}, ["user Hi", "assistant look(O1)", "tool ok"]),
        ({"result": {"total": 3}}, ["user Hi", "assistant look(O1)", 'tool {"total": 3}']),
        ({"result": None}, ["user Hi", "assistant look(O1)", "tool "]),
        ({"error": "no such order"}, ["user Hi", "assistant look(O1)", "failed no such order"]),
        ({"error": {"code": 404}}, ["user Hi", "assistant look(O1)", 'failed {"code": 404}']),
        ({"error": True, "result": "no"}, ["user Hi", "assistant look(O1)", "failed no"]),
        ({"result": "ok", "by": "user"}, ["user Hi look(O1)", "tool ok"]),
        ({}, ["user Hi"]),
    ],
    ids=["a text", "a value", "nothing", "why it failed", "why as a value", "that it failed", "the customer's", "none"],
)
def test_a_call_stands_with_its_result(more: dict[str, Any], shows: list[str]) -> None:
    assert shown(only(plain, {"conversation": [ASKED, {**LOOK, **more}]})) == shows


@pytest.mark.parametrize("between", [[], [ANSWERED]], ids=["beside it", "after a text"])
def test_a_call_without_a_result_takes_none_of_another(between: list[Any]) -> None:
    cancel = {"call": "cancel", "arguments": {"order_id": "O2"}}
    found = only(plain, {"conversation": [ASKED, cancel, *between, {**LOOK, "result": "ok"}]})
    assert shown(found)[-1] == "tool ok"
    assert shown(found)[-2].endswith("look(O1)")
    assert found.meta["notes"] == ["a call of cancel has no result and is left out"]


def test_what_else_is_known_goes_along_if_it_can_be_that() -> None:
    system = {"role": "system", "content": "Be kind."}
    known = {"reward": 0.5, "task_id": "cancel", "domain": "shop", "ended": "user_stop", "other": 1}
    tools = [{"name": "look", "parameters": {}}]
    found = only(plain, {"id": "c1", "conversation": [system, ASKED, ANSWERED], "tools": tools, **known})
    meta = {name: value for name, value in found.meta.items() if name != "tools"}
    about = {"format": "plain", "where": "log:1", "system": "Be kind."}
    assert (found.id, meta) == ("c1", {**about, **{name: known[name] for name in known if name != "other"}})
    assert [tool["function"]["name"] for tool in found.meta["tools"]] == ["look"]
    odd = only(plain, {"conversation": [ASKED], "reward": 7, "task_id": 3, "domain": None, "tools": "look"})
    assert odd.meta == {"format": "plain", "where": "log:1"}


def test_one_without_a_name_goes_by_its_place_in_the_file() -> None:
    assert only(plain, {"conversation": [ASKED]}).id == only(plain, [ASKED, {**LOOK, "result": "ok"}]).id == "log:1"
    assert only(plain, {"id": 7, "conversation": [ASKED]}).id == "7"


def test_one_that_cannot_be_read_is_named_and_the_rest_goes_on() -> None:
    unread, found = made(plain, {"conversation": [ASKED, {"say": "Hi"}]}, {"conversation": [ASKED]})
    assert str(unread) == "log:1: message 1: a message has no role; use system, user, assistant or tool"
    assert not isinstance(found, Unread)
