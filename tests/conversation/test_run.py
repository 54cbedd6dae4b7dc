"""The driver: what players may be and do, what their failures become, and what is recorded."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from pytest_tau import AgentContext, AgentFault, InfraError, Simulation, UserMessage, asimulate, simulate
from pytest_tau.clock import monotonic, standing_still
from pytest_tau.conversation.limits import Limits
from pytest_tau.conversation.replies import ATTEMPTS
from pytest_tau.conversation.turns import GREETING
from pytest_tau.schema.messages import AnyMessage, ToolMessage
from pytest_tau.schema.simulation import Termination
from tests.builders import CREATE, Lines, a_call, asks, mock, says, task, u_call
from tests.conversation.played import STOP, contents, run


class TestPlayers:
    def test_text_and_messages(self) -> None:
        sim = run(["Yes?", says("Bye")], ["Hello", asks("Well"), STOP])
        assert contents(sim) == [GREETING, "Hello", "Yes?", "Well", "Bye", STOP]
        assert (sim.termination_reason, sim.steps) == (Termination.USER_STOP, 5)

    def test_calls_run_in_the_environment(self) -> None:
        sim = run([says(None, a_call("create_task", **CREATE)), "Done"], ["Create", asks(None, u_call()), STOP])
        created, inbox = (m for m in sim.messages if isinstance(m, ToolMessage))
        assert '"task_id": "task_4"' in (created.content or "")
        assert (created.requestor, inbox.requestor) == ("assistant", "user")
        assert "notif_1" in (inbox.content or "")

    def test_the_side_of_a_call_is_its_speakers(self) -> None:
        sim = run(["Look"], [asks(None, a_call("check_notifications")), STOP])
        (inbox,) = (m for m in sim.messages if isinstance(m, ToolMessage))
        assert (inbox.requestor, inbox.error) == ("user", False)

    def test_a_player_that_changes_what_it_has_called_or_sees_changes_nothing_in_the_record(self) -> None:
        class Forger:
            def reply(self, messages: list[AnyMessage]) -> Any:
                for message in messages:
                    if message.role != "tool" and message.tool_calls:
                        message.tool_calls[0].arguments.clear()
                return self.call if len(messages) == 2 else "Done"

            call = says(None, a_call("create_task", **CREATE))

        agent = Forger()
        sim = run(agent, ["Create", STOP])
        (called,) = (m for m in sim.messages if m.role == "assistant" and m.tool_calls)
        assert called.tool_calls == [a_call("create_task", **CREATE)]
        assert agent.call.tool_calls == called.tool_calls

    def test_async_players_have_one_loop_for_the_trial(self) -> None:
        loops = set()

        class Slow:
            async def reply(self, messages: list[AnyMessage]) -> str:
                await asyncio.sleep(0)
                loops.add(asyncio.get_running_loop())
                return "Hm"

        assert run(Slow(), ["Hello", "And?", STOP]).steps == 5
        assert len(loops) == 1

    def test_on_a_running_loop(self) -> None:
        class Slow:
            async def reply(self, messages: list[AnyMessage]) -> str:
                await asyncio.sleep(0)
                return "Hm"

        sim = asyncio.run(asimulate(task(), mock(), Slow(), Lines(["Hello", STOP])))
        assert contents(sim) == [GREETING, "Hello", "Hm", STOP]

    def test_factories_get_a_context(self) -> None:
        contexts: list[Any] = []

        def agent(context: AgentContext) -> Callable[[list[AnyMessage]], str]:
            contexts.append(context)
            return lambda messages: f"You said {messages[-1].content}"

        def user(context: Any) -> Lines:
            contexts.append(context)
            return Lines(["Hello", STOP])

        played = task(user_tools=["check_notifications"], ticket="not for a normal trial")
        assert "You said Hello" in contents(simulate(played, mock(), agent, user, trial=3, plan="1. look"))
        mine, theirs = contexts
        assert (mine.task_id, mine.trial, mine.seed, mine.ticket, mine.plan) == ("t", 3, theirs.seed, None, "1. look")
        assert mine.policy == mock().policy
        assert mine.tools[0].name == "create_task"
        assert [tool["function"]["name"] for tool in theirs.tools] == ["check_notifications"]
        assert theirs.scenario == played.user_scenario

    def test_a_factory_must_return_a_player(self) -> None:
        with pytest.raises(TypeError, match=r"the agent factory .* returned None; it must return an object with reply"):
            simulate(task(), mock(), lambda context: None)

    def test_a_reply_of_another_type_is_a_bug(self) -> None:
        with pytest.raises(TypeError, match=r"Lines\.reply\(\) returned UserMessage; return AssistantMessage or str"):
            run([UserMessage(content="Me")], ["Hello"])


class TestFailures:
    @pytest.mark.parametrize("empty", [None, "", "  ", says(None)])
    def test_an_empty_reply_is_asked_for_again(self, empty: Any) -> None:
        assert contents(run([empty, empty, "Yes"], ["Hello", STOP])) == [GREETING, "Hello", "Yes", STOP]

    def test_too_many_empty_replies_are_the_speakers_fault(self) -> None:
        agent, user = Lines([None]), Lines([""])
        sim = run(agent, ["Hello"])
        assert (sim.termination_reason, len(agent.seen)) == (Termination.AGENT_ERROR, ATTEMPTS)
        told = "the agent neither said nor called anything, 3 times in a row"
        assert sim.note == f"{told}: reply() returned None, and may lack a return"
        assert run([""] * ATTEMPTS, ["Hello"]).note == told
        assert run(["Hi"], user).termination_reason == Termination.USER_ERROR

    def test_an_agent_fault_is_a_miss(self) -> None:
        sim = run([AgentFault("no valid call")], ["Hello"])
        assert (sim.termination_reason, sim.note) == (Termination.AGENT_ERROR, "no valid call")

    @pytest.mark.parametrize(
        "error",
        [
            InfraError("down"),
            ConnectionResetError("reset"),
            TimeoutError("slow"),
            type("RateLimitError", (Exception,), {})("busy"),
            type("Mine", (type("APIConnectionError", (Exception,), {}),), {})("a subclass"),
            type("Http", (Exception,), {"status_code": 503})("unavailable"),
            type("Http", (Exception,), {"status": 429})("too many"),
        ],
    )
    def test_a_providers_fault_is_an_infra_error(self, error: Exception) -> None:
        sim = run([error], ["Hello"])
        assert (sim.termination_reason, sim.note) == (
            Termination.INFRASTRUCTURE_ERROR,
            f"{type(error).__name__}: {error}",
        )

    @pytest.mark.parametrize(
        "error",
        [
            ZeroDivisionError("a bug"),
            type("Http", (Exception,), {"status_code": 400})("bad request"),
            type("Http", (Exception,), {"status": "503"})("no number"),
        ],
    )
    def test_a_bug_is_raised(self, error: Exception) -> None:
        with pytest.raises(type(error), match=str(error)):
            run([error], ["Hello"])

    def test_own_classification(self) -> None:
        sim = run([ZeroDivisionError("odd")], ["Hello"], classify=lambda e: isinstance(e, ZeroDivisionError))
        assert sim.termination_reason == Termination.INFRASTRUCTURE_ERROR

    def test_nothing_may_raise_out_of_an_async_player_unseen(self) -> None:
        class Broken:
            async def reply(self, messages: list[AnyMessage]) -> str:
                raise InfraError("down")

        assert run(Broken(), ["Hello"]).termination_reason == Termination.INFRASTRUCTURE_ERROR

    def test_an_agent_that_cancels_itself_has_a_bug_and_nobody_else_is_cancelled(self) -> None:
        class Cancelled:
            async def reply(self, messages: list[AnyMessage]) -> str:
                raise asyncio.CancelledError

        async def beside_another() -> list[Any]:
            agents = (Cancelled(), Lines(["Hi"]))
            trials = (asimulate(task(), mock(), agent, Lines(["Hello", STOP])) for agent in agents)
            return await asyncio.gather(*trials, return_exceptions=True)

        cancelled = "a reply was cancelled, and not for its time limit: a call that it waited for raised CancelledError"
        with pytest.raises(RuntimeError, match=cancelled):
            run(Cancelled(), ["Hello"])
        error, played = asyncio.run(beside_another())
        assert (type(error), str(error)) == (RuntimeError, cancelled)
        assert played.termination_reason == Termination.USER_STOP

    def test_a_trial_that_its_caller_cancels_is_cancelled(self) -> None:
        begun = asyncio.Event()

        class Waits:
            async def reply(self, messages: list[AnyMessage]) -> str:
                begun.set()
                await asyncio.Event().wait()
                return "never"

        async def cancelled() -> None:
            trial = asyncio.create_task(asimulate(task(), mock(), Waits(), Lines(["Hello"])))
            await begun.wait()
            trial.cancel()
            await trial

        with pytest.raises(asyncio.CancelledError):
            asyncio.run(cancelled())

    def test_lone_surrogates_are_stored(self) -> None:
        call = a_call("create_task", **{**CREATE, "title": "\ud83d", "description": "é"})
        sim = run([says("\udc00", call), "Done"], ["Hello", STOP])
        assert Simulation.model_validate_json(sim.model_dump_json()) == sim
        assert '"title": "?"' in (sim.messages[3].content or "")


class TestTime:
    def test_an_async_agent_is_not_waited_for(self) -> None:
        class Stuck:
            async def reply(self, messages: list[AnyMessage]) -> str:
                await asyncio.Event().wait()
                return "never"

        sim = run(Stuck(), ["Hello"], limits=Limits(timeout=0.01))
        assert sim.termination_reason == Termination.TIMEOUT
        assert sim.note == "the agent was still answering after the time limit"

    def test_an_async_agent_has_the_time_that_the_limits_of_the_run_make_it_wait(self) -> None:
        class Patient:
            async def reply(self, messages: list[AnyMessage]) -> str:
                with standing_still():
                    until = monotonic() + 0.2
                    while monotonic() < until:
                        await asyncio.sleep(0)
                return "Done."

        sim = run(Patient(), ["Hello", STOP], limits=Limits(timeout=0.1))
        assert sim.termination_reason == Termination.USER_STOP

    def test_the_clock_is_looked_at_between_steps(self, monkeypatch: pytest.MonkeyPatch) -> None:
        clock = iter(range(0, 10_000, 10))
        monkeypatch.setattr("pytest_tau.clock.monotonic", lambda: float(next(clock)))
        sim = run(["Hm"], ["Hello"], limits=Limits(timeout=200.0))
        assert sim.termination_reason == Termination.TIMEOUT
        assert 1 < sim.steps < 20

    def test_a_stop_is_a_stop_even_when_time_is_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        clock = iter([0.0, 0.0, 0.0])  # the start, the question and the seconds left to answer it
        monkeypatch.setattr("pytest_tau.clock.monotonic", lambda: next(clock, 999.0))
        assert run(["Hm"], [STOP], limits=Limits(timeout=10.0)).termination_reason == Termination.USER_STOP

    def test_waiting_calls_are_run_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        clock = iter([0.0, 0.0, 0.0])
        monkeypatch.setattr("pytest_tau.clock.monotonic", lambda: next(clock, 999.0))
        sim = run(["Hm"], [asks(None, u_call())], limits=Limits(timeout=10.0))
        assert sim.termination_reason == Termination.TIMEOUT
        assert isinstance(sim.messages[-1], ToolMessage)

    def test_no_limit(self) -> None:
        assert run(["Hm"], ["Hello", STOP], limits=Limits(timeout=None)).termination_reason == Termination.USER_STOP


class TestSolo:
    def test_ticket_tools_and_policy(self) -> None:
        contexts: list[AgentContext] = []

        def agent(context: AgentContext) -> Lines:
            contexts.append(context)
            return Lines([says(None, a_call("dismiss_notification", notification_id="notif_1")), "###STOP###"])

        sim = simulate(task(ticket="Dismiss it"), mock(), agent, solo=True)
        (context,) = contexts
        assert context.ticket == "Dismiss it"
        assert context.policy == mock().solo_policy
        names = [tool.name for tool in context.tools]
        assert names[-3:] == ["check_notifications", "dismiss_notification", "done"]
        assert sim.messages[1].content == "Notification notif_1 dismissed"
        assert (sim.termination_reason, sim.solo, sim.user_cost) == (Termination.AGENT_STOP, True, 0)
