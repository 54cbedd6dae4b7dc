"""retail_desk: roles over the shop of retail, and tasks that take at least one hand-over."""

from pytest_tau import load_domain
from tests.builders import whole

DOMAIN, RETAIL, TASKS = load_domain("retail_desk"), load_domain("retail"), whole("retail_desk")


def desks(tools: list[str]) -> set[str]:
    """The roles that alone can make one of these calls."""
    able = [[name for name, role in DOMAIN.spec.roles.items() if tool in role.tools] for tool in tools]
    return {names[0] for names in able if len(names) == 1}


def test_no_task_is_done_by_whom_the_customer_reaches_first() -> None:
    assert len(TASKS) >= 40
    triage = set(DOMAIN.spec.roles["triage"].tools)
    calls = {task.id: {step.name for step in task.gold_actions} for task in TASKS}
    assert [one for one, names in calls.items() if names <= triage] == []
    assert sum(len(desks(sorted(names)) - {"triage"}) > 1 for names in calls.values()) >= 30
    assert sum("approve_return" in names for names in calls.values()) >= 20


def test_an_approval_is_needed_from_300_dollars_on_and_graded() -> None:
    orders = DOMAIN.environment().tools.db.orders
    for task in TASKS:
        approved = [step.arguments for step in task.gold_actions if step.name == "approve_return"]
        returned = [step.arguments for step in task.gold_actions if step.name == "return_delivered_order_items"]
        for call in returned:
            prices = [i.price for i in orders.read(call["order_id"]).items if i.item_id in call["item_ids"]]
            needs = round(sum(prices), 2) >= 300
            assert needs == any(one["order_id"] == call["order_id"] for one in approved), task.id
        criteria = task.evaluation_criteria
        checks = [check.check for check in (criteria.trajectory if criteria else None) or []]
        assert checks.count("order") == len(approved), task.id


def test_the_shop_is_that_of_retail() -> None:
    assert DOMAIN.environment().dump() == RETAIL.environment().dump()
    shop = {spec.name for spec in RETAIL.environment().tool_specs()}
    assert {spec.name for spec in DOMAIN.environment().tool_specs()} == shop | {"approve_return"}
    assert RETAIL.policy.strip().splitlines()[0] in DOMAIN.policy
    assert "300 dollars" in DOMAIN.policy
    assert [check.check for check in RETAIL.spec.default_checks] == [c.check for c in DOMAIN.spec.default_checks][:5]


def test_an_approval_is_refused_for_what_cannot_be_returned() -> None:
    env = DOMAIN.environment()
    orders = env.tools.db.orders
    pending, done = (next(orders.where(status=status))["order_id"] for status in ("pending", "delivered"))
    items = [orders.read(done).items[0].item_id]
    assert env.call("approve_return", {"order_id": done, "item_ids": items}).content == "Approved"
    assert env.call("approve_return", {"order_id": pending, "item_ids": items}).error
    assert env.call("approve_return", {"order_id": done, "item_ids": ["1"]}).error
    assert env.changes() == []
