"""One simulation with players that answer at once, and its grade, where the gold state is known already."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from benchmarks.measuring import Result, median_cpu, public_data
from pytest_tau import grade, load_domain, load_tasks, simulate

# The own suite has more turns, and checks that are not made on public data.
PUBLIC_MS, OWN_MS = (0.8, 0.6), (1.5, 1.2)
ROUNDS = 5


def measure(data: Path | None) -> None:
    """Print the lines of one retail, ours or the public one: medians over its tasks."""
    domain = load_domain("retail", data=data)
    tasks = load_tasks("retail", data=data)

    times, grades, messages = [], [], []
    for task in tasks:
        simulation = simulate(task, domain)
        grade(task, simulation, domain)  # computes the gold state, which a run does once a task and process
        messages.append(len(simulation.messages))
        times.append(median_cpu(lambda task=task: grade(task, simulate(task, domain), domain), ROUNDS))  # type: ignore[misc]
        grades.append(median_cpu(lambda task=task, it=simulation: grade(task, it, domain), ROUNDS))  # type: ignore[misc]
    where, (limit, of_grade) = ("public data", PUBLIC_MS) if data else ("own data", OWN_MS)
    note = f"{len(tasks)} tasks, {median(messages):g} messages, slowest {1000 * max(times):.1f} ms"
    print(Result(f"simulation with grade, retail, {where}", 1000 * median(times), limit, "ms", note))
    print(Result(f"its grade, retail, {where}", 1000 * median(grades), of_grade, "ms"))


def main() -> None:
    """Print the lines of our own retail, and of the public one if it is there."""
    for data in dict.fromkeys((None, public_data())):
        measure(data)


if __name__ == "__main__":
    main()
