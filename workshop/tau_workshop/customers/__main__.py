"""Makes ``pytest_tau/metrics/likeness.json`` from dialogues of people and recorded runs, and says how good it is.

    python -m tau_workshop.customers PEOPLE.jsonl.gz RECORDING...

PEOPLE has a dialogue a line: ``{"id", "events": [{"who": "customer", "text"}, …]}``, as the STAR corpus. Recordings are
what ``read_conversations`` reads. The scripted customer is played here. Half of all dialogues, by a hash of their
ids, is kept back: figures and classifier come from the other half, and every AUC that is printed is of the kept one.
Figures enter the file, sentences do not.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_tau import load_domain, load_tasks, simulate
from pytest_tau.metrics.likeness import FEATURES, FILE, People, auc, features
from pytest_tau.metrics.likeness_ranks import likeness_ranks
from pytest_tau.recordings import read_conversations
from pytest_tau.users.names import PEOPLE, SCRIPTED

from .corpus import dialogues, is_kept_back

Features = tuple[float, ...]
SUITES = ("retail", "airline", "telecom", "mock")
SEEDS = (300, 301, 302, 303, 304)


def of_people(path: Path) -> Iterator[tuple[object, Features]]:
    """The id and the features of each dialogue of people that has three turns or more."""
    for one in dialogues(path):
        if (found := features(one.said)) is not None:
            yield one.id, found


def of_recording(path: Path) -> Iterator[tuple[object, Features]]:
    """The same of a recorded run."""
    for conversation in read_conversations(path):
        said = [one.text for one in conversation.messages if one.role == "user" and one.text]
        if (found := features(said)) is not None:
            yield conversation.id, found


def of_scripted(user: str = SCRIPTED, seed: int = 300) -> Iterator[tuple[object, Features]]:
    """The same of a scripted customer, who is served by the oracle."""
    for suite in SUITES:
        domain = load_domain(suite)
        for task in load_tasks(suite):
            played = simulate(task, domain, agent="oracle", user=user, seed=seed)
            said = [one.text for one in played.messages if one.role == "user" and one.text]
            if (found := features(said)) is not None:
                yield task.id, found


def fit(people: Sequence[Features], machines: dict[str, list[Features]]) -> dict[str, Any]:
    """Center, scale, weights and bias of a logistic regression in which all machines together weigh as much as people.

    Ridge with a penalty of one, by Newton's method; features beyond four standard deviations count as four.
    """
    import numpy as np

    rows = [*people, *(one for found in machines.values() for one in found)]
    is_machine = np.array([0.0] * len(people) + [1.0] * (len(rows) - len(people)))
    weight = [1 / len(people)] * len(people)
    weight += [1 / (len(found) * len(machines)) for found in machines.values() for _ in found]
    each = np.array(weight) * len(people)
    table = np.array(rows)
    center = np.average(table, axis=0, weights=each)
    scale = np.maximum(np.sqrt(np.average((table - center) ** 2, axis=0, weights=each)), 1e-4)
    table = np.hstack([np.clip((table - center) / scale, -4, 4), np.ones((len(rows), 1))])
    found = np.zeros(table.shape[1])
    penalty = np.diag([1.0] * (table.shape[1] - 1) + [0.0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-table @ found))
        gradient = table.T @ (each * (p - is_machine)) + penalty @ found
        curvature = (table.T * (each * p * (1 - p))) @ table + penalty
        found -= np.linalg.solve(curvature, gradient)
    names = {"center": center, "scale": scale, "weights": found[:-1]}
    return {name: [round(float(x), 4) for x in values] for name, values in names.items()} | {
        "bias": round(float(found[-1]), 4)
    }


def percentiles(values: Sequence[float]) -> list[float]:
    """The values at 0, 1, … 100 %."""
    ranked = sorted(values)
    return [round(ranked[round(at * (len(ranked) - 1) / 100)], 4) for at in range(101)]


def main() -> None:
    """Write the file and print the AUCs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("people", type=Path)
    parser.add_argument("recordings", type=Path, nargs="*")
    given = parser.parse_args()
    humans = list(of_people(given.people))
    sources = {path.stem: list(of_recording(path)) for path in given.recordings} | {SCRIPTED: list(of_scripted())}

    def half(found: Sequence[tuple[object, Features]], *, kept: bool) -> list[Features]:
        return [one for name, one in found if is_kept_back(name) is kept]

    ours = half(humans, kept=False)
    machines = {name: half(found, kept=False) for name, found in sources.items()}
    fitted = fit(ours, {name: found for name, found in machines.items() if found})
    quantiles = {name: percentiles(column) for name, column in zip(FEATURES, zip(*ours, strict=True), strict=True)}
    made = People(len(ours), quantiles, scores=(), **fitted)
    scores = percentiles([made.score(one) for one in ours])
    figures = {**vars(made), "scores": scores}
    FILE.write_text(json.dumps(figures, indent=0) + "\n", encoding="utf-8")
    print(f"{FILE}: {len(ours)} dialogues of people")
    made = People(**figures)
    kept_people = [made.score(one) for one in half(humans, kept=True)]
    print(f"AUC of people who were kept back ({len(kept_people)}): {auc(kept_people, made.scores):.3f}")
    for name, found in sources.items():
        kept = [made.score(one) for one in half(found, kept=True)]
        if kept:
            print(f"{name}: AUC {auc(kept, kept_people):.3f} on {len(kept)} conversations that were kept back")
    for seed in SEEDS:
        every = list(of_scripted(PEOPLE, seed))
        drawn = half(every, kept=True)
        near = auc([made.score(one) for one in drawn], kept_people)
        own = fit(ours, {PEOPLE: half(every, kept=False)})
        fresh = People(len(ours), {}, scores=(), **own)
        again = auc([fresh.score(one) for one in drawn], [fresh.score(one) for one in half(humans, kept=True)])
        print(f"{PEOPLE}, seed {seed}: AUC {near:.3f} on {len(drawn)}; by a classifier that knows them {again:.3f}")
    print_ranks({name: [one for _, one in found] for name, found in sources.items() if found})


def print_ranks(sources: dict[str, list[Features]]) -> None:
    """The ranks of simulators by their distance from people, once of all that they said, and over the seeds: there
    `scripted:people` plays anew, and of everybody else another half is drawn."""
    played = sources | {PEOPLE: [one for _, one in of_scripted(PEOPLE)]}
    for seed in SEEDS:
        print(
            f"all, drawn by seed {seed}: " + ", ".join(f"{rank.name} {rank}" for rank in likeness_ranks(played, seed))
        )
    ranks: dict[str, list[str]] = {}
    far: dict[str, list[float]] = {}
    for seed in SEEDS:
        rng = random.Random(seed)
        found = {name: rng.sample(known, (len(known) + 1) // 2) for name, known in sources.items()}
        found[PEOPLE] = [one for _, one in of_scripted(PEOPLE, seed)]
        for rank in likeness_ranks(found, seed):
            ranks.setdefault(rank.name, []).append(f"{rank}")
            far.setdefault(rank.name, []).append(-rank.value)
    for name in sorted(ranks, key=lambda name: sum(far[name])):
        print(f"| {name} | {', '.join(ranks[name])} | {min(far[name]):.2f}–{max(far[name]):.2f} |")


if __name__ == "__main__":
    main()
