"""A world of the small shop, for each test that asks for one."""

from typing import Any

import pytest

from pytest_tau.environment.database import DatabaseBase
from tests.environment.shop import RAW, ShopDB


@pytest.fixture(scope="session")
def base() -> DatabaseBase:
    """The shop as it stands in its file."""
    return DatabaseBase(ShopDB, RAW, where="db.json")


@pytest.fixture
def db(base: DatabaseBase) -> Any:
    """A fresh world of it."""
    return base.fresh()
