"""Conversations that are being played, as one process writes them and a viewer reads them."""

import json
import os
from pathlib import Path

import pytest

from pytest_tau.reports.in_play import FILE, in_play, read_in_play, write_in_play
from tests.builders import a_call, asks, result_of, says

KEY = "sk-test-0123456789abcdef"


def test_who_said_and_called_what_shortened() -> None:
    call = a_call("get_users", id="c1")
    found = in_play("mock/one", 2, [says("Hi!"), asks("word " * 200), says(None, call), result_of(call, "[]")])
    assert (found.name, found.trial, found.turns) == ("mock/one", 2, 4)
    hello, said, called, result = found.lines
    assert (hello, called, result) == ("agent: Hi!", "agent calls get_users()", "tool: []")
    assert (len(said), said[-2:]) == (240, " …")


def test_only_the_last_lines_of_a_long_conversation() -> None:
    found = in_play("mock/one", 1, [says(str(number)) for number in range(100)])
    assert (found.turns, found.lines[0], found.lines[-1]) == (100, "agent: 88", "agent: 99")


def test_all_processes_are_read_and_what_is_broken_or_old_is_not(tmp_path: Path) -> None:
    write_in_play(tmp_path / f"{FILE}gw0", [in_play("mock/short", 1, [says("Hi!")])])
    write_in_play(tmp_path / f"{FILE}gw1", [in_play("mock/long", 1, [says("Hi!"), asks("Hello.")])])
    for number, broken in enumerate(("{", "[1]", '[{"name": "x"}]', "[" * 100_000)):
        (tmp_path / f"{FILE}broken{number}").write_text(broken)
    write_in_play(tmp_path / f"{FILE}gw2", [in_play("mock/dead", 1, [says("Hi!")])])
    os.utime(tmp_path / f"{FILE}gw2", (0, 0))
    assert [one.name for one in read_in_play(tmp_path)] == ["mock/long", "mock/short"]


def test_keys_are_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    file = tmp_path / f"{FILE}main"
    write_in_play(file, [in_play("mock/one", 1, [says(f"My key is {KEY}.")])])
    assert KEY not in file.read_text(encoding="utf-8")
    assert len(json.loads(file.read_text(encoding="utf-8"))) == 1
