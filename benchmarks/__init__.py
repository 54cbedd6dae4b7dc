"""What pytest-tau costs, measured against the limits it has set itself; ``python benchmarks/run.py`` runs all of it."""
