"""Conversations of a small shop, as logs of chat completions, with its domain: for what imports them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pytest_tau.environment.domain import Domain, load_domain
from pytest_tau.recordings import read_conversations
from pytest_tau.recordings.logged import LoggedConversation
from pytest_tau.schema.messages import AssistantMessage, ToolMessage

ORDERS = {
    "O1": {"order_id": "O1", "email": "ann@example.com", "status": "pending", "total": 12.4, "items": ["lamp"]},
    "O2": {"order_id": "O2", "email": "bob@example.com", "status": "shipped", "total": 30.0, "items": ["desk"]},
}

TOOLS = '''
"""Tools of a shop."""

from pytest_tau.environment import Toolkit, tool

from .schema import Order, ShopDB


class ShopTools(Toolkit):
    """The agent's tools."""

    db: ShopDB

    @tool(reads=True)
    def get_order(self, order_id: str) -> Order:
        """Look an order up."""
        if order_id not in self.db.orders:
            raise ValueError("no such order")
        return self.db.orders[order_id]

    @tool(writes=True)
    def cancel_order(self, order_id: str) -> Order:
        """Cancel an order."""
        order = self.get_order(order_id)
        if order.status != "pending":
            raise ValueError("only a pending order can be cancelled")
        order.status = "cancelled"
        return order
'''
SCHEMA = '''
"""Records of a shop."""

from pydantic import BaseModel

from pytest_tau.environment import Database, Table


class Order(BaseModel):
    """An order."""

    order_id: str
    email: str
    status: str
    total: float
    items: list[str]


class ShopDB(Database):
    """All tables."""

    orders: Table[Order]
'''
DOMAIN = '''
"""A shop."""

from pytest_tau.environment import DomainSpec

from .tools import ShopTools

domain = DomainSpec(tools=ShopTools)
'''


def shop(root: Path, orders: dict[str, Any] | None = None) -> Domain:
    """The shop's domain in ``domains/shop`` below a folder."""
    folder = root / "domains" / "shop"
    folder.mkdir(parents=True)
    for name, text in {"schema.py": SCHEMA, "tools.py": TOOLS, "domain.py": DOMAIN, "policy.md": "Be kind.\n"}.items():
        (folder / name).write_text(text.lstrip(), encoding="utf-8")
    (folder / "db.json").write_text(json.dumps({"orders": ORDERS if orders is None else orders}), encoding="utf-8")
    return load_domain(folder)


def call(name: str, arguments: dict[str, Any], result: Any) -> dict[str, Any]:
    failed = isinstance(result, str) and result.startswith("Error")
    return {"call": name, "arguments": arguments, **({"error": result} if failed else {"result": result})}


def cancelling(
    number: str, *, opening: str, reward: float | None = 1.0, id: str = "", **changes: Any
) -> dict[str, Any]:
    """A customer cancels an order of theirs, and asks how much they get back."""
    order = {"order_id": number, "email": "zoe@example.com", "status": "pending", "total": 99.5, "items": ["rug"]}
    order |= changes
    made: dict[str, Any] = {
        "id": id or f"conversation-{number}",
        "conversation": [
            {"role": "system", "content": "You work for a shop."},
            {"role": "user", "content": opening},
            {"role": "assistant", "content": "Gladly. Which order is it?"},
            {"role": "user", "content": f"It is order {number}, my mail is {order['email']}."},
            call("get_order", {"order_id": number}, order),
            {"role": "assistant", "content": f"Order {number}, a rug. Shall I cancel it?"},
            {"role": "user", "content": "Yes please. How much money do I get back?"},
            call("cancel_order", {"order_id": number}, {**order, "status": "cancelled"}),
            {"role": "assistant", "content": f"It is cancelled. You get ${order['total']:.2f} back. Anything else?"},
            {"role": "user", "content": "No thanks, bye."},
        ],
    }
    return made if reward is None else {**made, "reward": reward}


def log(file: Path, *conversations: dict[str, Any]) -> Path:
    file.write_text("\n".join(json.dumps(one) for one in conversations) + "\n", encoding="utf-8")
    return file


def read_one(file: Path, conversation: dict[str, Any]) -> LoggedConversation:
    [found] = read_conversations(log(file, conversation))
    return found


def kinds(conversation: LoggedConversation) -> list[str]:
    """Who speaks, calls and returns, one letter each: for tests that name turns."""
    made = []
    for message in conversation.messages:
        if isinstance(message, ToolMessage):
            made.append("r")
        else:
            made.append("c" if message.tool_calls else "a" if isinstance(message, AssistantMessage) else "u")
    return made
