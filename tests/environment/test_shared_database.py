"""A domain whose two sides work on one database, with hidden tools, told of the task before it begins."""

from pathlib import Path

import pytest

from pytest_tau import Domain, Task, load_domain

from .folders import write_domain

DOMAIN = """
from pytest_tau.environment import DomainSpec
from .tools import ShopTools, CustomerTools, begin
domain = DomainSpec(tools=ShopTools, user_tools=CustomerTools, shared_database=True, begin=begin)
"""

TOOLS = '''
from typing import Any
from pytest_tau.environment import Database, Table, Toolkit, tool
class ShopDB(Database):
    orders: Table[dict[str, Any]]
def begin(tools, user_tools, task):
    tools.about = user_tools.about = task.id
class ShopTools(Toolkit):
    db: ShopDB
    about = "nothing"
    @tool(writes=True)
    def cancel(self, order_id: str) -> str:
        """Cancel."""
        self.db.orders[order_id]["status"] = "cancelled"
        return self.about
    @tool(writes=True, hidden=True)
    def refund(self, order_id: str) -> str:
        """Refund."""
        self.db.orders[order_id]["status"] = "refunded"
        return "refunded"
class CustomerTools(Toolkit):
    db: ShopDB
    about = "nothing"
    @tool(reads=True)
    def look(self, order_id: str) -> str:
        """Look."""
        return self.db.orders[order_id]["status"]
'''

TASK = Task.model_validate({
    "id": "T1",
    "user_scenario": {"instructions": "-"},
    "initial_state": {"initialization_data": {"agent_data": {"orders": {"O1": {"status": "late"}}}}},
})  # fmt: skip


@pytest.fixture
def domain(tmp_path: Path) -> Domain:
    return load_domain(write_domain(tmp_path / "shop", domain=DOMAIN, tools=TOOLS))


def test_what_one_side_does_the_other_sees(domain: Domain) -> None:
    env = domain.environment(TASK)
    assert env.call("look", {"order_id": "O1"}, "user").content == "late"
    env.call("cancel", {"order_id": "O1"})
    assert env.call("look", {"order_id": "O1"}, "user").content == "cancelled"
    assert env.dump()["agent"] == env.dump()["user"] == {"orders": {"O1": {"status": "cancelled"}}}
    assert [(change.table, change.after) for change in env.changes()] == [("orders", "cancelled")]


def test_both_sides_know_the_task(domain: Domain) -> None:
    assert domain.environment(TASK).call("cancel", {"order_id": "O1"}).content == "T1"
    assert domain.environment().call("cancel", {"order_id": "O1"}).content == "nothing"


def test_a_hidden_tool_is_in_no_list_and_can_be_called(domain: Domain) -> None:
    env = domain.environment()
    assert [spec.name for spec in env.tool_specs()] == ["cancel"]
    assert env.call("refund", {"order_id": "O1"}).content == "refunded"
    assert env.writes("refund")
