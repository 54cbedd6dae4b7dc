"""Customers in natural words that were written blind: what the user audit finds in those who keep to their scenario.

python -m benchmarks.blind_customers

``blind_customers/`` has two sets of 40, by a language model that had seen the scenarios, policies and tools, but not
the audit. Half of each keep to their scenario; each other one makes the one error that ``defect`` names, of the
``kind`` of :data:`KINDS`. The rules were changed with the first set in sight, and then counted on the second.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pytest_tau import Simulation
from pytest_tau.diagnosis.user_audit import user_audit
from pytest_tau.schema.simulation import Termination

from .plays import RIGHT, Play, conversation

FOLDER = Path(__file__).parent / "blind_customers"
SETS = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))
KINDS = {
    1: "a fact that nobody told it",
    2: "another choice than its scenario's",
    3: "ends too early",
    4: "never ends",
    5: "falls out of its role",
    6: "tells too much or too soon",
    7: "leaves a wish out",
    8: "withholds what it knows",
    9: "tells of its phone what is not so",
    10: "gives in against its scenario",
}


class Customer(NamedTuple):
    """A play, and the kind of its customer's error; None for one that keeps to its scenario."""

    play: Play
    kind: int | None


def customers(name: str) -> Iterator[Customer]:
    """The customers of a set."""
    for content in json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")):
        kind = content.pop("kind")
        yield Customer(Play(**content), kind)


def found(play: Play) -> list[str]:
    """The rules of the user audit that a play's customer breaks."""
    task, simulation, domain = conversation(play)
    says = [turn[1] for turn in play.turns if turn[0] == "user"]
    if "###" not in says[-1]:
        simulation = _unended(simulation, says[-1])
    return [one.rule for one in user_audit(task, simulation, domain)]


def _unended(simulation: Simulation, last: str) -> Simulation:
    """The conversation until its last words, ended by the limit of steps."""
    messages = simulation.messages
    end = max(at for at, one in enumerate(messages) if one.role == "user" and one.content == last)
    return simulation.model_copy(update={"messages": messages[: end + 1], "termination_reason": Termination.MAX_STEPS})


def main() -> None:
    """Print a line for each kind."""
    for name in SETS:
        seen: Counter[int | None] = Counter()
        of: Counter[int | None] = Counter()
        for one in customers(name):
            of[one.kind] += 1
            seen[one.kind] += bool(found(one.play))
        print(f"{name}: {sum(seen[kind] for kind in KINDS)} of {sum(of[kind] for kind in KINDS)} errors seen; ", end="")
        print(f"something found in {seen[None]} of {of[None]} without one ({RIGHT})")
        for kind, told in KINDS.items():
            print(f"  {told:<36} {seen[kind]} of {of[kind]}")


if __name__ == "__main__":
    main()
