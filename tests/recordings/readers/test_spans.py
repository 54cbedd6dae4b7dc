"""Spans: which are one conversation, and what a part that is none costs."""

import json
from typing import Any

import pytest

from pytest_tau.recordings.logged import LoggedConversation, Unread
from pytest_tau.recordings.readers import spans
from tests.recordings.readers.made import ANSWERED, ASKED, made, shown


def span(trace: str = "t1", given: Any = (ASKED,), gave: Any = ANSWERED, **more: Any) -> dict[str, Any]:
    messages = {"gen_ai.input.messages": json.dumps(given), "gen_ai.output.messages": json.dumps([gave])}
    return {"traceId": trace, "spanId": "1", "name": "chat", "attributes": {**messages, **more}}


def read(*values: Any) -> list[tuple[str, list[str]]]:
    return [(one.id, shown(one)) for one in made(spans, *values) if isinstance(one, LoggedConversation)]


@pytest.mark.parametrize("traces", [("t1", "t2"), ("t1", "t1")], ids=["a trace each", "one trace"])
def test_conversations_that_the_log_names_stay_apart_however_alike_they_begin(traces: tuple[str, str]) -> None:
    both = (span(trace, **{"gen_ai.conversation.id": f"s{number}"}) for number, trace in enumerate(traces, 1))
    assert read(*both) == [("s1", ["user Hi", "assistant Hello"]), ("s2", ["user Hi", "assistant Hello"])]


def test_spans_without_a_name_are_of_the_conversation_that_their_trace_names() -> None:
    more = [ASKED, ANSWERED, {"role": "user", "content": "Bye"}]
    root = {"traceId": "t1", "spanId": "0", "name": "turn", "attributes": {"session.id": "other"}}
    [(name, said)] = read(root, span(), span(given=more, **{"gen_ai.conversation.id": "s1"}))
    assert (name, said[-2:]) == ("s1", ["user Bye", "assistant Hello"])


def test_traces_without_a_name_go_by_how_they_begin() -> None:
    more = [ASKED, ANSWERED, {"role": "user", "content": "Bye"}]
    [(name, said)] = read(span("t1"), span("t2", more))
    assert (name, said[-2:]) == ("t1", ["user Bye", "assistant Hello"])


def exported(*found: Any) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(found)}]}]}


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        (exported("bad", span("t2")), "a span is not an object"),
        ({"resourceSpans": [None, *exported(span("t2"))["resourceSpans"]]}, "a span is not an object"),
        ({"resourceSpans": [{"scopeSpans": 5}]}, "a span is not an object"),
        (exported({**span("t2"), "events": 5}), "cannot be read (TypeError: 'int' object is not iterable)"),
    ],
    ids=["a span", "a resource", "scopes", "events"],
)
def test_what_is_no_span_is_named_and_costs_no_other(odd: Any, why: str) -> None:
    found = made(spans, exported(span("t1")), odd)
    assert [str(one) for one in found if isinstance(one, Unread)] == [f"log:2: {why}"]
    assert [(one.id, shown(one)) for one in found if isinstance(one, LoggedConversation)] == [
        ("t1", ["user Hi", "assistant Hello"])
    ]


def test_an_export_of_nothing_says_so() -> None:
    assert made(spans, {"resourceSpans": [{"scopeSpans": []}]}) == [Unread("log:1", "holds no span")]
