"""What differs between a request and the recorded one, as a text; and which recorded one is meant."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.llm.difference import difference, nearest, render_lines
from pytest_tau.llm.tape import Request
from tests.strategies import text


def request(content: str, **options: Any) -> Request:
    return Request("agent", {"model": "m", **options}, [{"role": "user", "content": content}])


def test_json_is_compared_entry_by_entry() -> None:
    one, other = (request(json.dumps({"id": 1, "items": ["kettle"] * 9, "stock": stock})) for stock in (3, 4))
    lines = difference(one, other, str).splitlines()
    assert [line for line in lines if line[:1] in "+-"][2:] == ['- "stock": 3', '+ "stock": 4']


def test_a_difference_is_short_and_harmless() -> None:
    long = "\n".join(f"line {number}" for number in range(500))
    told = difference(request(long), request(long.replace("line", "\x1b[31mline") + "x" * 1000), str)
    assert told.splitlines()[-1].endswith("lines more")
    assert len(told.splitlines()) == 41
    assert "\x1b" not in told
    assert max(map(len, told.splitlines())) <= 201


def test_a_tool_call_is_shown() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "sell", "arguments": "{}"}}
    one = Request("agent", {"model": "m"}, [{"role": "assistant", "content": None, "tool_calls": [call]}])
    other = Request("agent", {"model": "m"}, [{"role": "assistant", "content": None}])
    assert '"name": "sell"' in difference(one, other, str)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It costs 4. 50 more.\nNext", ["It costs 4. 50 more.", "Next"]),
        ('{"a": [1]}', ["{", ' "a": [', "  1", " ]", "}"]),
        ("{no JSON. Really.", ["{no JSON.", "Really."]),
        ("", []),
    ],
)
def test_a_message_is_told_by_sentence_or_entry(content: str, lines: list[str]) -> None:
    assert render_lines(request(content), str) == ["model: m", "[user]", *lines]


def test_what_a_request_has_besides_is_told_under_its_name() -> None:
    asked = Request("agent", {"model": "m", "more": {"seed": 7}}, [{"role": "tool", "content": None, "id": "c\nd"}])
    assert render_lines(asked, str.upper) == ["model: M", "seed: 7", "[tool]", "id: C", "  D"]


@given(text(max_size=30))
def test_equal_requests_do_not_differ_and_others_do(content: str) -> None:
    assert difference(request(content), request(content), str) == ""
    assert "+ more" in difference(request(content), request(f"{content}\nmore"), str).replace("+more", "+ more")


@given(st.lists(text(max_size=10), min_size=1, max_size=4))
def test_the_nearest_is_the_same_if_it_is_there_else_the_first_of_equals(contents: list[str]) -> None:
    recorded = [request(content) for content in contents]
    for asked in recorded:
        assert render_lines(nearest(asked, recorded, str), str) == render_lines(asked, str)
    assert nearest(request("unheard of and so on", seed=9), [recorded[0], recorded[0]], str) is recorded[0]
