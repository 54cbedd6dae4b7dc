"""Exports of LangSmith: which runs are one conversation, and what their inputs and outputs say."""

from typing import Any

import pytest

from pytest_tau.recordings.logged import LoggedConversation, Unread
from pytest_tau.recordings.readers import langsmith
from tests.recordings.readers.made import ANSWERED, ASKED, CALLED, made, only, shown


def model(at: str, given: Any, gave: Any, **more: Any) -> dict[str, Any]:
    run = {"id": f"r{at}", "trace_id": "t", "run_type": "llm", "start_time": at, "inputs": {"messages": given}}
    return {**run, "outputs": gave if isinstance(gave, dict) and "role" not in gave else {"messages": [gave]}, **more}


def tool(at: str, given: Any, gave: Any, **more: Any) -> dict[str, Any]:
    run = {"id": f"r{at}", "trace_id": "t", "run_type": "tool", "name": "look", "start_time": at}
    return {**run, "inputs": given, "outputs": gave, **more}


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ({"run_type": "chain", "inputs": {}}, True),
        ({"run_type": "tool", "outputs": None}, True),
        ({"run_type": "llm"}, False),
        ({"inputs": {}}, False),
        ([], False),
    ],
)
def test_a_run_is_recognised(value: Any, is_one: bool) -> None:
    assert langsmith.recognises(value) is is_one


def test_the_runs_inside_of_a_run_belong_to_its_trace() -> None:
    inner = [model("1", [ASKED], CALLED), tool("2", {"order_id": "O1"}, {"output": "ok"})]
    for one in inner:
        del one["trace_id"]
    root = {"id": "root", "run_type": "chain", "inputs": {}, "child_runs": [{**inner[0], "child_runs": inner[1:]}]}
    found = only(langsmith, root)
    assert (found.id, shown(found)) == ("root", ["user Hi", "assistant look(O1)", "tool ok"])


def test_the_traces_of_a_thread_are_one_conversation() -> None:
    thread = {"extra": {"metadata": {"session_id": "s"}}}
    more = [ASKED, ANSWERED, {"role": "user", "content": "Bye"}]
    late, early = model("2", more, ANSWERED, trace_id="t2", **thread), model("1", [ASKED], ANSWERED, **thread)
    found = only(langsmith, late, early)
    assert (found.id, shown(found)) == ("s", ["user Hi", "assistant Hello", "user Bye", "assistant Hello"])


def test_a_run_that_names_no_thread_is_of_that_of_its_trace() -> None:
    more = [ASKED, ANSWERED, {"role": "user", "content": "Bye"}]
    children = [model("1", [ASKED], ANSWERED, trace_id=None), model("2", more, ANSWERED, trace_id=None)]
    thread = {"run_type": "chain", "inputs": {}, "extra": {"metadata": {"thread_id": "s"}}}
    turns = [{"id": f"t{number}", **thread, "child_runs": [child]} for number, child in enumerate(children)]
    found = only(langsmith, *turns)
    assert (found.id, shown(found)) == ("s", ["user Hi", "assistant Hello", "user Bye", "assistant Hello"])


def test_traces_of_no_thread_are_one_where_one_begins_with_the_other() -> None:
    more = [ASKED, ANSWERED, {"role": "user", "content": "Bye"}]
    found = only(langsmith, model("1", [ASKED], ANSWERED), model("2", more, ANSWERED, trace_id="t2"))
    assert shown(found) == ["user Hi", "assistant Hello", "user Bye", "assistant Hello"]


def test_the_dotted_order_goes_before_the_time() -> None:
    bye = {"role": "user", "content": "Bye"}
    late, early = model("1", [bye], ANSWERED, dotted_order="2"), model("2", [ASKED], ANSWERED, dotted_order="1")
    assert shown(only(langsmith, late, early))[::2] == ["user Hi", "user Bye"]


@pytest.mark.parametrize(
    ("given", "gave", "shows"),
    [
        ({"order_id": "O1"}, {"output": "ok"}, "tool ok"),
        ({"input": "{'order_id': 'O1'}"}, {"output": {"content": "ok", "type": "tool"}}, "tool ok"),
        ({"input": '{"order_id": "O1"}'}, {"output": {"total": 3}}, 'tool {"total": 3}'),
        ({"input": {"order_id": "O1"}}, {"total": 3}, 'tool {"total": 3}'),
    ],
    ids=["by name", "as Python writes it", "JSON", "as it is"],
)
def test_what_a_tool_was_given_and_gave(given: Any, gave: Any, shows: str) -> None:
    assert shown(only(langsmith, model("1", [ASKED], CALLED), tool("2", given, gave)))[-1] == shows


def test_a_tool_that_failed_says_why() -> None:
    failed = tool("2", {"order_id": "O1"}, None, error="no such order")
    assert shown(only(langsmith, model("1", [ASKED], CALLED), failed))[-1] == "failed no such order"


@pytest.mark.parametrize(
    "gave",
    [
        {"generations": [[{"message": ANSWERED}]]},
        {"generations": [{"message": ANSWERED}]},
        {"choices": [{"message": ANSWERED}]},
        {"messages": [ANSWERED]},
        ANSWERED,
        {"generations": [[{"text": "Hello", "generation_info": {}}]]},
        {"output": "Hello"},
        {"content": "Hello"},
        {"message": ANSWERED},
        {"output": ANSWERED},
        "Hello",
    ],
    ids=[
        *(
            "a batch",
            "generations",
            "choices",
            "messages",
            "a message",
            "a generation's text",
            "an output",
            "a content",
        ),
        *("a field", "a message as output", "a text"),
    ],
)
def test_where_an_output_has_its_message(gave: Any) -> None:
    assert shown(only(langsmith, {**model("1", [ASKED], ANSWERED), "outputs": gave})) == ["user Hi", "assistant Hello"]


def test_tools_are_those_of_the_call_or_of_its_inputs() -> None:
    offered = [{"name": "look", "parameters": {}}]
    of_call = model("1", [ASKED], ANSWERED, extra={"invocation_params": {"tools": offered}})
    of_inputs = model("1", [ASKED], ANSWERED, inputs={"messages": [ASKED], "tools": offered})
    for run in (of_call, of_inputs):
        assert [one["function"]["name"] for one in only(langsmith, run).meta["tools"]] == ["look"]


def test_a_trace_in_which_no_model_ran_is_named() -> None:
    [unread] = made(langsmith, {"id": "r", "trace_id": "t", "run_type": "chain", "inputs": {"question": "Hi"}})
    assert str(unread) == "log:1: trace t has no run of a model with messages"


def test_a_run_that_cannot_be_read_is_named_and_the_rest_goes_on() -> None:
    broken = model("1", [{"role": "wizard"}], ANSWERED, trace_id="t1")
    found = made(langsmith, broken, model("2", [ASKED], ANSWERED))
    assert [str(one) for one in found if isinstance(one, Unread)] == [
        "log:1: run r1: message 0: a message has the role 'wizard'; use system, user, assistant or tool",
        "log:1: trace t1 has no run of a model with messages",
    ]
    assert [one.id for one in found if isinstance(one, LoggedConversation)] == ["t"]


def test_a_run_that_is_no_object_costs_no_other() -> None:
    broken = {"run_type": "chain", "id": "r", "inputs": {}, "child_runs": [None]}
    found = made(langsmith, broken, model("1", [ASKED], ANSWERED))
    assert Unread("log:1", "a run is not an object") in found
    assert [shown(one) for one in found if isinstance(one, LoggedConversation)] == [["user Hi", "assistant Hello"]]


@pytest.mark.parametrize(
    "odd",
    [
        {"run_type": "chain", "id": "r", "inputs": {}, "child_runs": 5},
        tool("0", {"input": "{{1}}"}, {"output": "ok"}, trace_id="r"),
    ],
    ids=["children that are none", "a set in a set"],
)
def test_an_odd_run_costs_no_other(odd: dict[str, Any]) -> None:
    found = made(langsmith, odd, model("1", [ASKED], ANSWERED))
    assert ["user Hi", "assistant Hello"] in [shown(one) for one in found if isinstance(one, LoggedConversation)]
    assert all(one.where == "log:1" for one in found if isinstance(one, Unread))


def test_a_model_that_failed_or_gave_something_else_costs_nothing_that_was_said() -> None:
    odd = only(langsmith, model("1", [ASKED], {"parsed": {"x": 1}}))
    assert (shown(odd), odd.meta["notes"]) == (
        ["user Hi"],
        ['an answer is left out, as it holds no message: {"parsed": {"x": 1}}'],
    )
    again = only(langsmith, model("1", [ASKED], {"parsed": 1}), model("2", [ASKED], ANSWERED))
    assert shown(again) == ["user Hi", "assistant Hello"]
