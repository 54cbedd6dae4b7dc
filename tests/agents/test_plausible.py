"""Values that could be meant: of the same kind as the right one, and never the right one."""

import random
from typing import Any

import pytest

from pytest_tau.agents import plausible
from tests.builders import CREATE, action, mock, task

ADD = task(criteria={"actions": [action("get_users"), action("create_task", **CREATE)]})


def test_the_writes_of_a_gold_path() -> None:
    assert plausible.writes_of(ADD, mock()) == [1]
    assert "create_task" in plausible.write_tools(mock())
    assert plausible.write_tools(mock(), "user") == ["dismiss_notification"]


def test_the_pool_has_what_the_path_names_and_shows() -> None:
    pool = plausible.pool_of(ADD, mock())
    assert pool["title"][0] == "Buy stamps"
    assert "user_1" in pool["user_id"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, {False}), (3, {4}), (2.5, {3.5}), (None, {"unknown"}), ({"a": 1}, {None}),
        ("user_1", {"user_2"}),  # the pool has another of its shape
        ("#W9", {"#W0"}), ("Lisbon", {"not Lisbon"}),
    ],
)  # fmt: skip
def test_another_value_of_the_same_kind(value: Any, expected: set[Any]) -> None:
    pool = {"user_id": ["user_1", "user_2"]}
    assert plausible.another("x", value, pool, random.Random(1)) in expected


def test_one_item_of_a_list_changes() -> None:
    found = plausible.another("numbers", [1, 2, 3], {}, random.Random(1))
    assert sum(old != new for old, new in zip([1, 2, 3], found, strict=True)) == 1


def test_arguments_for_a_tool_come_from_the_pool_or_are_of_their_type() -> None:
    filled = plausible.fill(mock(), "create_task", {"user_id": ["user_1"]}, random.Random(1))
    assert filled == {"user_id": "user_1", "title": "unknown"}
    status = plausible.fill(mock(), "update_task_status", {}, random.Random(1))["status"]
    assert status in ("pending", "completed")


def test_another_gold_path() -> None:
    other = ADD.gold_actions[0]
    assert [one.name for one in plausible.with_action(ADD, 1, other).gold_actions] == ["get_users", "get_users"]
    assert ADD.gold_actions[1].name == "create_task"
