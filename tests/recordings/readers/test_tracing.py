"""What traces have in common: the order of time, and what has none."""

from typing import Any

import pytest

from pytest_tau.recordings.readers import langfuse, spans
from tests.recordings.readers.made import ANSWERED, ASKED, only, shown

TIMES = [None, 0, "0", "", "soon", "1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z"]
MORE = {"role": "user", "content": "Bye"}


def generation(at: Any, given: list[Any], gave: Any) -> dict[str, Any]:
    return {"type": "GENERATION", "traceId": "t", "startTime": at, "input": given, "output": gave}


@pytest.mark.parametrize("at", TIMES)
def test_a_call_whose_time_cannot_be_read_keeps_its_place_in_the_file(at: Any) -> None:
    first = generation("2026-03-01T10:00:00Z", [ASKED], ANSWERED)
    found = only(langfuse, first, generation(at, [MORE], {"role": "assistant", "content": "Goodbye"}))
    assert shown(found) == ["user Hi", "assistant Hello", "user Bye", "assistant Goodbye"]


def span(at: Any, name: str, **found: Any) -> dict[str, Any]:
    attributes = {f"gen_ai.{key.replace('_', '.')}": value for key, value in found.items()}
    attributes["gen_ai.operation.name"] = name
    return {"traceId": "t", "spanId": "1", "name": name, "startTimeUnixNano": at, "attributes": attributes}


@pytest.mark.parametrize("at", TIMES)
def test_where_no_call_says_what_came_before_calls_and_tools_keep_theirs_among_each_other(at: Any) -> None:
    def model(at: Any, said: str) -> dict[str, Any]:
        return span(at, "chat", output_messages=[{"role": "assistant", "content": said}])

    def tool(at: Any, result: str) -> dict[str, Any]:
        return span(at, "execute_tool", tool_name="look", tool_call_result=result)

    late, early = "1700000002000000000", "1700000001000000000"
    found = only(spans, tool(late, "c"), model(at, "d"), tool(at, "e"), model(early, "a"), tool(at, "b"))
    assert "".join(word for line in shown(found) for word in line.split() if len(word) == 1) == "abcde"


@pytest.mark.parametrize(
    ("early", "late"),
    [
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00.5Z"),
        ("2026-03-01T10:00:00.1Z", "2026-03-01T10:00:00.15Z"),
        ("2026-03-01T10:00:00+00:00", "2026-03-01T10:00:00.5+00:00"),
    ],
)
def test_times_with_more_fractions_of_a_second_are_later(early: str, late: str) -> None:
    second = generation(late, [MORE], {"role": "assistant", "content": "Goodbye"})
    found = only(langfuse, second, generation(early, [ASKED], ANSWERED))
    assert shown(found) == ["user Hi", "assistant Hello", "user Bye", "assistant Goodbye"]
