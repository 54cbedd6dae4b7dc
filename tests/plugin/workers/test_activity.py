"""What a run is doing: of this process, and of its workers as far as they have said so."""

import json
import os
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau.llm.meter import Activity, CallTotals
from pytest_tau.plugin.workers.activity import monitor
from pytest_tau.reports.in_play import FILE, read_in_play
from tests.builders import says
from tests.plugin.conftest import MakeRun


class _Playing(SimpleNamespace):
    """What is known of a trial; anything may refer to it weakly."""


def playing(turns: int) -> Any:
    """A trial with so many messages."""
    conversation = SimpleNamespace(messages=[says("Hello.")] * turns)
    return _Playing(turns=turns, conversation=conversation)


def told(calls: int) -> str:
    """What a worker writes."""
    asked = {"calls": calls, "tokens": 10, "usd": 0.5, "waiting": 1, "failing": 1, "failure": "It broke."}
    return json.dumps({"in_play": 2, "longest": 5, "asked": asked})


def test_conversations_that_are_over_or_gone_are_not_in_play(make_run: MakeRun) -> None:
    watch = monitor(make_run())
    first, second, gone = playing(3), playing(9), playing(50)
    for trial in (first, second, gone):
        watch.begins(trial, ("mock/add_a_task", 1))
    del gone, trial
    assert (watch.own().in_play, watch.own().longest) == (2, 9)
    second.turns = None
    assert (watch.own().in_play, watch.own().longest) == (1, 3)
    first.turns = None
    assert watch.own() == Activity()


def test_what_workers_have_told_is_added(make_run: MakeRun) -> None:
    run = make_run()
    watch = monitor(run)
    run.folder.mkdir(parents=True)
    (run.folder / ".activity-gw0").write_text(told(3))
    (run.folder / ".activity-gw1").write_text(told(4))
    (run.folder / ".activity-gw2").write_text("{")
    os.utime(run.folder / ".activity-gw1", (0, 0))  # it has died long ago
    assert watch.of_run() == Activity(2, 5, CallTotals(7, 20, 1.0, 1, 1, "It broke."))
    watch.forget()
    assert watch.of_run() == Activity()


def test_what_is_in_play_is_shown_to_viewers_and_gone_when_the_run_is_over(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run()
    run.folder.mkdir(parents=True)
    monkeypatch.setattr("pytest_tau.plugin.workers.activity._EVERY", 0.001)
    trial = playing(3)
    watch = monitor(run)
    watch.begins(trial, ("mock/add_a_task", 1))
    while not (shown := read_in_play(run.folder)):
        pass
    assert [(one.name, one.trial, one.turns, one.lines[-1]) for one in shown] == [
        ("mock/add_a_task", 1, 3, "agent: Hello.")
    ]
    run.ending.close()
    assert list(run.folder.glob(f"{FILE}*")) == []
    (run.folder / f"{FILE}gw0").write_text("[]")  # of a worker that died
    watch.forget()
    assert list(run.folder.glob(f"{FILE}*")) == []
