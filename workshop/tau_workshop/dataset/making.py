"""Plays composed tasks into conversations: tasks × variants × players, the same for the same seed.

Each task is played several times. Half of its conversations are the oracle's, which pass; the others are the oracle's
with one mistake of a kind that models make, most of which miss. Every conversation is played in another variant: the
customer speaks otherwise, the agent sees its world otherwise, or tools fail on the way (to the oracle alone, which then
gets by as ``oracle:careful`` does). The three splits take different customers and different words of the composer; what
they still have in common is left out, the test split first.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pytest_tau.agents.careful import Careful
from pytest_tau.agents.faulty import KINDS, Mistake, mistaken_oracle
from pytest_tau.agents.oracle import Oracle
from pytest_tau.conversation.protocols import AgentContext
from pytest_tau.environment.domain import Domain, find_domain, load_domain
from pytest_tau.errors import SettingsError
from pytest_tau.evaluation.grade import grade
from pytest_tau.schema.task import Task
from pytest_tau.seeds import trial_seed
from pytest_tau.simulating import simulate
from pytest_tau.variants import Dose, Perturbed, apply_doses, builtin_kinds
from pytest_tau.variants.tool_faults import ALL, FaultPlan, ToolFaults, read_faults

from ..compose import ComposeOptions, Family, Part, composing, generate, half
from ..parts import has_part, load_workshop_part
from .labels import Labelled, label
from .splits import NOBODY, Kin, kin_of

SHARES = {"train": 0.8, "validation": 0.1, "test": 0.1}
# A quarter of the words each for what is kept away; half for what is learnt from.
PARTS: dict[str, Part] = {"train": 0, "validation": (1, 4), "test": (3, 4)}
EACH = 12  # conversations of a task
PLAIN = "plain"
_FAULTS = read_faults(ALL)


@dataclass
class Made:
    """What came of making a data set: the tasks of each split, and what was left out for which reason."""

    domain: Domain
    tasks: dict[str, list[Task]] = field(default_factory=dict)
    kin: dict[str, Kin] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)


def prepare(name: str | Path, n: int, seed: int) -> Made:
    """Compose the tasks of all splits, without anything in common.

    Args:
        name: a domain to compose tasks of.
        n: conversations in all.
        seed: of the choice among all tasks.

    Raises:
        TauError: the domain has nothing to compose tasks of, or not enough of it.
    """
    made = Made(load_domain(find_domain(name).resolve()))
    for split, number in reversed(share_out(n).items()):
        wanted = max(1, round(number / EACH))
        others = list(made.kin.values())
        kept: list[Task] = []
        kin = NOBODY
        for task in _compose_tasks(made.domain, wanted, seed, PARTS[split]):
            own = kin_of(task, made.domain)
            if any(own.shares(other) for other in others):
                made.left_out[f"tasks of {split} with a customer, a record or a wording of another split"] += 1
                continue
            kept.append(task)
            kin |= own
            if len(kept) == wanted:
                break
        if not kept:
            raise SettingsError(
                f"domain '{made.domain.name}': every task composed for the split {split} has something in common with "
                "another split; it has too few customers or wordings for a data set"
            )
        made.tasks[split], made.kin[split] = kept, kin
    made.tasks = {split: made.tasks[split] for split in SHARES}
    return made


def share_out(n: int) -> dict[str, int]:
    """How many conversations each split has; together as many as are asked for, of which there are at least three."""
    kept = {split: max(1, round(n * share)) for split, share in SHARES.items() if split != "train"}
    return {"train": n - sum(kept.values()), **kept}


def _compose_tasks(domain: Domain, wanted: int, seed: int, part: Part) -> Iterator[Task]:
    """Proven tasks, more than are wanted. That mutants are noticed is not proven again for each."""
    family = _family(domain)
    if family is None:
        return iter(generate(domain.folder, 2 * wanted + 4, seed, ComposeOptions(part=part)))
    return composing(family, domain, seed, ComposeOptions(part=part), mutants=0)


def _family(domain: Domain) -> Family | None:
    if has_part(domain.folder, "generate"):
        return None
    family = getattr(load_workshop_part(domain.folder, "atoms"), "family", None)
    return family if isinstance(family, Family) else None


def conversations(made: Made, n: int, seed: int) -> Iterator[Labelled]:
    """Play the tasks of all splits; yields each conversation that is to be kept, with its labels."""
    kinds = {name: kind.about for name, kind in builtin_kinds().items() if not kind.needs_model}
    names = [name for name, about in kinds.items() if about in ("words", "person")]
    shown = [Dose(name) for name, about in kinds.items() if about == "world"]
    shares = share_out(n)
    for split, tasks in made.tasks.items():
        # Some variants have fixed phrases, so each split has variants of its own.
        doses = [*(Dose(name) for name in half(names, PARTS[split])), *shown]
        due = shares[split]
        kept = number = 0
        while kept < due and number < 2 * due:
            task, turn = tasks[number % len(tasks)], number // len(tasks)
            one = _conversation(made, split, task, turn, seed, doses)
            number += 1
            if one is not None:
                yield replace(one, id=f"{split}-{kept:05d}", split=split)
                kept += 1


def _conversation(made: Made, split: str, task: Task, turn: int, seed: int, doses: Sequence[Dose]) -> Labelled | None:
    """One conversation of a task; None where it is left out."""
    domain = made.domain
    rng = random.Random(f"conversation {seed} {task.id} {turn}")
    by_oracle = turn % 2 == 0
    drawn = rng.choice([*doses, *(_FAULTS if by_oracle else ()), None]) if turn > 1 else None
    shown, variant = _task_in_variant(task, domain, drawn, rng, turn)
    told = shown.task
    if told is not task:
        own = kin_of(told, domain)
        if any(own.shares(kin) for other, kin in made.kin.items() if other != split):
            made.left_out["conversations told plainly, because a wording stands in another split"] += 1
            shown, told, variant = Perturbed(task), task, PLAIN
        else:
            made.kin[split] |= own
    faults = ToolFaults(drawn, rng.randrange(2**31)) if isinstance(drawn, FaultPlan) else None
    mistakes: list[Mistake | None] = []

    def player(context: AgentContext) -> Oracle | Careful:
        if by_oracle:
            return Oracle(told, context) if faults is None else Careful(told, domain, context)
        agent, mistake = mistaken_oracle(told, domain, context, kinds=KINDS)
        mistakes.append(mistake)
        return agent

    number = trial_seed(seed, domain.name, task.id, turn)
    simulation = simulate(told, domain, player, trial=turn + 1, seed=number, view=shown.view, faults=faults)
    reward = grade(told, simulation, domain)
    by_oracle = not mistakes or mistakes[0] is None
    if by_oracle and not reward.passed:
        made.left_out[f"conversations that the oracle does not pass when they are told so: {variant}"] += 1
        return None
    simulation = simulation.model_copy(update={"agent": "oracle" if by_oracle else "faulty"})
    looked = label(told, simulation, reward, domain, oracle=by_oracle)
    planted = None if by_oracle else mistakes[0]
    named = (
        told if told is task else told.model_copy(update={"id": f"{task.id}~{variant.replace(':', '_')}.{turn + 1}"})
    )
    return replace(
        looked,
        task=named,
        simulation=simulation.model_copy(update={"task_id": named.id}),
        player=simulation.agent,
        perturbation=variant,
        view=shown.view,
        faults="" if faults is None else str(drawn),
        planted=planted.kind if planted is not None else None,
    )


def _task_in_variant(
    task: Task, domain: Domain, variant: Dose | FaultPlan | None, rng: random.Random, number: int
) -> tuple[Perturbed, str]:
    """The task as it is told and shown in a variant, and what that is called; as it is where the variant does not
    apply."""
    if isinstance(variant, FaultPlan):
        return Perturbed(task), str(variant)
    found = None if variant is None else apply_doses(task, domain, [variant], rng.randrange(2**31), number=number + 1)
    if found is None or (found.view is None and found.task is task):
        return Perturbed(task), PLAIN
    return found, str(variant)


def leaks(made: Made, played: Mapping[str, Sequence[Task]]) -> dict[str, Any]:
    """What splits have in common, by hash, of the tasks as they were told; in a good data set nothing."""
    kins = {split: _all(tasks, made.domain) for split, tasks in played.items()}
    names = list(kins)
    return {
        f"{one} and {other}": {
            "records": len(kins[one].records & kins[other].records),
            "wordings": len(kins[one].words & kins[other].words),
        }
        for position, one in enumerate(names)
        for other in names[position + 1 :]
    }


def _all(tasks: Sequence[Task], domain: Domain) -> Kin:
    found = NOBODY
    for task in tasks:
        found |= kin_of(task, domain)
    return found
