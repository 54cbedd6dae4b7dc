"""The tool-calling agent: what it is told, what it sees, and what becomes of the model's replies."""

from typing import Any

import pytest

from pytest_tau import AgentContext, load_tasks, simulate
from pytest_tau.agents.llm import llm_agent
from pytest_tau.agents.prompts import PROMPT_VERSION, TICKET_CUE
from pytest_tau.conversation.replies import ATTEMPTS
from pytest_tau.conversation.turns import DONE_TOOL
from pytest_tau.schema.messages import AnyMessage, AssistantMessage
from pytest_tau.schema.simulation import Termination
from tests.agents.contexts import context_with
from tests.builders import CREATE, Lines, a_call, agent_context, asks, mock, result_of, says, task
from tests.fake_model import FakeModel, ask, reply

HISTORY: list[AnyMessage] = [says("Hi!"), asks("Help")]


def prompt(context: AgentContext) -> str:
    model = FakeModel("Yes")
    ask(llm_agent(model)(context), HISTORY)
    return str(model.chats[0][0]["content"])


class TestCalls:
    def test_what_the_model_is_asked(self) -> None:
        model = FakeModel("Yes")
        context = context_with("get_users", seed=9)
        ask(llm_agent(model)(context), HISTORY)
        ((chat, options),) = model.asked
        assert [entry["role"] for entry in chat] == ["system", "assistant", "user"]
        assert options == {
            "tools": [context.tools[0].schema],
            "tool_choice": None,
            "seed": 9,
            "response_format": None,
        }

    def test_a_message_with_its_price(self) -> None:
        message = ask(llm_agent(FakeModel("Yes"))(agent_context()), HISTORY)
        assert (message.content, message.tool_calls, message.cost) == ("Yes", None, 0.25)

    def test_all_calls_of_a_reply_are_kept(self) -> None:
        calls = [a_call(id="c1"), a_call(id="c2", limit=1)]
        message = ask(llm_agent(FakeModel(reply("Wait", *calls)))(agent_context()), HISTORY)
        assert (message.content, message.tool_calls) == ("Wait", calls)

    def test_its_parameters_are_recorded(self) -> None:
        sim = simulate(task(), mock(), llm_agent(FakeModel("Yes")), Lines(["Hello", "###STOP###"]))
        assert sim.agent_parameters == {"model": "fake/model", "temperature": 0.0, "prompts": PROMPT_VERSION}

    def test_trials_share_nothing(self) -> None:
        factory = llm_agent(FakeModel("Yes"))
        one, two = factory(agent_context(seed=1)), factory(agent_context(seed=2))
        assert ask(one, HISTORY).cost == ask(two, HISTORY).cost == 0.25


class TestSolo:
    def test_a_call_is_required(self) -> None:
        model = FakeModel(a_call())
        ask(llm_agent(model)(context_with(DONE_TOOL, ticket="Fix it")))
        ((chat, options),) = model.asked
        assert options["tool_choice"] == "required"
        assert chat[1:] == [{"role": "user", "content": TICKET_CUE}]

    def test_its_own_calls_are_the_history(self) -> None:
        model = FakeModel(a_call())
        call = a_call()
        ask(llm_agent(model)(context_with(DONE_TOOL)), [says(None, call), result_of(call)])
        assert [entry["role"] for entry in model.chats[0]] == ["system", "assistant", "tool"]

    def test_a_text_is_asked_for_again(self) -> None:
        played = load_tasks("mock")[0]
        model = FakeModel("I would like to know more.", a_call("get_users"), a_call(DONE_TOOL))
        sim = simulate(played, mock(), llm_agent(model), solo=True)
        assert (sim.termination_reason, sim.agent_cost) == (Termination.AGENT_STOP, 0.75)
        assert model.seeds[1] != model.seeds[0]


class TestProblems:
    def run(self, *told: Any) -> Any:
        return simulate(task(), mock(), llm_agent(FakeModel(*told)), Lines(["Hello", asks("###STOP###")]))

    def test_the_driver_asks_again_and_the_price_is_kept(self) -> None:
        broken = reply(None, problem="arguments that are not JSON")
        sim = self.run(broken, broken, "Yes")
        said = [m for m in sim.messages if isinstance(m, AssistantMessage)][1]
        assert (said.content, said.cost, sim.agent_cost) == ("Yes", 0.75, 0.75)
        assert said.usage is not None
        assert (said.usage.prompt_tokens, said.usage.completion_tokens) == (30, 15)

    def test_when_it_never_becomes_a_message(self) -> None:
        sim = self.run(reply(None, problem="empty"))
        assert (sim.termination_reason, sim.agent_cost) == (Termination.AGENT_ERROR, ATTEMPTS * 0.25)

    def test_an_unknown_price_among_them(self) -> None:
        assert self.run(reply(None, problem="empty", cost=None), "Yes").agent_cost is None

    @pytest.mark.parametrize("error", [ConnectionError("gone"), TimeoutError()])
    def test_the_providers_fault(self, error: Exception) -> None:
        assert self.run(error).termination_reason is Termination.INFRASTRUCTURE_ERROR


def test_calls_of_one_reply_run_in_the_environment() -> None:
    calls = [a_call("get_users", "c1"), a_call("create_task", "c2", **CREATE)]
    sim = simulate(task(), mock(), llm_agent(FakeModel(reply(None, *calls), "Done")), Lines(["Do", "###STOP###"]))
    assert [m.role for m in sim.messages] == ["assistant", "user", "assistant", "tool", "tool", "assistant", "user"]
