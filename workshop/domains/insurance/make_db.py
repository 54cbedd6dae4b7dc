"""Writes db.json: invented customers with contracts and claims, the same on every machine.

    python -m domains.insurance.make_db

Tasks and their numbers depend on the result, so a change here means checking every task of the suite again.
"""

from __future__ import annotations

import json

from pytest_tau.environment.folders import builtin_folder

from .cast import Cast
from .drawing import JSON, World

SEED = 23


def build(seed: int = SEED) -> JSON:
    """The whole database."""
    world = World(seed)
    world.draw_all()
    Cast(world).act()
    world.forget_what_was_not_covered()
    tables = {"customers": world.customers, "contracts": world.contracts, "claims": world.claims}
    return {**tables, "procedure_runs": {}}


def render(world: JSON) -> str:
    """The database as JSON with one record a line, so that a change shows as a change of lines."""
    tables = []
    for table, records in world.items():
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(record)}" for key, record in records.items())
        tables.append(f'"{table}": {{\n{lines}\n}}' if records else f'"{table}": {{}}')
    return "{\n" + ",\n".join(tables) + "\n}\n"


def main() -> None:
    """Write the file and say what is in it."""
    world = build()
    path = builtin_folder("domains", "insurance") / "db.json"
    path.write_text(render(world), encoding="utf-8")
    print(f"{path}: {', '.join(f'{len(records)} {table}' for table, records in world.items())}")


if __name__ == "__main__":
    main()
