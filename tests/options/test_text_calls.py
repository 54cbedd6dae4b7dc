"""``--tau-text-calls``: tool calls that a model writes as text."""

import pytest

from tests.llm.server import by_turn, says
from tests.options.models import AGENT, ONE, Serve, simulations
from tests.options.usage import assert_refused, refused
from tests.plugin.inner import mock_run
from tests.reports.blocks import conversations

WRITTEN = '{"name": "update_task_status", "arguments": {"task_id": "task_1", "status": "completed"}}'
WRITES = by_turn([says(f"<think>Easy.</think>```json\n{WRITTEN}\n```"), says("It is done.")], said_before=1)


def test_they_are_counted_and_told(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(WRITES)
    result = mock_run(pytester, ONE, AGENT, "--tau-html=report.html")
    result.assert_outcomes(failed=1)
    line = "Tool call as text: the agent wrote 1 call as text, not run: start the server with its *"
    result.stdout.fnmatch_lines([f"  {line}", line])
    [simulation] = simulations(pytester)
    assert simulation.incidents == {"agent: tool call as text": 1, "agent: thoughts in the text": 1}
    assert "Easy." not in "".join(message.content or "" for message in simulation.messages)
    [view] = conversations((pytester.path / "report.html").read_text(encoding="utf-8"))
    assert "tool call as text, not run" in view["messages"][2]["meta"]
    assert any(note.startswith("Tool call as text: the agent wrote 1 call") for note in view["notes"])


def test_or_run_and_marked(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(WRITES)
    mock_run(pytester, ONE, AGENT, "--tau-text-calls=run").assert_outcomes(passed=1)
    [simulation] = simulations(pytester)
    [marked] = [one for one in simulation.messages if one.role == "assistant" and one.text_calls]
    assert (marked.text_calls_run, marked.thoughts) == (True, "Easy.")
    assert [call.name for call in marked.tool_calls or []] == ["update_task_status"]


def test_never_in_parity(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", AGENT, "--tau-text-calls=run", "--tau-parity=on").fnmatch_lines(
        ["*--tau-text-calls run: in parity no call that is written as text is run*"]
    )


def test_a_bad_value_is_a_usage_error() -> None:
    assert_refused("text_calls", "yes", "must be one of count, run, not 'yes'")
