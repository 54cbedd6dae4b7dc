"""Which of several agents inside one speaks: names and hand-overs on messages, and what each has spent."""

from typing import Any

from pytest_tau import AgentContext, AssistantMessage, Simulation, simulate
from pytest_tau.conversation.voices import Voices
from pytest_tau.schema.messages import AnyMessage
from tests.builders import asks, core, mock, says
from tests.conversation.test_endpoint import STOP, Endpoint, run
from tests.fake_model import reply

TASK = next(task for task in core("mock") if task.id == "count_my_tasks")


def authors(messages: list[AnyMessage]) -> list[Any]:
    return [(m.author, m.handoffs) for m in messages if isinstance(m, AssistantMessage)]


def test_a_hand_over_stands_on_the_next_message() -> None:
    voices = Voices()
    plain = says("Hi.")
    assert voices.sign(plain) is plain
    voices.speaks_as("triage")
    assert voices.sign(says("One moment.")).author == "triage"
    voices.speaks_as("orders", "where is it", cost=0.5)
    voices.speaks_as("orders")
    voices.speaks_as("refunds")
    signed = voices.sign(says("A refund, then."))
    first = {"from": "triage", "to": "orders", "reason": "where is it", "cost": 0.5}
    assert (signed.author, signed.handoffs) == ("refunds", [first, {"from": "orders", "to": "refunds"}])
    assert voices.sign(says("Done.")).handoffs is None
    assert AssistantMessage.model_validate_json(signed.model_dump_json(exclude_none=True)) == signed


def test_a_message_may_name_its_author_itself() -> None:
    voices = Voices()
    voices.take_up([voices.sign(says("Hi.").model_copy(update={"author": "triage"})), asks("Hello")])
    signed = voices.sign(says("Yes?").model_copy(update={"author": "orders"}))
    assert signed.handoffs == [{"from": "triage", "to": "orders"}]
    other = voices.copy()
    other.speaks_as("triage")
    assert voices.sign(says("No.")).author == "orders"


class Desk:
    """Two in one: triage hands over to the list's keeper."""

    def __init__(self, context: AgentContext) -> None:
        self.context = context
        context.speaks_as("triage")

    def reply(self, messages: list[AnyMessage]) -> str:
        if messages[-1].content and "STOP" not in messages[-1].content and len(messages) > 2:
            return "Anything else?"
        self.context.speaks_as("keeper", "a question about the list")
        {tool.name: tool for tool in self.context.tools}["get_users"]()
        return "You have 2 tasks."


def test_calls_and_words_of_a_trial_bear_their_author_and_one_agent_bears_none() -> None:
    played: Simulation = simulate(TASK, mock(), Desk)
    over = {"from": "triage", "to": "keeper", "reason": "a question about the list"}
    assert authors(played.messages)[:3] == [(None, None), ("keeper", [over]), ("keeper", None)]
    alone = simulate(TASK, mock(), "oracle").model_dump_json(exclude_none=True)
    assert "author" not in alone
    assert "handoffs" not in alone


def test_each_step_bears_what_was_asked_for_it_and_a_hand_over_what_the_first_had_spent() -> None:
    def speak(endpoint: Endpoint, context: AgentContext) -> str:
        context.speaks_as("triage")
        endpoint.unbilled.append(reply("to orders", cost=0.5))
        context.speaks_as("orders")
        endpoint.unbilled.append(reply("look", cost=0.25))
        context.tools[0]()
        endpoint.unbilled.append(reply("answer", cost=0.125))
        return "Well."

    played, _ = run(speak, "Hello", STOP)
    _, call, said = [message for message in played.messages if isinstance(message, AssistantMessage)]
    assert (call.cost, said.cost, played.agent_cost) == (0.75, 0.125, 0.875)
    assert call.handoffs == [{"from": "triage", "to": "orders", "cost": 0.5}]
    assert (call.usage and call.usage.prompt_tokens, said.usage and said.usage.prompt_tokens) == (20, 10)


def test_a_cost_that_the_agent_states_is_that_of_the_whole_turn() -> None:
    def speak(endpoint: Endpoint, context: AgentContext) -> AssistantMessage:
        endpoint.unbilled.append(reply("look", cost=0.25))
        context.tools[0]()
        return says("Well.", cost=7.0)

    assert run(speak, "Hello", STOP)[0].agent_cost == 7.0


def test_a_turn_whose_last_words_took_no_model_costs_what_its_calls_did() -> None:
    def speak(endpoint: Endpoint, context: AgentContext) -> str:
        endpoint.unbilled.append(reply("look", cost=0.25))
        return context.tools[0]()

    assert run(speak, "Hello", STOP)[0].agent_cost == 0.25
