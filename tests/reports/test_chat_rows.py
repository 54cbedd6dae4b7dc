"""Rows of training files: a pair branches where its conversations differ."""

from types import SimpleNamespace
from typing import Any

from pytest_tau.reports.chat_rows import chat_row, pair_row


def chat(*texts: str) -> Any:
    return SimpleNamespace(messages=[{"role": "user", "content": text} for text in texts], tools=("look",))


def test_a_row_is_the_whole_conversation() -> None:
    told = chat("Hello", "Bye")
    assert chat_row(told) == {"messages": told.messages, "tools": ["look"]}


def test_a_pair_branches_where_it_differs() -> None:
    good, bad = chat("Hello", "Yes", "Bye"), chat("Hello", "No")
    assert pair_row(good, bad) == {
        "prompt": good.messages[:1],
        "chosen": good.messages[1:],
        "rejected": bad.messages[1:],
        "tools": ["look"],
    }


def test_one_that_begins_the_other_is_no_pair() -> None:
    assert pair_row(chat("Hello"), chat("Hello", "Bye")) is None
    assert pair_row(chat("Hello"), chat("Hello")) is None
