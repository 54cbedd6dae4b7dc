"""When predicates hold, as timelines over a conversation."""

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import TypeAdapter

from pytest_tau import load_domain
from pytest_tau.environment.domain import Domain
from pytest_tau.errors import TaskError
from pytest_tau.evaluation.progress.milestones import Progress
from pytest_tau.evaluation.progress.predicates import of_the_world, same, steps_of, value_at
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.milestones import Predicate
from tests.builders import CREATE, a_call, asks, mock, played_calls, result_of, says, task, u_call

DONE = a_call("update_task_status", task_id="task_1", status="completed")
OPEN = a_call("update_task_status", task_id="task_1", status="pending")
STATUS = {"check": "record", "table": "tasks", "key": "task_1", "path": "status", "value": "completed"}


def moments(when: dict[str, Any], messages: list[AnyMessage], **fields: Any) -> list[int]:
    """The turns in which a predicate becomes true, as far as a milestone can tell: one after the other."""
    points = [{"id": f"m{n}", "when": when, "after": [f"m{n - 1}"] if n else []} for n in range(4)]
    played = task(criteria={"milestones": [points[0]]}, **fields)
    progress = Progress(played, messages, mock())
    mock().environment().set_up(played, messages, watch=progress)
    return [status.turn for status in progress.statuses() if status.turn is not None]


class TestRecords:
    def test_a_field_that_changes(self) -> None:
        assert moments(STATUS, played_calls(mock(), a_call(), DONE)) == [2]

    def test_a_field_that_has_the_value_from_the_start(self) -> None:
        assert moments({**STATUS, "value": "pending"}, played_calls(mock(), DONE)) == [0]

    def test_never(self) -> None:
        assert moments({**STATUS, "value": "lost"}, played_calls(mock(), DONE)) == []

    def test_a_record_that_is_made(self) -> None:
        there = {"check": "record", "table": "tasks", "key": "task_4"}
        assert moments(there, played_calls(mock(), DONE, a_call("create_task", **CREATE))) == [2]

    def test_an_item_of_a_list(self) -> None:
        item = {"check": "record", "table": "users", "key": "user_1", "path": "tasks[2]", "value": "task_4"}
        assert moments(item, played_calls(mock(), a_call("create_task", **CREATE))) == [0]
        assert moments({**item, "path": "tasks[7]"}, played_calls(mock(), DONE)) == []

    def test_the_customers_own(self) -> None:
        notice = {"notification_id": "n1", "message": "Look"}
        begun = {"initialization_actions": [{"env_type": "user", "func_name": "add_notification", "arguments": notice}]}
        when = {"check": "record", "side": "user", "table": "notifications", "key": "n1", "path": "status"}
        messages = [*played_calls(mock(), a_call())]
        read = u_call("dismiss_notification", notification_id="n1")
        env = mock().environment(task(initial_state=begun))
        done = env.call(read.name, read.arguments, "user")
        messages += [asks(None, read), result_of(read, done.content)]
        assert moments({**when, "value": "read"}, messages, initial_state=begun) == [2]

    def test_a_table_that_is_not_there(self) -> None:
        with pytest.raises(TaskError, match="about the table 'taskz'; there are tasks, users"):
            moments({**STATUS, "table": "taskz"}, [])


class TestCounts:
    def test_so_many(self) -> None:
        count = {"check": "count", "table": "tasks", "where": {"status": "completed"}, "at_least": 2}
        assert moments(count, played_calls(mock(), a_call("create_task", **CREATE), DONE)) == [2]

    def test_new_records_count(self) -> None:
        count = {"check": "count", "table": "tasks", "at_least": 4, "at_most": 4}
        assert moments(count, played_calls(mock(), a_call("create_task", **CREATE), DONE)) == [0]

    def test_fewer(self) -> None:
        count = {"check": "count", "table": "tasks", "where": {"status": "pending"}, "at_least": 0, "at_most": 1}
        assert moments(count, played_calls(mock(), DONE)) == [0]


SHOP = """
from typing import Literal
from pydantic import BaseModel, Field
from pytest_tau.environment import Database, DomainSpec, Table, Toolkit, tool

class Order(BaseModel):
    state: Literal["open", "closed"] = Field("open", alias="orderState")

class ShopDB(Database):
    orders: Table[Order]

class ShopTools(Toolkit):
    db: ShopDB

    @tool(writes=True)
    def close(self, order_id: str, state: str = "closed") -> str:
        self.db.orders[order_id].state = state
        return "ok"

domain = DomainSpec(tools=ShopTools)
"""


class TestWhatTheFileLeavesToTheModel:
    """A default, and a field that has another name in the file."""

    @pytest.fixture
    def shop(self, tmp_path: Path) -> Domain:
        (tmp_path / "domain.py").write_text(SHOP, encoding="utf-8")
        (tmp_path / "policy.md").write_text("Sell.", encoding="utf-8")
        orders: dict[str, Any] = {"1": {}, "2": {}, "3": {"orderState": "open"}}
        (tmp_path / "db.json").write_text(json.dumps({"orders": orders}), encoding="utf-8")
        return load_domain(tmp_path)

    @pytest.mark.parametrize("name", ["state", "orderState"])
    def test_it_counts_and_is_found(self, shop: Domain, name: str) -> None:
        env = shop.environment()
        three = {"check": "count", "table": "orders", "where": {name: "open"}, "at_least": 3}
        closed = {"check": "record", "table": "orders", "key": "1", "path": name, "value": "closed"}
        looks = [
            look for one in (three, closed) for _, look in of_the_world(TypeAdapter(Predicate).validate_python(one))
        ]
        env.call("close", {"order_id": "1", "state": "open"})
        assert [look(env) for look in looks] == [True, False]
        env.call("close", {"order_id": "1"})
        assert [look(env) for look in looks] == [False, True]


class TestAssertions:
    WHEN: ClassVar = {"check": "assertion", "env_type": "assistant", "func_name": "assert_number_of_tasks"}

    def test_it_holds(self) -> None:
        when = {**self.WHEN, "arguments": {"user_id": "user_1", "expected_number": 3}}
        assert moments(when, played_calls(mock(), DONE, a_call("create_task", **CREATE))) == [2]

    def test_one_that_raises_does_not_hold(self) -> None:
        assert moments({**self.WHEN, "arguments": {"user_id": "x", "expected_number": 0}}, []) == []


class TestWordsAndCalls:
    def test_said_by_either_side(self) -> None:
        messages: list[AnyMessage] = [says("Hello"), asks("It is task_1, by Friday"), says("task_1 on Friday, then")]
        assert moments({"check": "said", "texts": ["task_1", "friday"]}, messages) == [2]
        assert moments({"check": "said", "texts": ["task_1", "friday"], "by": "user"}, messages) == [1]

    def test_a_call_counts_when_it_succeeds(self) -> None:
        failed = a_call("update_task_status", task_id="task_9", status="completed")
        when = {"check": "called", "name": "update_task_status", "arguments": {}}
        assert moments(when, played_calls(mock(), failed, DONE)) == [2]

    def test_evidence(self) -> None:
        when = {"check": "evidence", "name": "get_users", "shows": "Tomas"}
        assert moments(when, played_calls(mock(), DONE, a_call())) == [2]
        assert moments({**when, "shows": "Nobody"}, played_calls(mock(), DONE, a_call())) == []

    def test_a_reason(self) -> None:
        when = {"check": "reason", "any_of": ["not your task"]}
        assert moments(when, [says("Hm"), asks("?"), says("That is not your task.")]) == [2]

    def test_an_order(self) -> None:
        when = {"check": "order", "calls": [{"name": "get_users"}, {"name": "update_task_status"}]}
        assert moments(when, played_calls(mock(), a_call(), DONE)) == [2]
        assert moments(when, played_calls(mock(), DONE, a_call())) == []

    def test_identified(self) -> None:
        when = {"check": "identified", "by": ["get_users"], "needed_for": ["create_task"]}
        assert moments(when, played_calls(mock(), DONE, a_call())) == [2]
        assert moments(when, played_calls(mock(), a_call("create_task", **CREATE), a_call())) == []

    def test_a_rule_holds_until_it_is_broken(self) -> None:
        rule = {"check": "not_called", "name": "get_users"}
        messages = played_calls(mock(), DONE, a_call())
        assert moments(rule, messages) == [0]
        assert moments({"check": "not", "of": rule}, messages) == [2]


class TestTogether:
    SAID: ClassVar = {"check": "said", "texts": ["done"]}

    def test_all_of_several(self) -> None:
        messages = [says("done"), *played_calls(mock(), DONE)]
        assert moments({"check": "all", "of": [STATUS, self.SAID]}, messages) == [1]

    def test_any_of_several(self) -> None:
        messages = [says("done"), *played_calls(mock(), DONE)]
        assert moments({"check": "any", "of": [STATUS, self.SAID]}, messages) == [0]

    def test_not_any_more(self) -> None:
        undone = {"check": "all", "of": [self.SAID, {"check": "not", "of": STATUS}]}
        assert moments(undone, [*played_calls(mock(), DONE, OPEN), says("done")]) == [4]
        assert moments(undone, [*played_calls(mock(), DONE), says("done")]) == []


class TestValues:
    @pytest.mark.parametrize(
        ("found", "wanted", "is_same"),
        [(1, 1.0, True), (True, 1, False), (1, True, False), (None, None, True), ("a", "a", True), ([1], [1], True)],
    )
    def test_json_values(self, found: Any, wanted: Any, is_same: bool) -> None:
        assert same(found, wanted) is is_same

    def test_what_is_not_there_is_null(self) -> None:
        assert same(value_at({"a": 1}, steps_of("b.c")), None)
        assert not same(value_at({"a": 1}, steps_of("b")), 1)

    def test_a_predicate_is_read_by_its_check(self) -> None:
        read: Any = TypeAdapter(Predicate).validate_python({"check": "not", "of": {"check": "all", "of": [STATUS]}})
        assert read.of.of[0].path == "status"
