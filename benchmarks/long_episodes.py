"""Long episodes: what grading them costs, and that a cut-off oracle and a recording have the progress they should.

python benchmarks/run.py long_episodes [--tau-data DIR]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

from pytest_tau import Domain, Simulation, Task, grade, load_domain, load_tasks, simulate
from pytest_tau.agents.names import named_agent
from pytest_tau.schema.messages import ToolMessage
from pytest_tau.schema.simulation import Termination

OWN = ("retail", "airline", "telecom", "insurance", "mock", "retail_long", "airline_long", "telecom_long")
PUBLIC = ("retail", "airline", "telecom", "mock")
RECORDED = 200


def suites(data: str | None, every: int) -> Iterator[tuple[str, Domain, list[Task]]]:
    """The suites with their domains, and of the large ones every so manyth task."""
    for name in OWN:
        yield name, load_domain(name.removesuffix("_long")), load_tasks(name)[::every]
    for name in PUBLIC if data else ():
        yield f"public {name}", load_domain(name, data=data), load_tasks(name, data=data)[::every]


def written(played: Simulation, domain: Domain) -> list[int]:
    """The places of the results of writing calls, after the task's own history."""
    writes = domain.environment(solo=played.solo).writes
    spoken = [one for one in played.messages if not isinstance(one, ToolMessage)]
    names = {(call.id, call.requestor): call.name for one in spoken for call in one.tool_calls or []}
    results = [(at, one) for at, one in enumerate(played.messages) if isinstance(one, ToolMessage)]
    return [at for at, one in results if writes(names[one.id, one.requestor], one.requestor)]


def cut_off(task: Task, played: Simulation, domain: Domain) -> tuple[int, int]:
    """(right, all) of the oracle's trial, cut off after each of its writes."""
    history = len(task.history)
    made = [at for at in written(played, domain) if at >= history]
    writes = domain.environment().writes
    due = sum(writes(step.name, step.requestor) for step in task.gold_actions)
    right = 0
    for number, at in enumerate(made, start=1):
        part = {"messages": played.messages[: at + 1], "termination_reason": Termination.MAX_STEPS}
        reward = grade(task, played.model_copy(update=part), domain)
        right += (reward.value, reward.progress) == (0.0, number / due)
    return right, len(made)


def milestones(task: Task, number: int) -> Task:
    """The task with so many milestones, of four kinds."""
    table = next(name for name in ("orders", "reservations"))
    keys = [v for step in task.gold_actions for name, v in step.arguments.items() if name in ("order_id",)]
    kinds: list[Any] = [
        lambda i: {
            "check": "record",
            "table": table,
            "key": keys[i % len(keys)],
            "path": "status",
            "value": "cancelled",
        },
        lambda i: {"check": "count", "table": table, "where": {"status": "cancelled"}, "at_least": i},
        lambda i: {"check": "called", "name": task.gold_actions[i % len(task.gold_actions)].name},
        lambda i: {"check": "said", "texts": ["order"]},
    ]
    made = [{"id": f"m{i}", "after": [f"m{i - 1}"] * (i % 5 > 0), "when": kinds[i % 4](i)} for i in range(number)]
    content = task.model_dump(mode="json")
    content["evaluation_criteria"]["milestones"] = made
    content["id"] = f"{task.id} {number}"  # what is known of a task goes by its id
    return Task.model_validate(content)


def cpu(graded: list[tuple[str, Task]], played: Simulation, domain: Domain, rounds: int) -> dict[str, float]:
    """The fewest milliseconds of CPU that each grading takes, in turns: what else runs here can only add to them."""
    times: dict[str, list[float]] = {name: [] for name, _ in graded}
    for number in range(rounds):
        for name, task in graded if number % 2 else graded[::-1]:
            began = time.process_time()
            grade(task, played, domain)
            times[name].append(1000 * (time.process_time() - began))
    return {name: min(found) for name, found in times.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tau-data", metavar="DIR", help="the public data, to look at it as well")
    parser.add_argument("--every", type=int, default=1, help="look at every so manyth task of each suite")
    chosen = parser.parse_args()
    recorded = equal = 0
    for name, domain, tasks in suites(chosen.tau_data, chosen.every):
        right = cuts = full = 0
        for task in tasks:
            played = simulate(task, domain)
            reward = grade(task, played, domain)
            full += reward.progress == 1.0
            if task.evaluation_criteria is None or task.evaluation_criteria.milestones is None:
                found = cut_off(task, played, domain)
                right, cuts = right + found[0], cuts + found[1]
            if recorded < RECORDED:
                agent = named_agent("faulty:rate=0.8")(task, domain)
                live = simulate(task, domain, agent)
                again = Simulation.model_validate_json(live.model_dump_json())
                equal += grade(task, live, domain).stations == grade(task, again, domain).stations
                recorded += 1
        print(f"{name}: progress 1 for {full} of {len(tasks)} oracles; {right} of {cuts} cut-off ones have i/n")
    print(f"recordings with the progress of the live trial: {equal} of {recorded}")
    domain = load_domain("retail")
    longest = max(load_tasks("retail_long"), key=lambda task: len(written(simulate(task, domain), domain)))
    played = simulate(longest, domain)
    times = cpu(
        [("none", milestones(longest, 0)), ("20", milestones(longest, 20)), ("gold", longest)], played, domain, 60
    )
    share = ", ".join(f"{name} {value:.2f} ms" for name, value in times.items())
    writes = len(written(played, domain))
    print(f"grading {writes} writes, {len(played.messages)} messages: {share}; limit 15 ms")
    print(f"20 milestones cost {100 * (times['20'] / times['none'] - 1):.1f} % more; limit 10 %")


if __name__ == "__main__":
    main()
