"""A task out of a conversation: its customer, its world, its gold path; the oracle passes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_tau import Domain, grade, simulate
from pytest_tau.errors import RecordingError
from pytest_tau.recordings.logged import LoggedConversation
from pytest_tau.recordings.reproducing import reproduce
from pytest_tau.schema.scenario import Instructions
from pytest_tau.schema.task import Task
from tau_workshop.import_.expect import read_expectation
from tau_workshop.import_.making import Wanted, make_task
from tests.workshop.import_.logs import cancelling, kinds, read_one, shop

OPENING = "Hello there, I want to get rid of a rug that I ordered by mistake."


@pytest.fixture
def domain(tmp_path: Path) -> Domain:
    return shop(tmp_path)


@pytest.fixture
def conversation(tmp_path: Path) -> LoggedConversation:
    return read_one(tmp_path / "log.jsonl", cancelling("O7", opening=OPENING))


def made(conversation: LoggedConversation, domain: Domain, *expect: str, **wanted: object) -> Task:
    lines = [read_expectation(line) for line in expect]
    found = reproduce(conversation.messages, domain)
    return make_task(conversation, domain, found, Wanted(lines, **wanted))  # type: ignore[arg-type]


def test_a_conversation_that_ended_well(domain: Domain, conversation: LoggedConversation) -> None:
    task = made(conversation, domain)
    criteria = task.evaluation_criteria
    assert criteria is not None
    assert [str(action) for action in criteria.actions or []] == [
        'get_order(order_id="O7")',
        'cancel_order(order_id="O7")',
    ]
    assert (criteria.communicate_info, criteria.reward_basis) == (["99.5"], ["DB", "COMMUNICATE"])
    told = task.user_scenario.instructions
    assert isinstance(told, Instructions)
    assert told.reason_for_call == OPENING
    assert told.known_info == "It is order O7, my mail is zoe@example.com."
    state = task.initial_state
    assert state is not None
    assert state.initialization_data is not None
    assert state.initialization_data.agent_data is not None
    assert state.initialization_data.agent_data["orders"]["O7"]["status"] == "pending"
    assert grade(task, simulate(task, domain), domain).passed
    assert not grade(task, simulate(task, domain, agent="noop"), domain).passed


def test_one_that_went_wrong_with_what_should_have_been(domain: Domain, conversation: LoggedConversation) -> None:
    task = made(conversation, domain, "not cancel_order", "tells within 14 days")
    criteria = task.evaluation_criteria
    assert criteria is not None
    assert criteria.reward_basis == ["DB", "COMMUNICATE", "TRAJECTORY"]
    assert criteria.actions == []
    assert "within 14 days" in (criteria.communicate_info or [])
    assert grade(task, simulate(task, domain), domain).passed


def test_a_draft_is_ungraded(domain: Domain, conversation: LoggedConversation) -> None:
    task = made(conversation, domain, draft=True)
    assert task.tags == ["imported", "draft"]
    assert grade(task, simulate(task, domain), domain).ungraded


class TestFromATurn:
    def test_the_world_and_the_words_up_to_there(self, domain: Domain, conversation: LoggedConversation) -> None:
        assert kinds(conversation) == list("uaucraucrau")
        task = made(conversation, domain, turn=7)
        assert [message.role for message in task.history] == ["user", "assistant", "user", "assistant", "tool",
                                                              "assistant", "user"]  # fmt: skip
        assert [action.name for action in task.gold_actions] == ["cancel_order"]
        sim = simulate(task, domain)
        assert grade(task, sim, domain).passed
        assert len(sim.messages) > 7

    def test_after_the_change(self, domain: Domain, conversation: LoggedConversation) -> None:
        task = made(conversation, domain, turn=9)
        assert task.gold_actions == []
        assert grade(task, simulate(task, domain), domain).passed

    @pytest.mark.parametrize(
        ("turn", "sentence"),
        [(4, "is a tool's result: begin where somebody speaks, such as 3"), (99, "it has 1 to 10"), (0, "1 to 10")],
    )
    def test_where_nobody_speaks(
        self, domain: Domain, conversation: LoggedConversation, turn: int, sentence: str
    ) -> None:
        with pytest.raises(RecordingError, match=sentence):
            made(conversation, domain, turn=turn)

    @pytest.mark.parametrize("order", ["O7", "O1"])
    def test_a_call_that_its_author_wants_is_to_be_made_after_it(
        self, domain: Domain, conversation: LoggedConversation, order: str
    ) -> None:
        task = made(conversation, domain, f'cancel_order(order_id="{order}")', turn=9)
        assert [str(action) for action in task.gold_actions] == [f'cancel_order(order_id="{order}")']
