"""The same task told or shown otherwise: gold, state and grading stay, so that a robust agent has the same outcome.

:func:`apply_doses` gives what a trial is played with: a task whose words are others, and a view of the agent's world.
:func:`perturb` gives the task alone. ``kinds.py`` says what a kind is; the kinds are in ``words.py`` (the customer's
words), ``reworded.py`` (paraphrases that were written or made before), ``people.py`` (who the customer is),
``world.py`` (what the agent sees), ``pictures.py`` and ``spoken.py`` (the telephone). All of it is a function of its
arguments: the same seed gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..conversation.view import AgentView, Views
from ..environment.domain import Domain
from ..errors import SettingsError
from ..schema.task import Task
from ..seeds import trial_seed
from .kinds import Dose, Kind, Kinds, Perturbed, read_doses
from .people import PEOPLE
from .pictures import PICTURES
from .reworded import REWORDED
from .spoken import SPOKEN
from .words import WORDS
from .world import WORLD

__all__ = [
    "Dose",
    "Kind",
    "Kinds",
    "Perturbed",
    "applies",
    "apply_doses",
    "builtin_kinds",
    "joined_doses",
    "perturb",
    "read_doses",
]


def builtin_kinds() -> Kinds:
    """A fresh table of the kinds that there are, to look kinds up in or to add to."""
    return Kinds((*REWORDED, *WORDS, *PEOPLE, *WORLD, *PICTURES, *SPOKEN))


def perturb(task: Task, domain: Domain, kind: str, seed: int = 0, kinds: Mapping[str, Kind] | None = None) -> Task:
    """A task told otherwise, with the same gold.

    Args:
        task: the task.
        domain: its domain.
        kind: a kind, maybe with a variant and a strength: "typos", "typos:0.3", "dialect:indian". Several, joined by
            "+", are applied one after the other.
        seed: decides what is drawn. The same seed gives the same task.
        kinds: other kinds than the built-in ones.

    Returns:
        The task. Where a kind does not apply, or changes only what the agent is shown, the task as it is.

    Raises:
        SettingsError: there is no such kind.
    """
    found = apply_doses(task, domain, joined_doses(kind, kinds), seed, kinds)
    return task if found is None else found.task


def apply_doses(
    task: Task,
    domain: Domain,
    doses: Sequence[Dose],
    seed: int = 0,
    kinds: Mapping[str, Kind] | None = None,
    *,
    number: int = 1,
) -> Perturbed | None:
    """What a trial of a task is played with under some doses, one after the other; None where one does not apply.

    All trials of a task are told alike, so that pass^k is about one telling; but ``number``, the trial from 1, chooses
    among paraphrases. A dose of strength 0 changes nothing.
    """
    known = builtin_kinds() if kinds is None else kinds
    views: list[AgentView] = []
    told = task
    for dose in doses:
        if dose.strength == 0.0:
            continue
        # Groups of an identity are compared with each other, so they are drawn alike.
        drawn = trial_seed(seed, dose.kind, task.id, 0)
        if not known[dose.kind].applies(told, domain):
            return None
        change = known[dose.kind].change(told, domain, replace(dose, number=number), drawn)
        made = change if isinstance(change, Perturbed) else _as_perturbed(told, change)
        told = made.task
        views += [made.view] if made.view is not None else []
    return Perturbed(told, views[0] if len(views) == 1 else Views(views) if views else None)


def _as_perturbed(task: Task, change: Task | AgentView) -> Perturbed:
    return Perturbed(task, change) if isinstance(change, AgentView) else Perturbed(change)


def applies(task: Task, domain: Domain, doses: Sequence[Dose], kinds: Mapping[str, Kind] | None = None) -> bool:
    """Whether all of the doses have something to change in a task, as it stands."""
    known = builtin_kinds() if kinds is None else kinds
    return all(dose.strength == 0.0 or known[dose.kind].applies(task, domain) for dose in doses)


def joined_doses(text: str, kinds: Mapping[str, Kind] | None = None) -> list[Dose]:
    """The doses of one telling, joined by "+", which are given one after the other; raises SettingsError."""
    known = builtin_kinds() if kinds is None else kinds
    doses = []
    for part in text.split("+"):
        one, *others = read_doses(part, known)
        if others and "," not in part and {dose.kind for dose in others} == {one.kind}:
            one = replace(one, choice="")  # any of its variants, as the seed has it
        elif others:
            raise SettingsError(f"'{part}' are several perturbations; join those that are meant with '+'")
        doses.append(one)
    return doses
