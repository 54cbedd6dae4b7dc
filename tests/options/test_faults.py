"""``--tau-faults``: each task as it is and once more with tools that fail, told apart from the agent's errors."""

import pytest

from pytest_tau.schema.messages import ToolMessage
from tests.options.usage import refused
from tests.plugin.inner import journal, mock_run
from tests.plugin.parts import mock_play
from tests.reports.blocks import readable


def test_the_careful_oracle_passes_where_the_oracle_breaks_and_the_grid_tells(pytester: pytest.Pytester) -> None:
    arguments = ("--tau-tasks=add_a_task,complete_a_task", "--tau-k=2", "--tau-faults=timeout:0.6")
    careful = mock_run(pytester, *arguments, "--tau-agent=oracle:careful", "--tau-perturb=rude", "--tau-max-errors=1")
    careful.assert_outcomes(passed=16)
    careful.stdout.fnmatch_lines(
        [
            "| timeout:0.6 *100.0 → 100.0 %*",
            "| rude+timeout:0.6 *100.0 → 100.0 %*",
            "| R(k, ε, λ) * k * λ=0 * timeout:0.6 λ=0.6 *",
            "| rude ε=0.5 *2 * 100.0 % * 100.0 % *",
        ]
    )
    records = [record for record in journal(pytester.path) if record.variant is not None and record.variant.faults]
    marks = [
        m.fault
        for r in records
        if r.simulation
        for m in r.simulation.messages
        if isinstance(m, ToolMessage) and m.fault
    ]
    assert {fault.kind for fault in marks} == {"timeout"}
    assert {fault.happened for fault in marks} == {True, False}
    assert all(record.simulation is not None and record.simulation.errors == 0 for record in records)

    gives_up = mock_play(pytester, *arguments, "--tau-agent=oracle", "--tau-html=report.html")
    gives_up.stdout.fnmatch_lines(
        [
            "timeout:0.6: pass^1 falls by * points *, p *",
            "timeout:0.6: a call that failed was never tried again, and the trial missed, in * of * trials *",
        ]
    )
    assert "the call did not reach the tool" in readable(pytester.path / "report.html")


def test_what_cannot_be_is_refused(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", "--tau-faults=slow:x").fnmatch_lines(
        ["ERROR: faults 'slow:x': 'x' is not seconds, as in slow:30:0.2"]
    )
