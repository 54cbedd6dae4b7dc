"""``--tau-max-errors``."""

import pytest

from tests.cli.usage import assert_refused
from tests.plugin.inner import AGENTS, journal, mock_run


def ended(pytester: pytest.Pytester, *args: str) -> tuple[str, int]:
    mock_run(pytester, "--tau-agent=agents:Errs", "--tau-tasks=count_my_tasks", *args).assert_outcomes(failed=1)
    [record] = journal(pytester.path)
    assert record.simulation is not None
    assert record.outcome == "missed"
    return record.simulation.termination_reason, record.simulation.errors


def test_cuts_a_conversation_off(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    assert ended(pytester, "--tau-max-errors=3") == ("too_many_errors", 3)


def test_ini_twin_and_default(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    assert ended(pytester) == ("too_many_errors", 10)
    pytester.makeini("[pytest]\ntau_max_errors = 4")
    assert ended(pytester) == ("too_many_errors", 4)
    assert ended(pytester, "--tau-max-errors=2") == ("too_many_errors", 2)


@pytest.mark.parametrize("value", ["0", "1e3"])
def test_a_bad_value_is_a_usage_error(pytester: pytest.Pytester, value: str) -> None:
    assert_refused(pytester, "max_errors", value, f"must be a whole number from 1 up, not '{value}'")
