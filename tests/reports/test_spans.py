"""Trials as spans: what is nested in what, by which names of the conventions, and in which order of times."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from pytest_tau import Simulation, grade, load_tasks, simulate
from pytest_tau.reports.spans import Span, trial_span
from pytest_tau.schema.messages import AssistantMessage, ToolCall, UserMessage
from pytest_tau.schema.record import Outcome, TrialRecord, Variant
from pytest_tau.schema.spending import Usage
from tests.builders import mock

USAGE = Usage(prompt_tokens=10, completion_tokens=2)


class Agent:
    parameters = {"model": "openai/gpt-x", "temperature": 0.5}  # noqa: RUF012

    def __init__(self, context: object) -> None:
        self.asked = 0

    def reply(self, messages: object) -> AssistantMessage:
        self.asked += 1
        calls = [ToolCall(id=f"c{n}", name=name, arguments={}) for n, name in enumerate(["get_users", "no_such_tool"])]
        if self.asked == 1:
            return AssistantMessage(tool_calls=calls, usage=USAGE, cost=0.25, generation_time_seconds=0.000001)
        return AssistantMessage(content="There are three.", usage=USAGE, cost=0.25)


def record() -> TrialRecord:
    task = next(task for task in load_tasks("mock") if task.id == "count_my_tasks")
    simulation: Simulation = simulate(task, mock(), Agent)
    reward = grade(task, simulation, mock())
    return TrialRecord(
        nodeid="x",
        domain="mock",
        task_id=task.id,
        trial=1,
        outcome=Outcome.MISSED,
        reward=reward,
        simulation=simulation,
    )


def walk(span: Span) -> Iterator[Span]:
    yield span
    for child in span.children:
        yield from walk(child)


def test_a_trial_has_its_turns_calls_and_grade_in_it() -> None:
    made = trial_span(record())
    assert made is not None
    assert made.name == "tau trial mock/count_my_tasks"
    first = [child for child in made.children if child.name.startswith("invoke_agent")][1]  # after the greeting
    assert [child.name for child in first.children] == [
        "chat gpt-x",
        "execute_tool get_users",
        "execute_tool no_such_tool",
        "chat gpt-x",
    ]
    assert first.attributes["gen_ai.usage.input_tokens"] == 20
    chat, read, odd, _ = first.children
    assert (chat.attributes["gen_ai.provider.name"], chat.attributes["gen_ai.request.temperature"]) == ("openai", 0.5)
    assert (chat.is_call, read.is_call, made.is_call) == (True, True, False)
    assert read.attributes["gen_ai.tool.name"] == "get_users"
    assert read.error is None
    assert odd.error is not None
    assert made.children[-1].name == "tau grade"
    assert {name for name, _ in made.children[-1].events} == {"gen_ai.evaluation.result"}
    assert made.attributes["tau.outcome"] == "missed"


def test_a_trial_says_which_agent_played_it_and_in_which_variant() -> None:
    as_it_is = trial_span(record())
    told = trial_span(record().model_copy(update={"label": "mine", "variant": Variant(label="typos", told="typos")}))
    assert as_it_is is not None
    assert told is not None
    assert (told.attributes["tau.label"], told.attributes["tau.variant"]) == ("mine", "typos")
    assert "tau.variant" not in as_it_is.attributes


def test_children_lie_within_their_parents_and_follow_each_other() -> None:
    made = trial_span(record())
    assert made is not None
    for span in walk(made):
        assert span.start <= span.end
        now = span.start
        for child in span.children:
            assert now <= child.start
            assert child.end <= span.end
            now = child.end


def test_what_was_said_is_left_out_unless_it_is_asked_for() -> None:
    silent, told = trial_span(record()), trial_span(record(), content=True)
    assert silent is not None
    assert told is not None
    assert "There are three." not in str([span.attributes for span in walk(silent)])
    texts = str([span.attributes for span in walk(told)])
    assert "There are three." in texts
    assert "gen_ai.tool.call.result" in texts
    last = [span for span in walk(told) if span.name == "chat gpt-x"][-1]
    read = json.loads(last.attributes["gen_ai.input.messages"])
    assert [one["role"] for one in read][:5] == ["assistant", "user", "assistant", "tool", "tool"]
    assert read[2]["parts"][0] == {"type": "tool_call", "id": "c0", "name": "get_users", "arguments": {}}


def test_a_trial_that_was_not_played_has_none_and_one_that_broke_says_so() -> None:
    played = record()
    assert trial_span(played.model_copy(update={"simulation": None})) is None
    broken = trial_span(played.model_copy(update={"outcome": Outcome.INFRA_ERROR, "note": "503"}))
    assert broken is not None
    assert broken.error == "503"
    missed = trial_span(played)
    assert missed is not None
    assert missed.error == "missed"
    passed = trial_span(played.model_copy(update={"outcome": Outcome.PASSED}))
    assert passed is not None
    assert passed.error is None


def test_each_author_has_a_turn_and_a_hand_over_is_an_event() -> None:
    class Team(Agent):
        def reply(self, messages: object) -> AssistantMessage:
            said = super().reply(messages)
            return said.model_copy(update={"author": "triage" if said.tool_calls else "keeper"})

    played = record()
    simulation = simulate(load_tasks("mock")[2], mock(), Team)
    made = trial_span(played.model_copy(update={"simulation": simulation}))
    assert made is not None
    triage, keeper = [child for child in made.children if child.name.startswith("invoke_agent")][1:3]
    assert (triage.name, keeper.attributes["gen_ai.agent.name"]) == ("invoke_agent triage", "keeper")
    assert keeper.events == (("tau.handoff", {"tau.handoff.from": "triage", "tau.handoff.to": "keeper"}),)


def test_the_time_in_which_an_agent_is_made_is_nobodys_turn() -> None:
    played = record()
    assert played.simulation is not None
    first = next(m for m in played.simulation.messages if isinstance(m, UserMessage))
    later = datetime.fromisoformat(str(first.timestamp)) + timedelta(seconds=60)
    late = first.model_copy(update={"timestamp": later.isoformat(), "generation_time_seconds": 1.0})
    messages = [late if message is first else message for message in played.simulation.messages]
    made = trial_span(
        played.model_copy(update={"simulation": played.simulation.model_copy(update={"messages": messages})})
    )
    assert made is not None
    customer = next(child for child in made.children if child.name == "tau customer")
    assert customer.end - customer.start == 1_000_000_000


@pytest.mark.parametrize("time", ["1900-01-01T00:00:00", "2999-01-01T00:00:00", "some day"])
def test_a_time_that_no_span_can_have_is_none(time: str) -> None:
    played = record()
    assert played.simulation is not None
    recorded = played.simulation.model_copy(update={"start_time": time, "end_time": time})
    made = trial_span(played.model_copy(update={"simulation": recorded}))
    assert made is not None
    assert all(0 <= span.start <= span.end < 2**64 for span in walk(made))


def test_a_trial_whose_start_is_no_time_begins_with_its_first_message() -> None:
    played = record()
    assert played.simulation is not None
    recorded = played.simulation.model_copy(update={"start_time": "some day"})
    made, known = trial_span(played.model_copy(update={"simulation": recorded})), trial_span(played)
    assert made is not None
    assert known is not None
    assert known.start <= made.start <= known.end


@pytest.mark.parametrize(
    ("seed", "sent"),
    [(2**63 - 1, 2**63 - 1), (-(2**63), -(2**63)), (2**63, "9223372036854775808"), (-(2**70), str(-(2**70)))],
)
def test_a_number_that_otlp_cannot_hold_is_sent_as_text(seed: int, sent: int | str) -> None:
    played = record()
    assert played.simulation is not None
    made = trial_span(played.model_copy(update={"simulation": played.simulation.model_copy(update={"seed": seed})}))
    assert made is not None
    assert made.attributes["tau.seed"] == sent
