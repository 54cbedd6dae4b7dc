"""``--tau-mode``."""

import pytest

from tests.cli.usage import assert_refused
from tests.plugin.inner import journal, make_shop, mock_run


def test_solo_gives_the_ticket_and_no_customer(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        import pytest
        from pytest_tau import AssistantMessage, ToolCall

        class Solo:
            def __init__(self, context):
                assert "task_1" in context.ticket
                self.calls = [
                    ToolCall(id="1", name="update_task_status", arguments={"task_id": "task_1", "status": "completed"}),
                    ToolCall(id="2", name="done", arguments={}),
                ]

            def reply(self, messages):
                return AssistantMessage(tool_calls=[self.calls.pop(0)])

        @pytest.fixture
        def tau_agent():
            return Solo
    """)
    result = mock_run(pytester, "--tau-mode=solo", "--tau-tasks=complete_a_task")
    result.assert_outcomes(passed=1)
    [record] = journal(pytester.path)
    assert record.simulation is not None
    assert record.simulation.solo
    assert all(message.role != "user" for message in record.simulation.messages)


def test_solo_leaves_out_tasks_without_a_ticket(pytester: pytest.Pytester) -> None:
    mock_run(pytester).assert_outcomes(passed=6)
    mock_run(pytester, "--tau-mode=solo").assert_outcomes(passed=4)


def test_ini_twin(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntau_mode = solo")
    mock_run(pytester).assert_outcomes(passed=4)
    mock_run(pytester, "--tau-mode=default").assert_outcomes(passed=6)


def test_a_domain_without_solo_mode_says_so(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    result = pytester.runpytest("--tau-domain=shop", "--tau-mode=solo")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["the domain 'shop' has no solo mode; leave --tau-mode out"])


def test_a_bad_value_is_a_usage_error(pytester: pytest.Pytester) -> None:
    assert_refused(pytester, "mode", "alone", "must be one of default, solo, not 'alone'")
