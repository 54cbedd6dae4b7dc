"""The reader of openings: what is hidden from them, what they are given, and what they can tell."""

import random
from pathlib import Path

import pytest

from tau_workshop.customers import reader


def test_words_of_the_matter_are_hidden_and_their_number_as_well() -> None:
    assert reader.masked("Hi, I need to cancel my blue-green order #W12!") == "Hi, I need to __ my __!"
    assert reader.masked("I'd like a Lyft to 5th and Main, please.") == "I'd like a __ to __ and __, please."


def test_a_reader_tells_what_differs_and_nothing_else() -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    rng = random.Random(1)
    words = ["one", "two", "three", "four", "five", "six"]
    drawn = [" ".join(rng.choice(words) for _ in range(5)) for _ in range(240)]
    marked = [f"{text} please" for text in drawn]
    same = reader.reads((drawn[:60], drawn[60:120]), (drawn[120:180], drawn[180:]))
    other = reader.reads((drawn[:60], marked[60:120]), (drawn[120:180], marked[180:]))
    assert 0.3 < same[0] < 0.7
    assert 0.35 < same[1] < 0.65
    assert other[0] > 0.99
    assert other[1] > 0.95


def test_a_sheet_has_as_many_of_either_and_does_not_say_which(tmp_path: Path) -> None:
    theirs, ours = [f"p{number}" for number in range(40)], [f"o{number}" for number in range(40)]
    key = reader.write_sheet(tmp_path / "sheet.txt", theirs, ours, str)
    lines = (tmp_path / "sheet.txt").read_text(encoding="utf-8").splitlines()[2:]
    assert len(lines) == len(key) == 60
    assert all((line.split(". ")[1][0] == "p") == (key[at] == "people") for at, line in enumerate(lines, start=1))
    assert 5 < sum(who == "people" for at, who in key.items() if at <= 30) < 25
