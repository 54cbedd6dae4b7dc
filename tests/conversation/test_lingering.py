"""An agent that begins with what it cannot know in this trial."""

from typing import Any

import pytest

from pytest_tau import AgentContext, Simulation, load_domain, simulate
from pytest_tau.conversation import lingering
from pytest_tau.conversation.lingering import foreign_ids
from pytest_tau.reports.incidents import incidents_told
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, core, result_of, says

IDS = {"#W1234567", "ada_king_1000"}
ORDER = a_call("get_order_details", order_id="#W1234567")


@pytest.mark.parametrize(
    ("messages", "told", "foreign"),
    [
        ([asks("Hello"), says("About #W1234567: it has left.")], "", ["#W1234567"]),
        ([asks("Hello"), says(None, ORDER), result_of(ORDER, "#W1234567 is ada_king_1000's")], "", ["#W1234567"]),
        ([asks("Hello"), says(None, a_call()), result_of(a_call(), "#W1234567"), says("#W1234567?")], "", []),
        ([asks("My order W1234567"), says(None, ORDER)], "", []),
        ([asks("Hello"), says("About #W1234567")], "Policy: an id looks like #W1234567.", []),
        ([asks("Hello"), says("About #W7654321")], "", []),
        ([asks("Hello"), says("Yes?"), asks("Well"), says(None, ORDER)], "", []),
        ([], "", []),
    ],
)
def test_ids_of_the_first_turn_that_come_from_nowhere(
    messages: list[AnyMessage], told: str, foreign: list[str]
) -> None:
    assert foreign_ids(messages, told, IDS) == foreign


def test_each_message_of_a_long_turn_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def plain(text: str) -> str:
        read.append(text)
        return text

    monkeypatch.setattr(lingering, "_plain", plain)
    turn = [part for _ in range(50) for part in (says(None, ORDER), result_of(ORDER, "It has left."))]
    foreign_ids([asks("Hello"), *turn], "A policy.", IDS)
    assert len(" ".join(read)) < 2 * len(" ".join(message.content or "#W1234567" for message in turn))


KEPT: list[AnyMessage] = []


class Keeps:
    """An agent whose server does not see that a new trial has begun."""

    def __init__(self, context: AgentContext) -> None:
        self.session = context.session_id

    def reply(self, messages: list[AnyMessage]) -> str:
        before = " ".join(message.content or "" for message in KEPT)
        KEPT.extend(messages)
        return f"Is this still about {before}?" if before else "I see."


def test_a_session_that_outlives_its_trial_is_noticed() -> None:
    retail = load_domain("retail")
    one, other = [task for task in core("retail") if "#W" in task.user_scenario.render()][:2]
    KEPT.clear()
    first: Simulation = simulate(one, retail, Keeps)
    assert first.incidents == {}
    second: Any = simulate(other, retail, Keeps)
    assert second.incidents == {"agent: id that nobody had told": 1}
    (line,) = incidents_told(second.incidents)
    assert line.startswith("Of another trial: the agent began with 1 id of records that nobody had told it.")
    for alone in ("oracle", "noop"):
        assert simulate(other, retail, alone).incidents == {}
