"""Tools that declare reading and write, or spoil what all worlds share: they are named when they do."""

from pathlib import Path

import pytest

from pytest_tau.errors import DomainError
from tests.builders import mock
from tests.environment.folders import TOOLS, shop

WRITES = """
    @tool
    def look(self, order_id: str) -> str:
        \"\"\"Look at an order.\"\"\"
        self.db.orders[order_id].status = "seen"
        return "ok"
"""


@pytest.mark.parametrize("end", ['return "ok"', 'raise ValueError("no")'], ids=["returns", "raises"])
def test_a_reading_tool_that_writes_is_named_when_it_does(tmp_path: Path, end: str) -> None:
    world = shop(tmp_path, tools=TOOLS + WRITES.replace('return "ok"', end)).environment()
    with pytest.raises(DomainError) as caught:
        world.call("look", {"order_id": "O1"})
    assert str(caught.value) == (
        "the tool look of domain 'shop' declares that it reads, and changed orders[O1].status, which no grading "
        "would see: declare it with @tool(writes=True)"
    )


@pytest.mark.parametrize("mark", ["reads", "writes"])
def test_a_tool_that_changes_what_all_worlds_share_is_named_when_it_does(tmp_path: Path, mark: str) -> None:
    spoils = WRITES.replace("orders[order_id]", "orders.read(order_id)").replace("@tool", f"@tool({mark}=True)")
    world = shop(tmp_path, tools=TOOLS + spoils).environment()
    with pytest.raises(DomainError, match=r"domain 'shop': a tool changed what orders\.read\('O1'\) gave it, which"):
        world.call("look", {"order_id": "O1"})


def test_a_tool_that_keeps_to_reading_is_not_watched_for_ever() -> None:
    env = mock().environment()
    for _ in range(30):
        assert not env.call("get_users", {}).error
    assert max(env.domain.memo["watched"].values()) >= 30
