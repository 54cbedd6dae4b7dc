"""A table as it stands in its file: what all worlds share of it, and what each gets a copy of."""

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from pytest_tau.environment.table_base import TableBase


class Inner(BaseModel):
    type: dict[str, list[int]] = {}


class Closed(BaseModel):
    inner: list[Inner] = []
    other: "Closed | None" = None


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Bare(BaseModel):
    anything: dict  # type: ignore[type-arg]  # as an author may write it


class Untyped(BaseModel):
    inner: dict[str, list[Any]] = {}


@pytest.mark.parametrize(("model", "shares"), [(Closed, False), (Open, True), (Bare, True), (Untyped, True)])
def test_records_are_copied_first_where_pydantic_would_share_what_is_in_them(model: Any, shares: bool) -> None:
    raw = {"inner": {"a": [1]}, "anything": {"a": [1]}} if shares else {"inner": [{"type": {"a": [1]}}]}
    table = TableBase("things", model, {"A": raw}, where="db.json")
    assert table._shares is shares
    dumped = table.fresh("A")
    for value in (vars(dumped).get("inner"), vars(dumped).get("anything"), (dumped.model_extra or {}).get("inner")):
        if value:
            (value[0].type if isinstance(value, list) else value)["a"].append(2)
    assert "2" not in str(table.raw)
