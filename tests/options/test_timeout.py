"""``--tau-timeout``, with an agent that waits for ever."""

import pytest

from tests.options.usage import assert_refused
from tests.plugin.inner import AGENTS, journal, outcomes, rows
from tests.plugin.parts import mock_play

ONE = ("--tau-agent=agents:Hangs", "--tau-tasks=count_my_tasks")


def ended(pytester: pytest.Pytester) -> tuple[str, str | None]:
    [record] = journal(pytester.path)
    assert record.simulation is not None
    return record.simulation.termination_reason, record.simulation.note


def test_cuts_a_conversation_off(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    mock_play(pytester, *ONE, "--tau-timeout=0.4").assert_outcomes(failed=1)
    assert ended(pytester) == ("timeout", "the agent was still answering after the time limit")


def test_is_no_verdict_on_the_agent(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    result = mock_play(pytester, *ONE, "--tau-timeout=0.4")
    assert outcomes(pytester.path) == {"count_my_tasks": "infra_error"}
    [record] = journal(pytester.path)
    assert record.reward is None
    assert (rows(result)["mock"]["infra"], rows(result)["mock"]["missed"]) == ("1", "0")
    result.stdout.fnmatch_lines(
        [
            "the agent was still answering after the time limit",
            "not finished (not graded, ended by timeout)",
            "  mock/count_my_tasks, trial 1",
            "Last turns of 2:",
            "  [[]1] user: *",
            "Run exactly this trial again: *",
        ]
    )


def test_ends_a_test_of_yours_that_looks_at_the_conversation(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        agents=AGENTS,
        test_it="""
        import pytest

        @pytest.mark.tau(domain="mock", tasks="count_my_tasks")
        def test_it(tau_simulation):
            assert False, "never looked at"
        """,
    )
    pytester.runpytest("--tau-agent=agents:Hangs", "--tau-timeout=0.4")
    assert outcomes(pytester.path) == {"count_my_tasks": "infra_error"}


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "soon"])
def test_a_bad_value_is_a_usage_error(value: str) -> None:
    assert_refused("timeout", value, f"must be a number from 0.001 up, not '{value}'")
