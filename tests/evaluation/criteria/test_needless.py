"""Changes that the end state does not need, on conversations about a customer's addresses."""

from collections.abc import Sequence
from typing import Any

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.criteria.needless import needless_writes
from pytest_tau.schema.calls import render_call
from pytest_tau.schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage, UserMessage
from tests.builders import whole
from tests.evaluation.written import Written, read, retail_check

RETAIL = load_domain("retail")
TASK = next(task for task in whole("retail") if not task.history and task.initial_state is None)
TOOL = "modify_pending_order_address"
OLD, NEW = "216 Prospect Place", "47 Vineyard Avenue"


def pending() -> tuple[str, str]:
    """Two pending orders of one customer."""
    owners: dict[str, str] = {}
    for order in RETAIL.environment().tools.db.orders.scan():
        if order["status"] == "pending":
            if (owner := order["user_id"]) in owners:
                return owners[owner], order["order_id"]
            owners[owner] = order["order_id"]
    raise AssertionError("nobody has two pending orders")


FIRST, SECOND = pending()


def moves(order: str, street: str) -> dict[str, Any]:
    place = {"address1": street, "address2": "", "city": "Reno", "state": "NV", "country": "USA", "zip": "89501"}
    return {"order_id": order, **place}


def conversation(*calls: dict[str, Any], proposed: Sequence[dict[str, Any]]) -> list[AnyMessage]:
    """The agent proposes, the customer says yes, and the agent makes the calls."""
    env = RETAIL.environment(TASK)
    asked = "; ".join(render_call(TOOL, arguments) for arguments in proposed)
    messages: list[AnyMessage] = [
        AssistantMessage(content=f"I will make these changes: {asked}. Shall I go ahead? (yes/no)"),
        UserMessage(content="Yes, please go ahead."),
    ]
    for number, arguments in enumerate(calls):
        call = ToolCall(id=str(number), name=TOOL, arguments=arguments)
        result = env.call(call.name, arguments)
        assert not result.error, result.content
        messages += [AssistantMessage(tool_calls=[call]), ToolMessage(id=call.id, content=result.content)]
    return messages


def found(messages: Sequence[AnyMessage]) -> list[tuple[int, ...]]:
    return [one.turns for one in needless_writes(TASK, messages, RETAIL.environment(TASK))]


@pytest.mark.parametrize("written", read("needless"), ids=lambda written: written.name)
def test_conversations(written: Written) -> None:
    check = retail_check(written, "no_needless_writes")
    assert check.met is (written.verdict == "met"), check.explanation
    assert (check.turn is None) is check.met


def test_a_change_that_is_overwritten_at_once_is_needless() -> None:
    right = moves(FIRST, NEW)
    assert found(conversation(moves(FIRST, OLD), right, proposed=[right])) == [(2,)]


def test_what_was_named_for_another_order_was_not_agreed_for_this_one() -> None:
    right, other = moves(FIRST, NEW), moves(SECOND, OLD)
    assert found(conversation(moves(FIRST, OLD), right, other, proposed=[right, other])) == [(2,)]
