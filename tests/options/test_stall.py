"""``--tau-stall``: conversations that go round in circles."""

import pytest

from tests.options.usage import assert_refused
from tests.plugin.inner import AGENTS, journal, mock_run

LOOPS = ("--tau-agent=agents:Loops", "--tau-tasks=count_my_tasks", "--tau-max-steps=40")


def test_ends_a_conversation_that_repeats_itself(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    result = mock_run(pytester, *LOOPS, "--tau-export=run.json")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "not finished (reward 0, ended by stalled)",
            "  fault: premature end: ended by stalled: the agent made the call * 8 times, each with the same result*",
            "Stalled: 1 trial went round in circles and ended as at --tau-max-steps; up to 23 steps were not played *",
        ]
    )
    [record] = journal(pytester.path)
    assert record.outcome == "missed"
    assert '"termination_reason": "max_steps"' in (pytester.path / "run.json").read_text()


@pytest.mark.parametrize("how", [("--tau-stall=off",), ("--tau-parity=on",)])
def test_not_where_it_is_off(pytester: pytest.Pytester, how: tuple[str, ...]) -> None:
    pytester.makepyfile(agents=AGENTS)
    mock_run(pytester, *LOOPS, *how)
    [record] = journal(pytester.path)
    assert record.simulation is not None
    assert record.simulation.termination_reason == "max_steps"


@pytest.mark.parametrize("value", ["1", "often"])
def test_a_bad_value_is_a_usage_error(value: str) -> None:
    assert_refused("stall", value, f"must be a whole number from 2 up, not '{value}'")
