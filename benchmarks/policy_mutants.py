"""How well ``--tau-policy-mutants`` reads scripted agents, and how many of the planned trials that takes.

An agent ignores some of 30 rules, knows some by heart and obeys the others; four or more tasks rest on each rule, every
third on another one as well, and 8 % of trials are missed all the same.

    python -m benchmarks.policy_mutants [RUNS [FIRST SEED]]
"""

from __future__ import annotations

import random
import sys
from typing import NamedTuple

from pytest_tau.metrics.policy_mutants import Weighed, explain_losses, read_rule, weigh

RULES, PER_RULE, ROUNDS = 30, 4, 10
NOISE = 0.08  # how often an agent misses a task all the same


class Read(NamedTuple):
    """One run: how many rules were named right and wrong, false *ignored*, and the share of trials used."""

    right: int
    wrong: int
    falsely_ignored: int
    used: float


def scripted_run(seed: int, ignored: int, known: int, rounds: int = ROUNDS) -> Read:
    """A scripted agent that ignores some of 30 rules and knows some by heart, read as a run would."""
    rng = random.Random(seed)
    rules = [f"r{number}" for number in range(RULES)]
    rng.shuffle(rules)
    kinds = {rule: "ignores" if at < ignored else "knows anyway" if at < ignored + known else "obeys"
             for at, rule in enumerate(rules)}  # fmt: skip
    tasks = {f"{rule}.{number}": {rule, *([rng.choice(rules)] if rng.random() < 0.35 else [])}
             for rule in rules for number in range(PER_RULE)}  # fmt: skip
    resting = {rule: [task for task in tasks if rule in tasks[task]] for rule in rules}

    def passes(task: str, without: str = "") -> bool:
        follows = all(kinds[rule] != "ignores" and (rule != without or kinds[rule] != "obeys") for rule in tasks[task])
        return rng.random() < (1 - NOISE if follows else NOISE / 2)

    plain: dict[str, list[bool]] = {task: [] for task in tasks}
    changed: dict[tuple[str, str], list[bool]] = {(rule, task): [] for rule in rules for task in resting[rule]}
    found: dict[str, Weighed] = {}
    used = 0
    for _ in range(rounds):
        for task in tasks:
            plain[task].append(passes(task))
        for rule in rules:
            if rule in found and found[rule].outcome != "undecided":
                continue
            for task in resting[rule]:
                changed[rule, task].append(passes(task, rule))
            used += len(resting[rule])
            found[rule] = weigh({task: (plain[task], changed[rule, task]) for task in resting[rule]})
    blamed = explain_losses({task: sorted(its) for task, its in tasks.items()}, plain)
    named = {rule: read_rule(rule, {"delete": found[rule]}, 1, blamed=blamed[rule]).reading for rule in rules}
    unsure = ("undecided", "cannot tell")
    return Read(
        sum(named[rule] == kinds[rule] for rule in rules),
        sum(named[rule] not in (kinds[rule], *unsure) for rule in rules),
        sum(named[rule] == "ignores" != kinds[rule] for rule in rules),
        used / (rounds * len(changed)),
    )


def main(runs: int, first: int = 0) -> None:
    """A line for each agent and each number of trials."""
    for ignored, known in ((6, 5), (0, 0)):
        for rounds in (6, 8, 10):
            found = [scripted_run(seed, ignored, known, rounds) for seed in range(first, first + runs)]
            named = sum(run.right for run in found) / runs / RULES
            print(
                f"ignores {ignored}, knows {known}, k {rounds}: {100 * named:.1f} % of rules named right, "
                f"{sum(run.wrong for run in found)} wrong, {sum(run.falsely_ignored > 0 for run in found)} runs with a "
                f"false 'ignores', {100 * sum(run.used for run in found) / runs:.1f} % of trials used"
            )


if __name__ == "__main__":
    main(*(map(int, sys.argv[1:3]) if len(sys.argv) > 1 else [40]))
