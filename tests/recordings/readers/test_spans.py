"""Spans: which are one conversation, and what a part that is none costs."""

import json
from typing import Any

from pytest_tau.recordings.logged import LoggedConversation
from pytest_tau.recordings.readers import spans
from tests.recordings.readers.made import ANSWERED, ASKED, made, shown


def span(trace: str = "t1", given: Any = (ASKED,), gave: Any = ANSWERED, **more: Any) -> dict[str, Any]:
    messages = {"gen_ai.input.messages": json.dumps(given), "gen_ai.output.messages": json.dumps([gave])}
    return {"traceId": trace, "spanId": "1", "name": "chat", "attributes": {**messages, **more}}


def read(*values: Any) -> list[tuple[str, list[str]]]:
    return [(one.id, shown(one)) for one in made(spans, *values) if isinstance(one, LoggedConversation)]


def test_conversations_that_the_log_names_stay_apart_however_alike_they_begin() -> None:
    both = (span(f"t{number}", **{"gen_ai.conversation.id": f"s{number}"}) for number in (1, 2))
    assert read(*both) == [("s1", ["user Hi", "assistant Hello"]), ("s2", ["user Hi", "assistant Hello"])]


def test_traces_without_a_name_go_by_how_they_begin() -> None:
    more = [ASKED, ANSWERED, {"role": "user", "content": "Bye"}]
    [(name, said)] = read(span("t1"), span("t2", more))
    assert (name, said[-2:]) == ("t1", ["user Bye", "assistant Hello"])
