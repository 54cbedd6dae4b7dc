"""Draws and writes the suites that are named, or all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable

from . import airline, retail, telecom
from .suite import Draft, write

SUITES: dict[str, Callable[[], list[Draft]]] = {
    "retail": retail.drafts,
    "airline": airline.drafts,
    "telecom": telecom.drafts,
}


def main(names: list[str]) -> None:
    """Write the suites."""
    for name in names or SUITES:
        made = SUITES[name]()
        folder = write(f"{name}_images", name, made)
        size = max(file.stat().st_size for file in folder.rglob("*.png"))
        sys.stdout.write(f"{folder}: {len(made)} tasks, pictures of up to {size:,} bytes\n")


if __name__ == "__main__":
    main(sys.argv[1:])
