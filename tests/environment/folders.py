"""Domain folders written on the spot."""

import json
from pathlib import Path
from typing import Any

from pytest_tau import Domain, load_domain

DOMAIN = """
from pytest_tau.environment import DomainSpec
from .tools import ShopTools, sync
domain = DomainSpec(tools=ShopTools, sync=sync)
"""

TOOLS = '''
from pydantic import BaseModel
from pytest_tau.environment import Database, Table, Toolkit, tool
class Order(BaseModel):
    status: str
    seen: int = 0
class ShopDB(Database):
    orders: Table[Order]
def sync(tools, user_tools):
    tools.synced += 1
    if tools.broken_sync:
        raise ValueError("sync broke")
class ShopTools(Toolkit):
    db: ShopDB
    synced = 0
    broken_sync = False
    @tool(writes=True)
    def cancel(self, order_id: str) -> Order:
        """Cancel."""
        self.db.orders[order_id].status = "cancelled"
        return self.db.orders[order_id]
    @tool(writes=True)
    def half(self, order_id: str) -> None:
        """Change and fail."""
        self.db.orders[order_id].status = "half"
        raise KeyError("x")
    @tool(reads=True)
    def three(self, a: str, b: str, c: str, d: str = "d") -> str:
        """Three."""
        return a + b + c + d
'''


def write_domain(folder: Path, **files: Any) -> Path:
    """A small domain folder; ``files`` replace its parts by name (``tools``, ``db`` …), None leaves one out."""
    folder.mkdir(parents=True)
    parts = {
        "domain.py": files.get("domain", DOMAIN),
        "tools.py": files.get("tools", TOOLS),
        "policy.md": files.get("policy", "Be kind."),
        "db.json": files.get("db", json.dumps({"orders": {"O1": {"status": "open"}}})),
    }
    for name, text in parts.items():
        if text is not None:
            (folder / name).write_text(text, encoding="utf-8")
    return folder


def shop(folder: Path, *, parity: bool = False, **files: Any) -> Domain:
    """The same, loaded."""
    return load_domain(write_domain(folder / "shop", **files), parity=parity)
