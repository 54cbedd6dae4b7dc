"""What an agent asks through its endpoint: billed to its trial, and able to end it."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from pytest_tau import AgentContext, AgentFault, AssistantMessage, Simulation, simulate
from pytest_tau.clock import Clock
from pytest_tau.conversation.limits import Limits
from pytest_tau.conversation.run import converse
from pytest_tau.conversation.trial import Trial
from pytest_tau.errors import CassetteError, ConversationOver
from pytest_tau.llm.protocol import ModelReply
from pytest_tau.schema.messages import AnyMessage, ToolCall
from pytest_tau.schema.simulation import Termination
from tests.builders import Lines, a_call, agent_context, asks, mock, says, task
from tests.fake_model import reply

STOP = "Thanks ###STOP###"


@dataclass
class Endpoint:
    """An endpoint that has answered what a test says."""

    unbilled: list[ModelReply] = field(default_factory=list)
    failure: Exception | None = None
    unanswered: str = ""
    asked: list[str] = field(default_factory=list)
    looks: int = 0
    called: list[list[ToolCall]] = field(default_factory=list)
    closed: bool = False
    clock: Clock | None = None

    def url(self) -> str:
        self.looks += 1
        return "http://127.0.0.1:1/token/v1"

    def take_answers(self) -> list[ModelReply]:
        spent, self.unbilled = self.unbilled, []
        return spent

    def take_calls(self) -> list[list[ToolCall]]:
        called, self.called = self.called, []
        return called

    def close(self) -> None:
        self.closed = True


Speaks = Callable[[Endpoint, AgentContext], Any]


def trial_of(
    speak: Speaks, *user: Any, limits: Limits | None = None, at_last: Sequence[ModelReply] = ()
) -> tuple[Trial, Endpoint]:
    """A trial of an agent whose replies a function gives, and which is answered ``at_last`` in its close()."""
    endpoint = Endpoint()

    class Agent:
        def __init__(self, context: AgentContext) -> None:
            self.context = context

        def reply(self, messages: list[AnyMessage]) -> Any:
            return speak(endpoint, self.context)

        def close(self) -> None:
            endpoint.unbilled += at_last

    trial = Trial(
        task(),
        mock().environment(),
        Agent,
        lambda _: Lines(user or ["Hello", STOP]),
        trial=1,
        seed=1,
        limits=limits or Limits(),
        endpoint=endpoint,
    )
    return trial, endpoint


def run(speak: Speaks, *user: Any, limits: Limits | None = None) -> tuple[Simulation, Endpoint]:
    """Play such a trial."""
    trial, endpoint = trial_of(speak, *user, limits=limits)
    converse(trial)
    return trial.simulation(), endpoint


def spoken(sim: Simulation) -> list[AssistantMessage]:
    return [message for message in sim.messages if isinstance(message, AssistantMessage)][1:]


def test_a_message_bears_what_was_asked_for_it() -> None:
    def speak(endpoint: Endpoint, context: AgentContext) -> str:
        endpoint.unbilled += [reply("thought", cost=0.25), reply("answer", cost=0.5)]
        return "Well."

    sim, _ = run(speak, "Hello", "And?", asks(STOP))
    assert [message.cost for message in spoken(sim)] == [0.75, 0.75]
    assert [message.generation_time_seconds for message in spoken(sim)] == [1.0, 1.0]
    assert [message.usage and message.usage.prompt_tokens for message in spoken(sim)] == [20, 20]
    assert sim.agent_cost == 1.5


def test_what_an_agent_asks_for_as_it_is_let_go_is_on_its_bill() -> None:
    trial, _ = trial_of(lambda endpoint, context: says("Well.", cost=1.0), at_last=[reply("noted", cost=0.5)])
    assert converse(trial).agent_cost == 1.5
    assert trial.simulation() is trial.simulation()


def test_a_cost_of_its_own_comes_first() -> None:
    def speak(endpoint: Endpoint, context: AgentContext) -> AssistantMessage:
        endpoint.unbilled.append(reply("answer", cost=0.25))
        return says("Well.", cost=7.0)

    assert run(speak)[0].agent_cost == 7.0


def test_an_agent_that_asks_elsewhere_stays_unbilled() -> None:
    sim, endpoint = run(lambda endpoint, context: "Well.")
    assert sim.agent_cost is None
    assert endpoint.looks == 0


def test_what_an_agent_asked_before_it_gave_up_is_billed() -> None:
    def speak(endpoint: Endpoint, context: AgentContext) -> str:
        endpoint.unbilled.append(reply("answer", cost=0.25))
        raise AgentFault("I give up")

    sim, _ = run(speak)
    assert (sim.termination_reason, sim.agent_cost) == (Termination.AGENT_ERROR, 0.25)


def test_what_an_agent_asked_before_it_exited_is_billed() -> None:
    def speak(endpoint: Endpoint, context: AgentContext) -> str:
        endpoint.unbilled.append(reply("answer", cost=0.25))
        raise SystemExit("I am off")

    trial, _ = trial_of(speak)
    with pytest.raises(SystemExit):
        converse(trial)
    trial.end(Termination.TEST_ENDED)
    assert trial.simulation().agent_cost == 0.25


@pytest.mark.parametrize(("said", "cost"), [(None, 0.25), (7.0, 7.0)])
def test_a_message_that_comes_when_the_conversation_is_over_is_paid_for(said: float | None, cost: float) -> None:
    def speak(endpoint: Endpoint, context: AgentContext) -> AssistantMessage:
        endpoint.unbilled.append(reply("calls", cost=0.25))
        with suppress(ConversationOver):
            {tool.name: tool for tool in context.tools}["get_users"]()
        return says("I go on.", cost=said)

    sim, _ = run(speak, limits=Limits(max_steps=2))
    assert (sim.termination_reason, sim.agent_cost) == (Termination.MAX_STEPS, cost)


@pytest.mark.parametrize("swallowed", [True, False])
def test_a_failure_ends_the_trial_whatever_the_agent_made_of_it(swallowed: bool) -> None:
    def speak(endpoint: Endpoint, context: AgentContext) -> str:
        endpoint.failure = CassetteError("that is not the recorded request")
        if swallowed:
            return "Sorry, something went wrong."
        raise AgentFault("HTTP 400")

    with pytest.raises(CassetteError, match="not the recorded request"):
        run(speak)


def test_an_agent_whose_client_tells_a_status_only_has_the_reason_beside_it() -> None:
    def speak(endpoint: Endpoint, context: AgentContext) -> str:
        endpoint.unanswered = "a call failed after 3 attempts: time-out"
        raise ConnectionError("HTTP Error 502: Bad Gateway")

    sim, _ = run(speak)
    assert sim.termination_reason is Termination.INFRASTRUCTURE_ERROR
    assert (
        "HTTP Error 502: Bad Gateway; the endpoint could not answer: a call failed after 3 attempts"
        in sim.model_dump_json()
    )


def test_the_address_is_made_when_somebody_looks() -> None:
    def speak(endpoint: Endpoint, context: AgentContext) -> str:
        assert endpoint.looks == 0
        assert context.endpoint == "http://127.0.0.1:1/token/v1"
        return "Well."

    assert run(speak, "Hello", STOP)[1].looks == 1
    assert agent_context().endpoint is None


def test_calls_of_one_message_run_in_its_order_though_threads_make_them_in_another() -> None:
    titles = ["tea", "milk", "salt", "rice", "oats"]
    calls = [
        ToolCall(id=title, name="create_task", arguments={"user_id": "user_1", "title": title}) for title in titles
    ]

    def speak(endpoint: Endpoint, context: AgentContext) -> str:
        if endpoint.looks:
            return "All done."
        context.endpoint  # noqa: B018 (asked as an agent would)
        endpoint.called.append(calls)
        tool = {tool.name: tool for tool in context.tools}["create_task"]
        threads = [threading.Thread(target=tool, kwargs=dict(call.arguments)) for call in reversed(calls)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return "Done."

    sim, _ = run(speak, "Hello", STOP)
    made = [call.arguments["title"] for message in spoken(sim) for call in message.tool_calls or []]
    assert made == titles


def calls_of(*names: str) -> list[ToolCall]:
    return [ToolCall(id=f"m{n}", name=name, arguments={}) for n, name in enumerate(names)]


def test_calls_of_one_message_are_one_message_and_as_many_steps() -> None:
    def speak(endpoint: Endpoint, context: AgentContext) -> str:
        call = {tool.name: tool for tool in context.tools}["get_users"]
        for names in (["get_users"] * 3, ["get_users"]):
            endpoint.called.append(calls_of(*names))
            endpoint.unbilled.append(reply("calls", cost=0.25))
            for _ in names:
                call()
        return "Well."

    sim, _ = run(speak)
    left_to_us = [says(None, *[a_call("get_users", id=f"c{n}{at}") for at in range(n)]) for n in (3, 1)]
    ours = simulate(task(), mock(), Lines([*left_to_us, "Well."]), Lines(["Hello", STOP]))
    assert (
        [len(m.tool_calls or []) for m in spoken(sim)] == [len(m.tool_calls or []) for m in spoken(ours)] == [3, 1, 0]
    )
    assert [message.role for message in sim.messages] == [message.role for message in ours.messages]
    assert sim.steps == ours.steps == 7
    assert [message.cost for message in spoken(sim)] == [0.25, 0.25, 0.0]
    assert len({call.id for message in spoken(sim) for call in message.tool_calls or []}) == 4


def test_calls_of_one_message_by_two_specialists_stay_apart() -> None:
    def speak(endpoint: Endpoint, context: AgentContext) -> str:
        call = {tool.name: tool for tool in context.tools}["get_users"]
        endpoint.called.append(calls_of("get_users", "get_users"))
        for name in ("orders", "refunds"):
            context.speaks_as(name)
            call()
        return "Well."

    assert [message.author for message in spoken(run(speak)[0])] == ["orders", "refunds", "refunds"]


def test_no_model_is_asked_once_a_limit_has_ended_the_conversation_inside_a_tool_loop() -> None:
    def speak(endpoint: Endpoint, context: AgentContext) -> str:
        call = {tool.name: tool for tool in context.tools}["get_users"]
        for closed in (False, True):
            with suppress(ConversationOver):
                call()
            assert endpoint.closed is closed
        return "I go on."

    sim, endpoint = run(speak, limits=Limits(max_steps=3))
    assert (sim.termination_reason, endpoint.closed) == (Termination.MAX_STEPS, True)
