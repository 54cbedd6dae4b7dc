"""Faults planted where one of a team hands over to another: how many are named, and what is said of teams without one.

python -m benchmarks.seams [--fresh N]

By kind: the trials in which a fault was planted, those that were missed for it, and those in which the check named it
(or the criterion DB and the diagnosis), beside what named it. The plays without a fault are those of the team and of
one agent with all tools; each check that is not met there is a false alarm. ``--fresh N``: of so many tasks that are
composed with another seed, beside those of the suite, which the kinds and checks were written with.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from pytest_tau import (
    AgentContext,
    Domain,
    Reward,
    Simulation,
    Task,
    generate,
    grade,
    load_domain,
    load_tasks,
    simulate,
)
from pytest_tau.agents.seams import NAMED_BY, seam_of
from pytest_tau.agents.team import Team
from pytest_tau.diagnosis.faults import find_fault
from pytest_tau.schema.record import FaultKind

SUITE, SEED = "retail_desk", 7


def played(task: Task, domain: Domain, kind: str) -> tuple[Simulation, int | None]:
    """A trial of a team with a fault, and where that was planted; None where the task has no place for it."""
    teams: list[Team] = []

    def factory(context: AgentContext) -> Team:
        teams.append(Team(task, context, seam_of(kind, domain.base.owners)))
        return teams[-1]

    return simulate(task, domain, factory), teams[-1].planted


def names_it(kind: str, planted: int, task: Task, simulation: Simulation, reward: Reward, domain: Domain) -> bool:
    """Whether the grade names a fault of this kind, and the check says a turn that is not before it, if it says one."""
    if NAMED_BY[kind] == "DB":
        fault = find_fault(task, simulation, reward, domain)
        return fault is not None and fault.kind is FaultKind.PARTLY_DONE
    unmet = [check for result in reward.results for check in result.checks if check.met is False]
    return any(one.kind == NAMED_BY[kind] and (one.turn is None or one.turn >= planted) for one in unmet)


def count(tasks: Sequence[Task], domain: Domain, kind: str) -> tuple[int, int, int]:
    """Trials in which a fault was planted, those of them that were missed, and those that were named."""
    planted = missed = named = 0
    for task in tasks:
        simulation, place = played(task, domain, kind)
        if place is None:
            continue
        reward = grade(task, simulation, domain)
        planted, missed = planted + 1, missed + (not reward.passed)
        named += names_it(kind, place, task, simulation, reward, domain)
    return planted, missed, named


def false_alarms(tasks: Sequence[Task], domain: Domain, agent: str) -> int:
    """The trials without a fault in which a check is not met."""
    rewards = (grade(task, simulate(task, domain, agent), domain) for task in tasks)
    return sum(not one.passed or any(c.met is False for r in one.results for c in r.checks) for one in rewards)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--fresh", type=int, default=0)
    fresh = parser.parse_args().fresh
    domain = load_domain(SUITE)
    tasks = generate(SUITE, n=fresh, seed=SEED) if fresh else load_tasks(SUITE)
    print(f"{len(tasks)} tasks\n\n| planted | in trials | missed | named | by |\n| :-- | --: | --: | --: | :-- |")
    whole = [0, 0, 0]
    for kind, by in NAMED_BY.items():
        found = count(tasks, domain, kind)
        whole = [one + other for one, other in zip(whole, found, strict=True)]
        print(f"| `{kind}` | {found[0]} | {found[1]} | {found[2]} | `{by}` |", flush=True)
    print(f"| all | {whole[0]} | {whole[1]} | {whole[2]} ({whole[2] / whole[0]:.1%}) | |\n")
    for agent in ("oracle:team", "oracle"):
        print(f"{agent}, no fault: {false_alarms(tasks, domain, agent)} of {len(tasks)} trials with a check not met")


if __name__ == "__main__":
    main()
