"""Values from the text that was written, and the sentence for a text that is none."""

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from pytest_tau.plugin.settings import values

COUNT = partial(values.parse, "whole 1 10")
SHARE = partial(values.parse, "decimal 0 1")
UP = partial(values.parse, "decimal 0.001")
NINES = "9" * 5000
WORD = partial(values.parse, "one_of fail xfail")


KINDS = ", ".join(
    f"{kind}:FILE"
    for kind in ("tau2", "leaderboard", "sft", "preferences", "stats", "csv", "parquet", "latex", "svg", "png")
)


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (values.names, "a, b,,c ", ("a", "b", "c")),
        (values.names, "\n a\n  b, c", ("a", "b", "c")),
        (COUNT, "1", 1),
        (COUNT, "10", 10),
        (SHARE, "0.5", 0.5),
        (UP, "1e3", 1000.0),
        (WORD, "xfail", "xfail"),
        (values.tasks, "a, b", ("a", "b")),
        (values.tasks, "5", ("5",)),
        (values.tasks, "0, id:1", ("0", "id:1")),
        (values.switch, "on", True),
        (values.switch, "off", False),
        (values.shard, "2/5", (2, 5)),
        (values.shard, "1/1", (1, 1)),
        (values.text, " x ", " x "),
        (values.path, "a b/../ü", "a b/../ü"),
        (values.json_object, '{"a": [1]}', '{"a": [1]}'),
        (values.budget, " $5 ", "$5"),
        (values.budget, "2.50", "2.50"),
        (values.budget, "200000 tokens", "200000 tokens"),
        (values.budget, "200000tokens", "200000tokens"),
        (values.lines, "a\n\n  b: c > 1 \n", ("a", "b: c > 1")),
        (values.criteria, "communicate,DB , db", "DB, COMMUNICATE"),
        (values.exports, "run.json", (("tau2", "run.json"),)),
        (values.exports, "sft:a.jsonl\nb.json", (("sft", "a.jsonl"), ("tau2", "b.json"))),
        (values.exports, "C:/run.json", (("tau2", "C:/run.json"),)),  # a drive is no kind
    ],
)
def test_reads(read: Callable[[str], Any], text: str, value: Any) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("read", "text", "sentence"),
    [
        (values.names, " , ", "must name at least one"),
        (COUNT, "0", "must be a whole number from 1 to 10, not '0'"),
        (COUNT, "11", "must be a whole number from 1 to 10, not '11'"),
        (COUNT, "1.5", "must be a whole number from 1 to 10, not '1.5'"),
        (COUNT, "two", "must be a whole number from 1 to 10, not 'two'"),
        (SHARE, "nan", "must be a number from 0 to 1, not 'nan'"),
        (UP, "0", "must be a number from 0.001 up, not '0'"),
        (UP, "inf", "must be a number from 0.001 up, not 'inf'"),
        (WORD, "pass", "must be one of fail, xfail, not 'pass'"),
        (values.switch, "yes", "must be one of on, off, not 'yes'"),
        (values.tasks, " , ", "must name at least one"),
        (values.tasks, "0", "a number says how many tasks, from 1 up; the id 0 is id:0"),
        (values.tasks, NINES, f"a number says how many tasks, from 1 up; the id {NINES} is id:{NINES}"),
        (values.shard, f"1/{NINES}", f"must be a part of a number of parts, as 2/5, not '1/{NINES}'"),
        (values.shard, "0/2", "must be a part of a number of parts, as 2/5, not '0/2'"),
        (values.shard, "3/2", "must be a part of a number of parts, as 2/5, not '3/2'"),
        (values.shard, "²/5", "must be a part of a number of parts, as 2/5, not '²/5'"),
        (values.text, " ", "must not be empty"),
        (values.lines, "\n ", "must not be empty"),
        (values.path, " ", "must not be empty"),
        (values.path, "a\0b", "must be a file or folder, and no name holds a null character"),
        (values.path, f"a/{NINES}", f"must be a file or folder, and this name is too long: 'a/{NINES[:48]}…'"),
        (values.path, "ä" * 128, f"must be a file or folder, and this name is too long: '{'ä' * 50}…'"),
        (values.path, "a/" * 2000, f"must be a file or folder, and this name is too long: '{'a/' * 25}…'"),
        (values.exports, f"csv:{NINES}", f"must be a file or folder, and this name is too long: '{NINES[:50]}…'"),
        (values.json_object, '{"a":' * 100_000, "must be a JSON object, such as '{\"temperature\": 0}'"),
        (values.json_object, "[1]", "must be a JSON object, such as '{\"temperature\": 0}'"),
        (values.json_object, '{"temperature": NaN}', "must be a JSON object, such as '{\"temperature\": 0}'"),
        (values.json_object, '{"temperature": 1e999}', "must be a JSON object, such as '{\"temperature\": 0}'"),
        (values.json_object, "{", "must be a JSON object, such as '{\"temperature\": 0}'"),
        (values.budget, "-5", "must be more than 0: USD such as 5 or $5, or tokens such as '200000 tokens', not '-5'"),
        (
            values.budget,
            "1.5 tokens",
            "must be more than 0: USD such as 5 or $5, or tokens such as '200000 tokens', not '1.5 tokens'",
        ),
        (values.criteria, "DB,MOOD", f"must be of {', '.join(values.CRITERIA)}, not 'MOOD'"),
        (
            values.exports,
            "xlsx:a",
            f"must be FILE or one of {KINDS}, not 'xlsx:a'",
        ),
        (
            values.exports,
            "sft: ",
            f"must be FILE or one of {KINDS}, not 'sft:'",
        ),
    ],
)
def test_refuses(read: Callable[[str], Any], text: str, sentence: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError) as refused:
        read(text)
    assert str(refused.value) == sentence


def test_a_key_in_what_is_no_json_is_not_repeated() -> None:
    with pytest.raises(argparse.ArgumentTypeError) as refused:
        values.json_object('{"api_key": "sk-0123456789"')
    assert "sk-" not in str(refused.value)
