"""A world over a large SQLite file: how long until its first answer, its first change, and the rows that differ.

python benchmarks/run.py sql_world            # 10 million rows, about 1 GB, made in a temporary folder
"""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from pytest_tau.environment.sql import SqlBase, SqlDatabase

ROWS = 10_000_000
ROUNDS = 30
FILL = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, status TEXT, note TEXT);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
INSERT INTO orders SELECT i, i % 100000, 'open', 'order number ' || i || ' ' || hex(zeroblob(30)) FROM n;
CREATE INDEX by_customer ON orders (customer);
"""


def main() -> None:
    """Print medians in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "db.sqlite")
        with closing(sqlite3.connect(path)) as db:
            db.executescript(FILL.format(rows=ROWS))
        base = SqlBase(SqlDatabase, path)
        print(f"{ROWS:,} rows, {path.stat().st_size / 1e9:.2f} GB; medians of {ROUNDS} worlds")
        worlds = [base.fresh() for _ in range(ROUNDS)]
        print(f"fresh world and first read by key: {_median(worlds, _read):.2f} ms (limit 5)")
        print(f"read by an index: {_median(worlds, _by_customer):.2f} ms")
        print(f"first change: {_median(worlds, _change):.2f} ms")
        print(f"read by an index after it: {_median(worlds, _by_customer):.2f} ms")
        print(f"rows that differ: {_median(worlds, lambda db: db.delta()):.2f} ms")


def _read(db: Any) -> None:
    assert db.sql("SELECT * FROM orders WHERE id = ?", ROWS // 2)


def _by_customer(db: Any) -> None:
    assert len(db.sql("SELECT * FROM orders WHERE customer = ? LIMIT 50", 77)) == min(50, ROWS // 100_000)


def _change(db: Any) -> None:
    db.sql("UPDATE orders SET status = 'closed' WHERE id = ?", ROWS // 3)


def _median(worlds: list[Any], act: Callable[[Any], object]) -> float:
    times = []
    for db in worlds:
        began = time.perf_counter()
        act(db)
        times.append(time.perf_counter() - began)
    return 1000 * statistics.median(times)


if __name__ == "__main__":
    main()
