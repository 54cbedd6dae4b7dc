"""Executing recorded calls again."""

from typing import Any

import pytest

from pytest_tau.environment import Toolkit, tool
from pytest_tau.environment.environment import Environment
from pytest_tau.environment.replay import replay
from pytest_tau.errors import RecordingError
from pytest_tau.schema.messages import AnyMessage
from tests.builders import CREATE, a_call, mock, played_calls, result_of, says, u_call

MADE = a_call("create_task", **CREATE)


@pytest.fixture
def env() -> Environment:
    return mock().environment()


def recorded(*calls: Any) -> list[AnyMessage]:
    return played_calls(mock(), *calls)


def test_writes_of_both_sides_are_executed(env: Environment) -> None:
    messages = recorded(MADE, u_call("dismiss_notification", notification_id="notif_1"))
    replay(env, messages, strict=True)
    assert {change.table for change in env.changes()} == {"tasks", "users", "notifications"}


class _AgentTools(Toolkit):
    db: Any

    @tool
    def note(self) -> str:
        """Read a note."""
        return "read"


class _UserTools(Toolkit):
    db: Any

    @tool(writes=True)
    def note(self) -> str:
        """Write a note."""
        return "written"


def test_a_tool_is_looked_up_on_the_side_that_calls_it(env: Environment) -> None:
    env.tools, env.user_tools = object.__new__(_AgentTools), object.__new__(_UserTools)
    assert env.writes("note", "user")
    assert not env.writes("note", "assistant")


def test_results_that_are_the_same_json_are_not_refused(env: Environment) -> None:
    made, result = recorded(MADE)
    spaced = result.model_copy(update={"content": (result.content or "").replace(": ", " :\n")})
    replay(env, [made, spaced], strict=True)


@pytest.mark.parametrize("content", ["", "null", '{"task_id": "task_4"}', "Error: x", None])
def test_another_result(env: Environment, content: str | None) -> None:
    messages: list[AnyMessage] = [says(None, MADE), result_of(MADE).model_copy(update={"content": content})]
    with pytest.raises(RecordingError, match=r"create_task\(.*\) does not replay: it returned .*task_4.* was recorded"):
        replay(env, messages, strict=True)
    lenient = mock().environment()
    replay(lenient, messages, strict=False)
    assert lenient.changes()


def test_reads_and_unknown_names_are_skipped(env: Environment) -> None:
    calls = [a_call("get_users", id="1"), a_call("nope", id="2")]
    replay(env, [says(None, *calls), *(result_of(call, "anything") for call in calls)], strict=True)
    assert not env.changes()


def test_what_failed_must_fail_again(env: Environment) -> None:
    bad = a_call("create_task", **{**CREATE, "user_id": "x"})
    replay(env, [says(None, bad), result_of(bad, "Error: User x not found", error=False)], strict=True)
    with pytest.raises(RecordingError, match="does not replay"):
        replay(env, [says(None, bad), result_of(bad, "Error: Somebody else")], strict=True)
