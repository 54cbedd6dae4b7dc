"""``--tau-max-steps``."""

import pytest

from tests.options.usage import assert_refused
from tests.plugin.inner import AGENTS, journal, mock_run
from tests.plugin.parts import mock_play

LOOPS = ("--tau-agent=agents:Loops", "--tau-tasks=count_my_tasks")


def ended(pytester: pytest.Pytester, *args: str) -> tuple[str, int]:
    run = mock_run if args else mock_play
    run(pytester, *LOOPS, *args).assert_outcomes(failed=1)
    [record] = journal(pytester.path)
    assert record.simulation is not None
    assert record.outcome == "missed"
    return record.simulation.termination_reason, record.simulation.steps


@pytest.mark.parametrize(
    ("args", "steps"),
    [(("--tau-max-steps=7",), 7), (("--tau-stall=off",), 201)],  # the call of step 200 is still answered
)
def test_cuts_a_conversation_off(pytester: pytest.Pytester, args: tuple[str, ...], steps: int) -> None:
    pytester.makepyfile(agents=AGENTS)
    assert ended(pytester, *args) == ("max_steps", steps)


@pytest.mark.parametrize("value", ["0", "many"])
def test_a_bad_value_is_a_usage_error(value: str) -> None:
    assert_refused("max_steps", value, f"must be a whole number from 1 up, not '{value}'")
