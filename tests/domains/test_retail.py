"""retail in our own world: what is mended where the reference is not followed, and the laws its tasks keep."""

import re
from typing import Any

import pytest

from pytest_tau import Domain, Environment, Task, grade, load_domain, simulate
from pytest_tau.environment.results import to_content
from pytest_tau.schema.checks import Evidence, NotCalled
from pytest_tau.schema.task import EvaluationCriteria
from tests.builders import core

MENDED = load_domain("retail")
PARITY = load_domain("retail", parity=True)
TASKS = [task for task in core("retail") if "composed" not in task.tags]


def call(env: Environment, tool: str, **arguments: Any) -> str:
    result = env.call(tool, arguments)
    assert not result.error, result.content
    return result.content


def refusal(domain: Domain, tool: str, **arguments: Any) -> str:
    env = domain.environment()
    result = env.call(tool, arguments)
    assert result.error
    assert not env.changes()
    return result.content


def modify(domain: Domain, order_id: str, item_ids: list[str], new_item_ids: list[str], method: str) -> Any:
    """The order after its items were changed."""
    env = domain.environment()
    call(
        env,
        "modify_pending_order_items",
        order_id=order_id,
        item_ids=item_ids,
        new_item_ids=new_item_ids,
        payment_method_id=method,
    )
    return env.tools.db.orders[order_id]


DESK, TABLE = "5462042520", "9492406014"
DESK_AND_TABLE: Any = ("#W4307752", ["1468323642", "9427060513"], [DESK, TABLE], "paypal_2936512")


def test_each_changed_item_has_its_own_price_and_options() -> None:
    items = {item.item_id: item for item in modify(MENDED, *DESK_AND_TABLE).items}
    assert (items[DESK].price, items[TABLE].price) == (443.56, 383.42)
    assert items[DESK].options == {"width": "55 in", "top": "oak", "motor": "dual"}
    assert items[TABLE].options == {"surface": "laminate", "width": "42 in", "tilt": "adjustable"}


def test_parity_gives_every_changed_item_the_last_price_and_options() -> None:
    items = {item.item_id: item for item in modify(PARITY, *DESK_AND_TABLE).items}
    assert (items[DESK].price, items[TABLE].price) == (383.42, 383.42)
    assert items[DESK].options == items[TABLE].options


SMALL_PAN, MEDIUM_PAN, LARGE_PAN = "3034146008", "4190806040", "1276839906"
ROTATION: Any = ("#W7086029", [SMALL_PAN, MEDIUM_PAN], [MEDIUM_PAN, LARGE_PAN], "paypal_7981469")


@pytest.mark.parametrize(("domain", "after"), [(MENDED, [MEDIUM_PAN, LARGE_PAN]), (PARITY, [LARGE_PAN, MEDIUM_PAN])])
def test_a_changed_item_is_not_changed_again_in_the_same_call(domain: Domain, after: list[str]) -> None:
    order = modify(domain, *ROTATION)
    assert [item.item_id for item in order.items if item.name == "Cast Iron Pan"] == after


@pytest.mark.parametrize(("domain", "amount"), [(MENDED, 4.98), (PARITY, 4.97999999999999)])
def test_the_price_difference_is_rounded(domain: Domain, amount: float) -> None:
    order = modify(domain, "#W8941553", ["5546939748"], ["8447593950"], "paypal_2879947")
    assert repr(order.payment_history[-1].amount) == repr(amount)


@pytest.mark.parametrize(("domain", "entries"), [(MENDED, 1), (PARITY, 2)])
def test_no_money_moves_where_there_is_no_difference(domain: Domain, entries: int) -> None:
    order = modify(domain, "#W3795436", ["4000556890"], ["3500850309"], "paypal_4799026")
    assert len(order.payment_history) == entries


# 785 on the gift card and the order's 658.88 back; the reference then refunds both entries of the card once more.
@pytest.mark.parametrize(("domain", "balance", "entries"), [(MENDED, 1443.88, 4), (PARITY, 2761.64, 6)])
def test_cancelling_after_a_change_of_payment_refunds_what_is_still_paid(
    domain: Domain, balance: float, entries: int
) -> None:
    env = domain.environment()
    call(env, "modify_pending_order_payment", order_id="#W5848880", payment_method_id="credit_card_5259582")
    call(env, "cancel_pending_order", order_id="#W5848880", reason="no longer needed")
    assert env.tools.db.users["cyrus_yilmaz_9165"].payment_methods["gift_card_3121871"].balance == balance
    history = env.tools.db.orders["#W5848880"].payment_history
    assert len(history) == entries
    refunded = [(entry.transaction_type, entry.amount, entry.payment_method_id) for entry in history[3:]]
    assert ("refund", 658.88, "credit_card_5259582") in refunded


PENDING = {"order_id": "#W4307752", "payment_method_id": "paypal_2936512"}
DELIVERED = {"order_id": "#W4033168", "payment_method_id": "paypal_4799026"}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("modify_pending_order_items", {**PENDING, "item_ids": [], "new_item_ids": []}),
        ("exchange_delivered_order_items", {**DELIVERED, "item_ids": [], "new_item_ids": []}),
        ("return_delivered_order_items", {**DELIVERED, "item_ids": []}),
    ],
)
def test_an_empty_list_of_items_is_refused(tool: str, arguments: dict[str, Any]) -> None:
    assert refusal(MENDED, tool, **arguments) == "Error: Name at least one item"
    env = PARITY.environment()
    call(env, tool, **arguments)
    assert env.changes()


def test_an_item_is_not_exchanged_for_itself() -> None:
    boots = {**DELIVERED, "item_ids": ["5349027714"], "new_item_ids": ["5349027714"]}
    text = "Error: The new item id should be different from the old item id"
    assert refusal(MENDED, "exchange_delivered_order_items", **boots) == text
    call(PARITY.environment(), "exchange_delivered_order_items", **boots)


def test_a_text_for_a_list_is_refused_by_name() -> None:
    arguments = {**DELIVERED, "item_ids": "5349027714"}
    assert "Argument 'item_ids'" in refusal(MENDED, "return_delivered_order_items", **arguments)
    assert refusal(PARITY, "return_delivered_order_items", **arguments) == "Error: Some item not found"


def test_searches_touch_no_record() -> None:
    env = MENDED.environment()
    user = call(env, "find_user_id_by_name_zip", first_name="ROSA", last_name="dragan", zip="89575")
    assert user == call(env, "find_user_id_by_email", email="Rosa.Dragan2880@example.com") == "rosa_dragan_8965"
    call(env, "list_all_product_types")
    assert [len(table._touched) for table in env.tools.db.tables.values()] == [0, 0, 0]


def test_every_tool_and_argument_is_described() -> None:
    for spec in MENDED.environment().tool_specs():
        function = spec.schema["function"]
        assert len(function["description"]) > 30
        assert all(argument["description"] for argument in function["parameters"]["properties"].values())


each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)


def criteria(task: Task) -> EvaluationCriteria:
    assert task.evaluation_criteria is not None
    return task.evaluation_criteria


WRITES = {spec.name for spec in MENDED.environment().tool_specs() if spec.writes}


@each_task
def test_gold_path_succeeds_and_changes_the_world_exactly_when_it_writes(task: Task) -> None:
    env = MENDED.environment(task)
    for action in task.gold_actions:
        call(env, action.name, **action.arguments)
    assert bool(env.changes()) == any(action.name in WRITES for action in task.gold_actions)


@each_task
def test_ids_of_the_gold_path_are_said_by_the_customer_or_shown_by_a_tool(task: Task) -> None:
    env = MENDED.environment(task)
    known = task.user_scenario.render()
    for action in task.gold_actions:
        ids = re.findall(r"#W\d{7}|\b\d{10}\b|\w+_\d{4,7}\b|[\w.]+@[\w.]+", str(action.arguments))
        assert [found for found in ids if found not in known] == [], action
        known += call(env, action.name, **action.arguments)


@each_task
def test_trajectory_checks_hold_on_the_gold_path(task: Task) -> None:
    env = MENDED.environment(task)
    shown = [(action, call(env, action.name, **action.arguments)) for action in task.gold_actions]
    for check in criteria(task).trajectory or []:
        if isinstance(check, Evidence):
            results = [text for action, text in shown if action.arguments == check.arguments]
            assert any(check.shows in text for text in results if check.shows)
        if isinstance(check, NotCalled):
            assert check.name not in {action.name for action, _ in shown}


@each_task
def test_the_oracle_passes_and_an_idle_agent_does_not(task: Task) -> None:
    assert grade(task, simulate(task, MENDED, agent="oracle", user="scripted"), MENDED).passed
    assert not grade(task, simulate(task, MENDED, agent="noop", user="scripted"), MENDED).passed


@each_task
def test_relevant_policies_are_headings_of_the_policy(task: Task) -> None:
    headings = set(re.findall(r"^#+ (.+)$", MENDED.policy, re.MULTILINE))
    assert task.description is not None
    for named in (task.description.relevant_policies or "").split("; "):
        assert set(named.split(": ")) <= headings


def test_tasks_cover_the_domain() -> None:
    called = {action.name for task in TASKS for action in task.gold_actions}
    assert called >= WRITES
    tags = [tag for task in TASKS for tag in task.tags]
    wanted = {"refusal": 5, "transfer": 2, "conditional": 3, "totals": 4, "multi_order": 4}
    assert {tag: min(tags.count(tag), least) for tag, least in wanted.items()} == wanted
    for task in TASKS:
        explained = {"refusal", "transfer"} & set(task.tags)
        assert "TRAJECTORY" in criteria(task).reward_basis, task.id
        looked_up = any(isinstance(check, Evidence) for check in criteria(task).trajectory or [])
        assert bool(explained) == looked_up, task.id


@pytest.mark.parametrize("domain", [MENDED, PARITY], ids=["mended", "parity"])
def test_no_tool_changes_what_is_only_lent_to_it(domain: Domain) -> None:
    for task in TASKS:
        simulate(task, domain)
    for table in domain.base.tables.values():
        assert table._lent
        for key, record in table._lent.items():
            assert table.holds(key, table.dump(record)), key
            assert domain.base.shared_text(record, to_content) == to_content(table.fresh(key)), key
