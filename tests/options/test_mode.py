"""``--tau-mode``."""

import pytest

from pytest_tau import AssistantMessage, load_tasks
from pytest_tau.agents.prompts import oracle_plan
from tests.llm.server import by_turn, calls
from tests.options.models import AGENT, COMPETENT, COMPLETE, ONE, Serve, prompt
from tests.options.usage import assert_refused, refused
from tests.plugin.inner import journal, make_shop, mock_run, task, write
from tests.plugin.parts import mock_play, nodeids, play


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
    assert len(nodeids(pytester, "--tau-domain=mock")) == 6
    assert len(nodeids(pytester, "--tau-domain=mock", "--tau-mode=solo")) == 4


def test_a_domain_without_solo_mode_says_so(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    said = refused(pytester, "--tau-domain=shop", "--tau-mode=solo")
    said.fnmatch_lines(["ERROR: the domain 'shop' has no solo mode; leave --tau-mode out"])


@pytest.mark.parametrize("option", ["user-style=minimal", "user-guard=on", "user-seeds=2", "satisfaction"])
def test_solo_refuses_what_only_a_customer_follows(pytester: pytest.Pytester, option: str) -> None:
    pytester.makeini("[pytest]\ntau_user_llm = openai/user\ntau_user_guard = on")
    said = refused(pytester, "--tau-domain=mock", "--tau-mode=solo", f"--tau-{option}")
    said.fnmatch_lines(
        [f"ERROR: --tau-{option.partition('=')[0]}: solo mode has no customer; leave one of the two out"]
    )
    named = ("--tau-user-llm=openai/user", "--tau-user-llm-args={}")
    assert len(nodeids(pytester, "--tau-domain=mock", "--tau-mode=solo", *named)) == 4


def test_telecom_solo_works_from_the_ticket_with_the_tools_of_both_sides(pytester: pytest.Pytester) -> None:
    both = "--tau-tasks=mobile_data_issue.user_abroad_roaming_disabled_off.hard"
    play(pytester, "--tau-domain=telecom", "--tau-mode=solo", both).assert_outcomes(passed=1)
    [record] = journal(pytester.path)
    assert record.simulation is not None
    spoken = [message for message in record.simulation.messages if isinstance(message, AssistantMessage)]
    called = [call.name for message in spoken for call in message.tool_calls or []]
    assert {"enable_roaming", "toggle_roaming"} <= set(called)


def test_solo_tells_a_model_the_ticket_and_wants_calls(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(by_turn([COMPLETE, calls(("done", {}))]))
    mock_play(pytester, "--tau-mode=solo", ONE, AGENT).assert_outcomes(passed=1)
    assert "<ticket>\nNadia Brandt has done task_1; set it to completed.\n</ticket>" in prompt(server)
    assert "resolution_steps" not in prompt(server)
    assert {request.body["tool_choice"] for request in server.requests} == {"required"}


def test_oracle_plan_tells_a_model_the_steps(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(COMPETENT)
    result = mock_play(pytester, "--tau-mode=oracle-plan", ONE, AGENT)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["tau: *mode oracle-plan;*"])
    [played] = [task for task in load_tasks("mock") if task.id == "complete_a_task"]
    assert f"<resolution_steps>\n{oracle_plan(played)}\n</resolution_steps>" in prompt(server)


def test_oracle_plan_leaves_out_tasks_without_a_plan(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tasks/mock/planned.json", task("planned"))
    write(pytester.path, "tasks/mock/bare.json", task("bare", evaluation_criteria=None))
    assert len(nodeids(pytester, "--tau-domain=mock")) == 2
    pytester.makeini("[pytest]\ntau_mode = oracle-plan")
    assert nodeids(pytester, "--tau-domain=mock") == ["tasks/mock/planned.json::test_task[trial1]"]


def test_a_bad_value_is_a_usage_error() -> None:
    assert_refused("mode", "alone", "must be one of default, solo, oracle-plan, not 'alone'")
