"""What a kind of perturbation is, and how one is asked for: ``typos``, ``typos:0.3``, ``dialect:indian``.

A kind is a pure function of task, domain, dose and seed. It gives a task that is told in another way, a view of the
agent's world, or both. It changes how the task is told or shown and never what is right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from ..conversation.view import AgentView
from ..environment.domain import Domain
from ..errors import SettingsError
from ..schema.task import Task

DEFAULT_STRENGTH = 0.5
ALL = "all"
_NAME = re.compile(r"[a-z][a-z0-9_]*")

About = Literal["words", "person", "world", "pictures"]


@dataclass(frozen=True)
class Dose:
    """A kind as it is asked for.

    Attributes:
        kind: its name.
        strength: how much of it, 0 … 1.
        choice: one of the kind's variants, such as a dialect; "" lets the seed choose.
        number: the trial, from 1; kinds with several fixed variants, such as paraphrases, go through them by it.
    """

    kind: str
    strength: float = DEFAULT_STRENGTH
    choice: str = ""
    number: int = 1

    def __str__(self) -> str:
        strength = "" if self.strength == DEFAULT_STRENGTH else f"{self.strength:g}"
        return ":".join(filter(None, (self.kind, self.choice, strength)))


@dataclass(frozen=True)
class Perturbed:
    """A task as it is told, and a view of the agent's world where that is shown otherwise."""

    task: Task
    view: AgentView | None = None


def draws(dose: Dose, seed: int) -> Random:
    """The random choices of a kind: others for another dose, the same on every machine."""
    return Random(f"{dose}/{seed}")


Change = Callable[[Task, Domain, Dose, int], Task | AgentView | Perturbed]


def nowhere(task: Task, choice: str) -> bool:
    """Of a kind that is written out in no task."""
    return False


def everywhere(task: Task, domain: Domain) -> bool:
    """A kind that applies to every task."""
    return True


@dataclass(frozen=True)
class Kind:
    """A kind of perturbation.

    Attributes:
        name: its name in options: small letters, digits and underscores.
        about: what it changes: the customer's "words", the "person" they are, the agent's "world", or "pictures".
        summary: what it does, in a few words.
        change: the function that changes a task.
        applies: whether the kind can change anything in a task; called for every task at collection.
        choices: variants that can be selected by name.
        each: whether the name of the kind means each of its choices, as for groups that are compared.
        needs_model: whether it needs a customer on a model; such a kind is not part of ``all``.
        written: for such a kind, whether a task has the customer's words of a choice ("" for any), so that the scripted
            customer can say them.
    """

    name: str
    about: About
    summary: str
    change: Change
    applies: Callable[[Task, Domain], bool] = everywhere
    choices: tuple[str, ...] = ()
    each: bool = False
    needs_model: bool = False
    written: Callable[[Task, str], bool] = nowhere


class Kinds(Mapping[str, Kind]):
    """Kinds by name; the hook ``pytest_tau_perturbations`` adds more."""

    def __init__(self, kinds: Iterable[Kind] = ()) -> None:
        self._kinds: dict[str, Kind] = {}
        for kind in kinds:
            self.add(kind)

    def add(self, kind: Kind) -> None:
        """Add a kind; raises SettingsError if its name is taken or invalid."""
        if not _NAME.fullmatch(kind.name) or kind.name == ALL:
            raise SettingsError(f"perturbation {kind.name!r}: write its name in small letters, digits and underscores")
        if kind.name in self._kinds:
            raise SettingsError(f"perturbation '{kind.name}': there is one of this name already; choose another name")
        self._kinds[kind.name] = kind

    def __getitem__(self, name: str) -> Kind:
        return self._kinds[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)


def read_doses(text: str, kinds: Mapping[str, Kind]) -> list[Dose]:
    """The doses that a comma-separated text asks for, each once and in its order.

    Raises:
        SettingsError: one sentence: what cannot be read, and what to write instead.
    """
    found: dict[str, Dose] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        for dose in _read(part, kinds):
            found.setdefault(str(dose), dose)
    if not found:
        raise SettingsError(f"no perturbation is named: write {ALL}, or some of {', '.join(kinds)}")
    return list(found.values())


def _read(part: str, kinds: Mapping[str, Kind]) -> Iterator[Dose]:
    name, *rest = (piece.strip() for piece in part.split(":"))
    if name == ALL:
        strength = _strength(part, rest)
        for kind in kinds.values():
            if not kind.needs_model:
                yield from _each(kind, Dose(kind.name, strength))
        return
    kind = _kind_named(name, kinds)
    choice = rest.pop(0) if rest and not _is_number(rest[0]) else ""
    if choice and choice not in kind.choices:
        known = f"use {', '.join(kind.choices)}" if kind.choices else "it has none; write a number from 0 to 1"
        raise SettingsError(f"perturbation '{part}': {name} has no variant '{choice}': {known}")
    dose = Dose(name, _strength(part, rest), choice)
    if choice:
        yield dose
    else:
        yield from _each(kind, dose)


def _kind_named(name: str, kinds: Mapping[str, Kind]) -> Kind:
    if name not in kinds:
        raise SettingsError(f"there is no perturbation '{name}': use {ALL}, or some of {', '.join(kinds)}")
    return kinds[name]


def _each(kind: Kind, dose: Dose) -> Iterator[Dose]:
    if kind.each:
        yield from (replace(dose, choice=choice) for choice in kind.choices)
    else:
        yield dose


def _strength(part: str, rest: list[str]) -> float:
    if not rest:
        return DEFAULT_STRENGTH
    if len(rest) == 1 and _is_number(rest[0]) and 0.0 <= float(rest[0]) <= 1.0:
        return float(rest[0])
    raise SettingsError(f"perturbation '{part}': its strength must be a number from 0 to 1, as in typos:0.3")


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?(\d+(\.\d*)?|\.\d+)", text) is not None
