"""The account of a run: what is in tests/llm/test_limits.py is not repeated here."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pytest_tau.errors import InfraError, SettingsError
from pytest_tau.llm.ledger import FILE_NAME, Ledger, LedgerBusy, Need, Spent, Started, Wait
from pytest_tau.llm.limit_settings import LimitSettings


def ledger(folder: Path, now: list[float], **settings: int) -> Ledger:
    return Ledger(folder, LimitSettings(**settings), lambda: now[0])


def test_a_call_starts_or_is_told_how_long_to_wait(tmp_path: Path) -> None:
    now = [1000.0]
    of_run = ledger(tmp_path, now, rpm=1)
    first = of_run.start(Need(), 5.0)
    assert isinstance(first, Started)
    of_run.settle(first.call, tokens=3, usd=0.5, answer=None)
    assert of_run.start(Need(), 5.0) == Wait(60.0)
    now[0] += 61.0
    assert isinstance(of_run.start(Need(), 5.0), Started)
    assert of_run.spending() == Spent(1, 3, 0.5)


def test_who_waits_longest_is_rung_first_and_once(tmp_path: Path) -> None:
    now = [1000.0]
    of_run = ledger(tmp_path, now, max_inflight=1)
    call = of_run.start(Need(), 60.0)
    assert isinstance(call, Started)
    for port in (7002, 7001):
        assert of_run.start(Need(), 60.0, port=port) == Wait(None)
        now[0] += 1.0
    assert of_run.settle(call.call, tokens=0, usd=0.0, answer=None) == 7002
    assert (of_run.next_waiting(), of_run.next_waiting()) == (7001, None)


def test_who_takes_the_last_place_says_that_others_of_its_process_wait(tmp_path: Path) -> None:
    of_run = ledger(tmp_path, [1000.0], max_inflight=2)
    first = of_run.start(Need(), 60.0, port=7001, others=True)
    assert isinstance(first, Started)
    assert not first.took_last
    assert of_run.next_waiting() is None
    last = of_run.start(Need(), 60.0, port=7001, others=True)
    assert isinstance(last, Started)
    assert last.took_last
    assert of_run.settle(first.call, tokens=0, usd=0.0, answer=None) == 7001
    assert of_run.start(Need(), 60.0, port=7001) == Started(last.call + 1, took_last=True)
    assert of_run.next_waiting() is None  # there are no others


def test_nobody_waits_for_another_process_that_writes(tmp_path: Path) -> None:
    of_run = ledger(tmp_path, [1000.0], max_inflight=1)
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerBusy):
            of_run.start(Need(), 60.0)
        other.execute("COMMIT")
    assert isinstance(of_run.start(Need(), 60.0), Started)


def test_a_file_that_cannot_be_written_is_told_in_one_sentence(tmp_path: Path) -> None:
    of_run = ledger(tmp_path, [1000.0])
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other:
        other.executescript("PRAGMA writable_schema = ON; DROP TABLE calls;")
    with pytest.raises(InfraError, match="the limits of the run cannot be kept: no such table"):
        of_run.start(Need(), 60.0)


def test_a_place_where_nothing_can_be_counted_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"garbage" * 500)
    told = r"limits\.sqlite3: calls cannot be counted there: [^;[]+; see that its folder can be written"
    for folder in (tmp_path, tmp_path / FILE_NAME, tmp_path / FILE_NAME / "below"):
        with pytest.raises(SettingsError, match=told):
            ledger(folder, [1000.0])
