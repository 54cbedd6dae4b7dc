"""The oracle, which is the ceiling: it asks, proposes, waits for a yes, acts and tells."""

from typing import Any

import pytest

from pytest_tau import AssistantMessage, Task, UserMessage, grade, load_tasks, simulate
from pytest_tau.agents.oracle import TRANSFER_SENTENCE, Oracle, what_to_tell
from pytest_tau.schema.simulation import Termination
from pytest_tau.users.scripted import CONFIRM_CUE
from tests.builders import CREATE, action, agent_context, mock, task


def contents(played: Task, **options: Any) -> list[str]:
    sim = simulate(played, mock(), **options)
    return [m.content or "" for m in sim.messages if isinstance(m, AssistantMessage)]


def test_it_asks_proposes_waits_and_acts() -> None:
    said = contents(next(t for t in load_tasks("mock") if t.id == "add_a_task"))
    assert "What details can you give me" in said[1]
    assert said[2] == ""  # the look-up
    assert said[3].endswith(CONFIRM_CUE)
    assert 'create_task(user_id="user_1"' in said[3]
    assert said[4:6] == ["", "Everything is taken care of. Thank you for your patience."]


def test_it_asks_the_customer_for_their_part() -> None:
    gold = action("dismiss_notification", requestor="user", notification_id="notif_1")
    sim = simulate(task(criteria={"actions": [gold]}), mock())
    calls = [m.tool_calls[0] for m in sim.messages if isinstance(m, UserMessage) and m.tool_calls]
    assert [(call.name, call.arguments, call.requestor) for call in calls] == [
        ("dismiss_notification", {"notification_id": "notif_1"}, "user")
    ]
    assert grade(task(criteria={"actions": [gold]}), sim, mock()).passed


def test_a_gold_action_that_fails_loses_the_trial() -> None:
    gold = action("update_task_status", task_id="task_404", status="completed")
    broken = task(criteria={"actions": [gold]})
    sim = simulate(broken, mock())
    assert sim.termination_reason is Termination.AGENT_ERROR
    assert 'update_task_status(task_id="task_404", status="completed") failed: Error: ' in (sim.note or "")
    assert not grade(broken, sim, mock()).passed


def test_it_explains_before_it_transfers() -> None:
    transfer = action("transfer_to_human_agents", summary="s")
    reason = {"check": "reason", "any_of": [["not", "allowed"], "never"]}
    played = task(criteria={"actions": [transfer], "trajectory": [reason], "communicate_info": ["42"]})
    said = contents(played)
    assert "never; 42" in said[1]
    assert said[-1] == TRANSFER_SENTENCE
    assert simulate(played, mock()).messages[-1].content == "All right, I will hold. ###TRANSFER###"


def test_it_tells_reasons_and_facts() -> None:
    played = task(
        criteria={
            "trajectory": [{"check": "reason", "any_of": ["one", "two"]}, {"check": "called", "name": "get_users"}],
            "communicate_info": ["7"],
        }
    )
    assert what_to_tell(played) == ["one", "7"]
    assert what_to_tell(task()) == []
    assert any("one; 7" in text for text in contents(played))


def test_it_gives_a_reason_in_the_first_phrasing_that_says_why() -> None:
    reason = {"check": "reason", "any_of": [["insolvency", "not"], ["insolvency", "not an insured reason"]]}
    assert what_to_tell(task(criteria={"trajectory": [reason]})) == ["insolvency, not an insured reason"]


def test_writes_in_a_row_are_agreed_on_together() -> None:
    done = action("update_task_status", task_id="task_1", status="completed")
    played = task(criteria={"actions": [action("create_task", **CREATE), done, action("get_users"), done]})
    assert sum(CONFIRM_CUE in text for text in contents(played)) == 2


@pytest.mark.parametrize("played", [t for t in load_tasks("mock") if t.ticket], ids=lambda t: t.id)
def test_solo(played: Task) -> None:
    sim = simulate(played, mock(), solo=True)
    assert sim.termination_reason == Termination.AGENT_STOP
    assert not any(isinstance(m, UserMessage) for m in sim.messages)
    assert grade(played, sim, mock()).passed


def test_after_its_last_move_it_closes() -> None:
    oracle = Oracle(task(), agent_context())
    closing = "Everything is taken care of. Thank you for your patience."
    assert [oracle.reply([]).content for _ in range(2)] == [closing] * 2
    assert Oracle(task(), agent_context(ticket="x")).reply([]).tool_calls is not None
