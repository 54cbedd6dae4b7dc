"""``--tau-max-errors``."""

import pytest

from tests.options.usage import assert_refused
from tests.plugin.inner import AGENTS, journal, mock_run
from tests.plugin.parts import mock_play


def ended(pytester: pytest.Pytester, *args: str) -> tuple[str, int]:
    run = mock_run if args else mock_play
    run(pytester, "--tau-agent=agents:Errs", "--tau-tasks=count_my_tasks", *args).assert_outcomes(failed=1)
    [record] = journal(pytester.path)
    assert record.simulation is not None
    assert record.outcome == "missed"
    return record.simulation.termination_reason, record.simulation.errors


@pytest.mark.parametrize(("args", "errors"), [(("--tau-max-errors=3",), 3), ((), 10)])
def test_cuts_a_conversation_off(pytester: pytest.Pytester, args: tuple[str, ...], errors: int) -> None:
    pytester.makepyfile(agents=AGENTS)
    assert ended(pytester, *args) == ("too_many_errors", errors)


@pytest.mark.parametrize("value", ["0", "1e3"])
def test_a_bad_value_is_a_usage_error(value: str) -> None:
    assert_refused("max_errors", value, f"must be a whole number from 1 up, not '{value}'")
