"""A view between agent and trial: the agent sees other names and forms, the record has the true ones."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from pytest_tau import AssistantMessage, grade, load_domain, load_tasks, simulate
from pytest_tau.conversation.limits import Limits
from pytest_tau.conversation.protocols import AgentContext, ContextTool
from pytest_tau.conversation.run import aplay
from pytest_tau.conversation.trial import Trial
from pytest_tau.conversation.view import AgentView, ShownTool, Views, disguise_factory, shown_context
from pytest_tau.errors import PlayerError
from pytest_tau.schema.messages import AnyMessage, ToolMessage
from pytest_tau.users.scripted import Scripted
from pytest_tau.variants import apply_doses, builtin_kinds, read_doses
from tests.builders import a_call, core, mock, says

KINDS = builtin_kinds()


def view_of(kinds: str) -> AgentView:
    found = apply_doses(load_tasks("mock")[0], mock(), read_doses(kinds, KINDS), 5)
    assert found is not None
    assert found.view is not None
    return found.view


class Looks:
    """Calls ``get_users`` by the name it is shown, and keeps what it saw."""

    seen: list[AnyMessage]

    def __init__(self, context: AgentContext) -> None:
        self.context = context
        self.name = next(
            tool.name for tool in context.tools if tool.name.lower().replace("_", "") in ("getusers", "fn")
        )

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """A look, then a goodbye."""
        Looks.seen = messages
        looked = any(isinstance(message, ToolMessage) for message in messages)
        return says("Goodbye.") if looked else says(None, a_call(self.name))


def played(agent: Any, view: AgentView) -> list[AnyMessage]:
    return list(simulate(load_tasks("mock")[0], mock(), agent, view=view).messages)


def test_the_agent_sees_its_names_and_the_record_the_true_ones() -> None:
    record = played(Looks, view_of("tool_names:camel:1"))
    calls = [call.name for m in record if isinstance(m, AssistantMessage) for call in m.tool_calls or []]
    assert calls == ["get_users"]
    assert not any(m.error for m in record if isinstance(m, ToolMessage))
    shown = [call.name for m in Looks.seen if isinstance(m, AssistantMessage) for call in m.tool_calls or []]
    assert shown == ["getUsers"]


def test_an_agent_that_does_not_take_the_context_is_told_so_by_its_own_name() -> None:
    class Bare:
        pass

    with pytest.raises(PlayerError, match=r"the agent factory \S+Bare cannot be called with the trial's context: "):
        played(Bare, view_of("result_format"))


class Odd:
    """Answers what is no message."""

    def reply(self, messages: list[AnyMessage]) -> Any:
        return 3


class Forgetful:
    def reply(self) -> str:
        return "Hi!"


def answers(messages: list[AnyMessage]) -> Any:
    return 3


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (Odd(), r"^Odd\.reply\(\) returned int; "),
        (answers, r"^answers\(\) returned int; "),
        (Odd().reply, r"^Odd\.reply\(\) returned int; "),
        (Forgetful(), r"^Forgetful\.reply\(\) cannot be called with the messages: "),
    ],
)
@pytest.mark.parametrize("kinds", [None, "tool_names:camel:1"])
def test_what_is_wrong_with_a_reply_is_told_by_the_name_its_author_knows(
    made: Any, sentence: str, kinds: str | None
) -> None:
    with pytest.raises(PlayerError, match=sentence):
        simulate(load_tasks("mock")[0], mock(), lambda context: made, view=None if kinds is None else view_of(kinds))


def test_results_are_shown_in_their_form_and_recorded_as_they_are() -> None:
    record = played(Looks, view_of("result_format"))
    (true,) = [m.content for m in record if isinstance(m, ToolMessage)]
    (shown,) = [m.content for m in Looks.seen if isinstance(m, ToolMessage)]
    assert json.loads(shown or "")["status"] == "ok"
    assert "status" not in json.loads(true or "")[0]


def test_a_name_that_is_not_shown_is_no_tool() -> None:
    class Guesses(Looks):
        def __init__(self, context: AgentContext) -> None:
            self.name = "get_users"

    record = played(Guesses, view_of("tool_names:scrambled:1"))
    (result,) = [m for m in record if isinstance(m, ToolMessage)]
    assert result.error


def test_an_error_reads_the_same_in_a_message_and_in_a_loop_of_the_agent() -> None:
    read: list[str | None] = []

    class Errs:
        def __init__(self, context: AgentContext) -> None:
            self.create = next(tool for tool in context.tools if tool.name == "createTask")

        def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
            if not read:
                read.append(self.create(user="x"))
                return says(None, a_call("createTask", user="x"), a_call("create_task", id="c2"))
            read.extend(m.content for m in messages[-2:])
            return says("Goodbye.")

    record = played(Errs, Views([view_of("tool_names:camel:1"), view_of("result_format")]))
    of_loop, of_message, of_other_name, *_ = read
    assert of_loop == of_message
    assert str(of_loop).startswith("Error: ")
    assert "createTask" in str(of_loop)
    assert "create_task" not in str(of_loop)
    assert of_other_name == "Error: Tool 'create_task' not found."
    true = [m.content for m in record if isinstance(m, ToolMessage)]
    assert true[0] == true[1] != of_loop


def test_a_team_reads_in_its_roles_the_names_and_the_policy_that_it_is_shown() -> None:
    seen: list[Any] = []

    class Desk:
        def __init__(self, context: AgentContext) -> None:
            seen.append(context)

        def reply(self, messages: list[AnyMessage]) -> str:
            return "Goodbye."

    desk, task = load_domain("retail_desk"), core("retail_desk")[0]
    found = apply_doses(task, desk, read_doses("tool_names:camel:1", KINDS), 5)
    assert found is not None
    simulate(found.task, desk, Desk, view=found.view)
    (context,) = seen
    assert set(context.roles["triage"].tools) <= {tool.name for tool in context.tools}
    assert not any("transfer_to_human_agents" in role.policy for role in context.roles.values())
    assert any("transferToHumanAgents" in role.policy for role in context.roles.values())


def test_extra_tools_answer_and_change_nothing() -> None:
    view = view_of("extra_tools:1")
    name, text = next(iter(view.extra.items()))

    class Curious(Looks):
        def __init__(self, context: AgentContext) -> None:
            self.name = next(tool.name for tool in context.tools if tool.name == name)

    record = played(Curious, view)
    assert [m.content for m in record if isinstance(m, ToolMessage)] == [text]
    task = load_tasks("mock")[0]
    grade(task, simulate(task, mock(), Curious, view=view), mock())  # it replays


def test_tools_that_an_agent_calls_itself_and_async_agents_go_through_the_view() -> None:
    results: list[str] = []

    class Loop:
        def __init__(self, context: AgentContext) -> None:
            self.tools = {tool.name: tool for tool in context.tools}

        async def reply(self, messages: list[AnyMessage]) -> str:
            if not results:
                results.append(self.tools["getUsers"]())
            return "Goodbye."

    view = Views([view_of("tool_names:camel:1"), view_of("result_format")])
    task = load_tasks("mock")[0]
    trial = Trial(task, mock().environment(), disguise_factory(Loop, view), Scripted, trial=1, seed=1, limits=Limits())
    asyncio.run(aplay(trial))
    assert json.loads(results[0])["status"] == "ok"
    calls = [c.name for m in trial.conversation.messages if isinstance(m, AssistantMessage) for c in m.tool_calls or []]
    assert calls == ["get_users"]


def test_policy_and_descriptions_speak_of_the_names_that_are_shown() -> None:
    view = view_of("tool_names:camel:1")
    assert view.text("Call `get_users` first, get_users_of never.") == "Call `getUsers` first, get_users_of never."
    schema: dict[str, Any] = {"function": {"name": "get_users", "description": "Before create_task."}}
    (shown,) = view.tools([ShownTool("get_users", "get_users", schema)])
    assert (shown.name, shown.schema["function"]["description"]) == ("getUsers", "Before createTask.")
    assert schema["function"]["name"] == "get_users"  # a copy was changed


class Holds:
    """Holds something until it is told that its trial is over."""

    def __init__(self, context: AgentContext, kept: list[Any]) -> None:
        self.kept, self.parameters = kept, {"model": "a"}

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """A look, then a goodbye."""
        looked = any(isinstance(message, ToolMessage) for message in messages)
        return says("Goodbye.") if looked else says(None, a_call("getUsers"))

    def close(self) -> None:
        """Let go."""
        self.kept.append("closed")


def test_an_agent_under_a_view_is_let_go_of() -> None:
    kept: list[Any] = []
    played(lambda context: Holds(context, kept), view_of("tool_names:camel:1"))
    assert kept == ["closed"]


def test_both_agents_are_let_go_of_where_one_is_made_again_because_it_knows_the_task() -> None:
    kept: list[Any] = []

    class Knows(Holds):
        knows_the_task = True

    played(lambda context: Knows(context, kept), view_of("tool_names:camel:1"))
    assert kept == ["closed", "closed"]


def test_an_agent_under_a_view_takes_up_a_conversation_as_it_sees_it() -> None:
    taken: list[Any] = []

    class TakesUp(Holds):
        def resume(self, messages: list[AnyMessage], begin: int) -> None:
            """Take up a conversation."""
            names = [c.name for m in messages if isinstance(m, AssistantMessage) for c in m.tool_calls or []]
            taken.append((names, len(messages), begin))

    view, context = view_of("tool_names:camel:1"), AgentContext("t", 1, 1, "")
    called: list[AnyMessage] = [says("Hello."), says(None, a_call("get_users"))]
    disguise_factory(lambda context: TakesUp(context, []), view)(context).resume(called, 1)
    assert taken == [(["getUsers"], 2, 1)]
    without = disguise_factory(lambda context: Holds(context, []), view)(context)
    assert (hasattr(without, "resume"), without.parameters) == (False, {"model": "a"})


def test_what_serves_the_tools_to_other_processes_serves_those_that_are_shown() -> None:
    served: list[Any] = []

    def serve(tools: Sequence[ContextTool]) -> str:
        served.extend(tools)
        return "http://127.0.0.1:9/mcp"

    def run(name: str, arguments: dict[str, Any]) -> str:
        return json.dumps(name)

    tools = tuple(ContextTool(spec.name, spec.schema, spec.writes, run) for spec in mock().environment().tool_specs())
    view = Views([view_of("tool_names:camel:1"), view_of("result_format")])
    context = shown_context(AgentContext("t", 1, 1, "", tools, open_mcp=serve), view)
    assert context.mcp == "http://127.0.0.1:9/mcp"
    assert "getUsers" in [tool.name for tool in served]
    shown = [json.loads(served[0].run(name, {})) for name in ("getUsers", "get_users")]
    assert [[value for value in one.values() if value != "ok"] for one in shown] == [
        ["get_users"],
        ["get_users (unknown)"],
    ]
