"""A fresh environment of every built-in domain, on its own and on the public data: the size must not matter."""

from __future__ import annotations

from benchmarks.measuring import Result, median_cpu, public_data
from pytest_tau import load_domain
from pytest_tau.environment.folders import builtin_names
from pytest_tau.errors import DomainError

LIMIT_US, WITH_DOCUMENTS_US = 10.0, 50.0


def main() -> None:
    """Print a line for each domain."""
    data = public_data()
    for name in builtin_names("domains"):
        for root in (None, data) if data else (None,):
            try:
                domain = load_domain(name, data=root)
            except DomainError:
                continue  # one is played on the public data alone, another is not in it
            seconds = median_cpu(domain.environment, rounds=50, repeat=200)
            records = sum(len(table.raw) for table in domain.base.tables.values())
            world = "public data" if root else "own data"
            limit = LIMIT_US if domain.documents is None else WITH_DOCUMENTS_US
            print(Result(f"fresh environment, {name}, {world}", 1e6 * seconds, limit, "µs", f"{records} records"))


if __name__ == "__main__":
    main()
