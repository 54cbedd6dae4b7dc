"""Gates: what can be written, what cannot, and what is said then."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.errors import SettingsError
from pytest_tau.metrics.gate import Gate, parse_gate
from pytest_tau.metrics.scores import SCORES

KNOWN = "write {}, or lower(pass^1)".format(
    ", ".join(["pass^1, pass@1 (or another number), cost, replays", *(score.example for score in SCORES)])
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pass^1 >= 0.80", Gate("pass^1 >= 0.80", "pass^", 1, threshold=0.8)),
        ("retail: pass^4 >= 50 %", Gate("retail: pass^4 >= 50 %", "pass^", 4, "retail", threshold=0.5)),
        ("every  task:pass@2>.25", Gate("every  task:pass@2>.25", "pass@", 2, None, True, "", ">", 0.25)),
        ("a.b: every task: pass^1 >= 1", Gate("a.b: every task: pass^1 >= 1", "pass^", 1, "a.b", True, threshold=1.0)),
        ("lower(pass^1) >= 0.7", Gate("lower(pass^1) >= 0.7", "pass^", bound="lower", threshold=0.7)),
        ("upper( pass^2 ) <= 5%", Gate("upper( pass^2 ) <= 5%", "pass^", 2, None, False, "upper", "<=", 0.05)),
        ("cost < $5.5", Gate("cost < $5.5", "cost", operator="<", threshold=5.5)),
        ("cup^2 >= 0.7", Gate("cup^2 >= 0.7", "cup^", 2, threshold=0.7)),
        ("lower(cup^1) > .6", Gate("lower(cup^1) > .6", "cup^", bound="lower", operator=">", threshold=0.6)),
        ("no regression", Gate("no regression", "no regression", threshold=0.10)),
        ("no drop over 0.05", Gate("no drop over 0.05", "no drop over", threshold=0.05)),
        ("replays <= 2 %", Gate("replays <= 2 %", "replays", operator="<=", threshold=0.02)),
        (
            "lower(pass^1, these tasks) > .5",
            Gate("lower(pass^1, these tasks) > .5", "pass^", 1, None, False, "lower", ">", 0.5, True),
        ),
        (
            "retail: no regression within 5 %",
            Gate("retail: no regression within 5 %", "no regression", 1, "retail", threshold=0.05),
        ),
    ],
)
def test_what_can_be_written(text: str, expected: Gate) -> None:
    assert parse_gate(text) == expected


@pytest.mark.parametrize(
    ("text", "what", "instead"),
    [
        ("", "'' compares nothing", "write such as 'pass^1 >= 0.80' or 'no regression'"),
        ("pass^1", "'pass^1' compares nothing", "write such as 'pass^1 >= 0.80' or 'no regression'"),
        ("pass^1 == 0.8", "'==' is not a comparison here", "write >=, <=, > or <"),
        ("pass^1 => 0.8", "'=>' is not a comparison here", "write >=, <=, > or <"),
        ("pass1 >= 0.8", "'pass1' is not a number of a run", KNOWN),
        ("pass^ >= 0.8", "'pass^' is not a number of a run", KNOWN),
        ("cup^1(x) >= 0.8", "'cup^1(x)' is not a number of a run", KNOWN),
        ("cup >= 0.8", "'cup' is not a number of a run", KNOWN),
        ("cost2 <= 5", "'cost2' is not a number of a run", KNOWN),
        ("lower(pass^1 >= 0.8", "'lower(pass^1' is not a number of a run", KNOWN),
        ("pass^12345 >= 0.8", "'pass^12345' is not a number of a run", KNOWN),
        ("pass^0 >= 0.8", "'pass^0' asks for no trial", "write a number from 1 on, such as pass^1"),
        ("mean(pass^1) >= 0.8", "'mean' is not an end of an interval", "write lower(…) or upper(…)"),
        ("lower(cost) >= 1", "cost has no interval", "write 'cost <= 5'"),
        ("pass^1 >= 80", "80 is more than all", "write such as 0.80 or 80 %"),
        ("pass^1 >= most", "'most' is not a proportion", "write such as 0.80 or 80 %"),
        ("pass^1 >= $1", "'$1' is not a proportion", "write such as 0.80 or 80 %"),
        ("cost <= 5 %", "'5 %' is not an amount", "write US dollars, such as 'cost <= 5'"),
        ("a: b, c: cost <= 5", "more than one domain stands before ':'", "write one gate for each"),
        ("a: b: cost <= 5", "more than one domain stands before ':'", "write one gate for each"),
        ("each task: cost <= 5", "'each task' is not a domain",
         "write such as 'retail: pass^1 >= 0.80' or 'every task: …'"),
        ("every task: lower(pass^1) >= 0", "lower() is an interval over tasks", "leave out 'every task:' or 'lower()'"),
        ("every task: no regression", "'no regression' already compares task by task", "leave out 'every task:'"),
        ("pass^1 > 1", "nothing is > 1", "write such as '>= 1'"),
        ("pass^2 < 0 %", "nothing is < 0", "write such as '<= 0'"),
        ("lower(pass^2, these tasks) > 0", "the interval on these tasks is known for pass^1 only",
         "write 'lower(pass^1, these tasks)'"),
        ("pass^1, these tasks > 0", "'pass^1, these tasks' is not a number of a run", KNOWN),
        ("upper(replays) > 0", "replays has no interval", "write 'replays <= 0.02'"),
        ("no regression at all", "'at all' after 'no regression'",
         "write 'no regression', 'no regression within 0.05' or 'no drop over 0.05'"),
        ("no drop over", "'no drop over' says no margin",
         "write 'no regression', 'no regression within 0.05' or 'no drop over 0.05'"),
        ("no drop over 100 %", "no drop is larger than 1", "write such as 'no drop over 0.05'"),
        ("no regression within 1", "no drop is larger than 1", "write such as 'no regression within 0.05'"),
        ("no regression within 0", "no number of trials can rule out a drop of 0",
         "write such as 'no regression within 0.05'"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_and_what_to_write_instead(text: str, what: str, instead: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_gate(text)
    assert str(caught.value) == f"gate {text!r}: {what}; {instead}"


@given(st.text(alphabet="pas^@1cost()<>=:. %0no regression withindroverplayslowerevery task,", max_size=40))
def test_any_text_is_a_gate_or_a_sentence(text: str) -> None:
    try:
        assert parse_gate(text).text == text
    except SettingsError as error:
        assert str(error).startswith("gate ")  # noqa: PT017 (either outcome is right)
