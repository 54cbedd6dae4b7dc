"""Steps at which a worse turn is known: it is played, and is worse."""

from collections import Counter
from typing import Any

import pytest

from pytest_tau import grade
from pytest_tau.conversation.run import converse
from pytest_tau.conversation.view import AgentView, as_meant
from pytest_tau.diagnosis.blame import Prefixes
from pytest_tau.reports.telling import Teller
from pytest_tau.schema.messages import AssistantMessage
from pytest_tau.schema.reward import Reward
from pytest_tau.users.scripted import Scripted
from tau_workshop.dataset.formats import DatasetRows
from tau_workshop.dataset.labels import Labelled
from tau_workshop.dataset.making import Made, conversations, prepare
from tau_workshop.dataset.steps import CLOSING, TurnPair, steps
from tests.builders import Lines

N = 24


@pytest.fixture(scope="module")
def made() -> Made:
    return prepare("retail", N, 4)


@pytest.fixture(scope="module")
def played(made: Made) -> list[Labelled]:
    return list(conversations(made, N, 4))


def after(one: Labelled, step: TurnPair, made: Made) -> Reward:
    """The grade when the worse turn is taken and nothing is done after it."""
    prefixes = Prefixes(one.task, one.simulation, made.domain)
    before = prefixes.at(prefixes.turns.index(step.turn))
    trial = before.fork(agent=lambda context: Lines([step.worse, CLOSING, CLOSING, CLOSING]), user=Scripted)
    converse(trial)
    return grade(one.task, trial.simulation(), made.domain, strict=False)


def calls_of(message: AssistantMessage) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, call.arguments) for call in message.tool_calls or []]


def test_the_worse_turn_is_worse(made: Made, played: list[Labelled]) -> None:
    found: Counter[str] = Counter()
    for one in played:
        for step in steps(one, made.domain):
            found[step.why] += 1
            assert step.better != step.worse
            if step.why == "lost":
                assert one.no_return is not None
                assert step.turn == one.no_return.turn
            elif step.why == "broken":
                assert step.turn in {violation.turn for violation in one.reward.violations}
            else:
                assert one.passed
                done = one.simulation.messages[step.turn]
                assert isinstance(done, AssistantMessage)
                assert (step.better.content, calls_of(step.better)) == (done.content, calls_of(done))
            if step.why == "unasked":
                broken = after(one, step, made).violations
                assert ("consent", step.turn) in {(violation.dimension, violation.turn) for violation in broken}
            elif step.why == "too_soon":
                assert after(one, step, made).value == 0.0
    assert set(found) >= {"lost", "unasked", "too_soon"}
    assert found["too_soon"] >= N / 4


def test_a_row_branches_at_its_turn(made: Made, played: list[Labelled]) -> None:
    rows = DatasetRows(Teller({"retail": made.domain}, {}))
    for one in played:
        labels = next(row for _, row in rows.of(one, ["labels"]))
        entries = {turn["turn"]: turn["entry"] for turn in labels["turns"]}
        pairs = [row for _, row in rows.of(one, ["steps"])]
        assert len({row["id"] for row in pairs}) == len(pairs)
        for row in pairs:
            assert len(row["prompt"]) == entries[row["turn"]]
            assert [row[side][0]["role"] for side in ("chosen", "rejected")] == ["assistant", "assistant"]
            assert row["chosen"] != row["rejected"]


def test_every_kind_of_augmentation_is_there(played: list[Labelled], made: Made) -> None:
    views = [one for one in played if one.view is not None]
    failing = [one for one in played if one.faults]
    worded = [one for one in played if "~" in one.task.id]
    assert views
    assert failing
    assert worded
    assert all(one.passed and one.player == "oracle" for one in failing)
    assert any(message.role == "tool" and message.fault for one in failing for message in one.simulation.messages)
    rows = DatasetRows(Teller({"retail": made.domain}, {}))
    for one in (*views, *failing):
        told = dict(rows.of(one, ["prompts", "labels", "rewards"]))
        way = {"perturb": one.perturbation if one.view else "", "faults": one.faults}
        assert {key: told["prompts"][key] for key in way} == way
        assert told["labels"]["perturbation"] == one.perturbation


class Renamed(AgentView):
    def text(self, text: str) -> str:
        return text.upper()

    def name(self, true_name: str) -> str:
        return f"x_{true_name}"

    def true_name(self, name: str) -> str:
        return name.removeprefix("x_")

    def result(self, content: str) -> str:
        return f"result: {content}"


def test_a_conversation_is_told_as_its_agent_saw_it(made: Made, played: list[Labelled]) -> None:
    one, view = next(one for one in played if one.passed and not one.faults), Renamed()
    told = Teller({"retail": made.domain}, {}).tell(one.simulation, view)
    plain = Teller({"retail": made.domain}, {}).tell(one.simulation)
    assert told.messages[0]["content"] == plain.messages[0]["content"].upper()
    for seen, true in zip(told.messages[1:], plain.messages[1:], strict=True):
        if true["role"] == "tool":
            assert seen["content"] in (f"result: {true['content']}", true["content"])
        names = [[call["function"]["name"] for call in entry.get("tool_calls", [])] for entry in (seen, true)]
        assert names[0] == [f"x_{name}" for name in names[1]]
    turn, move = next((t, m) for t, m in enumerate(one.simulation.messages) if m.role == "assistant" and m.tool_calls)
    assert isinstance(move, AssistantMessage)
    assert told.entry(move, turn) == told.messages[told.turns.index(turn)]
    assert as_meant(move, view) == move
