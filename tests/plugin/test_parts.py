"""The parts of a run, called in their order, give what a whole run gives: tests of parts say something about runs."""

from typing import Any

import pytest

from pytest_tau.schema.record import TrialRecord
from tests.plugin.inner import AGENTS, journal, mock_run, rows
from tests.plugin.parts import mock_play

MIXED = ("--tau-tasks=3", "--tau-k=2", "--tau-agent=agents:Completes", "--tau-gate=pass^1 >= 0.9")


def found(record: TrialRecord) -> tuple[Any, ...]:
    """What a record says of its trial, but for how long each reply took."""
    simulation = record.simulation
    assert simulation is not None
    said = [(message.role, message.content) for message in simulation.messages]
    return record.nodeid, record.outcome, record.reward, record.fault, record.hashes, said, simulation.seed


def test_parts_report_and_keep_what_a_whole_run_does(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    run = mock_run(pytester, *MIXED)
    of_run = journal(pytester.path)
    parts = mock_play(pytester, *MIXED)
    assert [found(record) for record in journal(pytester.path)] == [found(record) for record in of_run]
    assert rows(parts) == rows(run) != {}
    assert parts.counts == {"passed": 2, "missed": 4}
    assert "2 passed, 4 missed" in run.outlines[-1]
    assert parts.ret == run.ret == pytest.ExitCode.TESTS_FAILED
    changes = ("command:", "journal:", "pytest-tau ")  # which name the moment, and where it was
    tables = [line for line in parts.below if line and not line.startswith(changes)]
    assert [line for line in tables if line not in run.outlines] == []
    assert [line for line in parts.above if line not in run.outlines] == []


def test_a_stop_and_a_fixture_need_a_session(pytester: pytest.Pytester) -> None:
    with pytest.raises(AssertionError, match="only a session stops early"):
        mock_play(pytester, "-x")
    pytester.makeconftest("import pytest\n\n@pytest.fixture\ndef tau_agent():\n    return None")
    with pytest.raises(AssertionError, match="only a session sets fixtures up"):
        mock_play(pytester)
