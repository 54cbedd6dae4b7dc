"""Texts from outside, as terminals and logs may have them."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_tau.printable import columns_of, one_line, printable
from tests import strategies

hostile = st.lists(
    st.sampled_from(["::error::", "##[error]", "##vso[x]", "##teamcity[x]", "#", ":", "[", "\n", " ", "\x1b[31m", "é"])
).map("".join)


@pytest.mark.parametrize(
    ("text", "width"),
    [("", 0), ("Grüße", 5), ("e\u0301", 1), ("日本", 4), ("한국어", 6), ("😀!", 3), ("ｱ", 1), ("Ａ", 2)],
)
def test_how_many_columns_a_text_takes(text: str, width: int) -> None:
    assert columns_of(text) == width


@pytest.mark.parametrize("plain", ["", "Grüße, 日本\n\t→ 😀", "a::b, # and ## and C#: fine", "[x] 12:30"])
def test_plain_text_stays(plain: str) -> None:
    assert printable(plain) == plain


@pytest.mark.parametrize(
    "hidden",
    ["\u061c", "\u200b", "\u200e", "\u200f", "\u202e", "\u2028", "\u2029", "\ufeff", "\u2066", "\ud800", "\U000e0041"],
)
def test_what_one_does_not_see_is_shown(hidden: str) -> None:
    assert printable(f"a{hidden}b") == f"a\\x{ord(hidden):02x}b"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", ":\\:error::x"),
        ("a\n  ::add-mask::x", "a\n  :\\:add-mask::x"),
        ("a ##[group]", "a #\\#[group]"),
        ("##vso[task.complete]", "#\\#vso[task.complete]"),
        ("##teamcity[x]", "#\\#teamcity[x]"),
    ],
)
def test_commands_are_none(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(strategies.text(max_size=40) | hostile)
@example("###[x]")
@example("::" * 5)
@example("\r::x")
def test_nothing_is_left_that_a_terminal_or_a_log_obeys_and_saying_it_again_changes_nothing(text: str) -> None:
    shown = printable(text)
    assert not any(unicodedata.category(letter) == "Cc" and letter not in "\t\n" for letter in shown)
    assert not any(line.lstrip().startswith("::") for line in shown.splitlines())
    assert not re.search(r"##(?:\[|vso\[|teamcity\[)", shown)
    assert printable(shown) == shown


@given(strategies.text(max_size=40) | hostile)
def test_one_line_is_one(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1
    assert "\n" not in one_line(text)


def test_lines_are_joined_by_blanks() -> None:
    assert one_line("a\nb\r\nc") == "a b c"
    assert one_line("a\x1bb") == "a\\x1bb"
